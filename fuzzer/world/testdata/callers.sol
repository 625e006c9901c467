// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// All the ways in which a contract asks who calls it.

contract Constant {
    uint256 public x;

    function set(uint256 value) external {
        require(msg.sender == 0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789, "not the entry point");
        x = value;
    }
}

contract Immutable {
    address private immutable guard = address(0xFEED0001);
    uint256 public x;

    function set2(uint256 value) external {
        require(guard == msg.sender, "not the guard");
        x = value;
    }
}

contract Slot {
    address private boss = address(0xFEED0002);
    uint256 public x;

    function set3(uint256 value) external {
        require(msg.sender == boss, "not the boss");
        x = value;
    }
}

contract Role {
    mapping(bytes32 => mapping(address => bool)) private roles;
    uint256 public x;

    constructor() {
        roles["clerk"][address(0xFEED0003)] = true;
    }

    function set4(uint256 value) external {
        require(roles["clerk"][msg.sender], "not a clerk");
        x = value;
    }
}

contract TwoStep {
    address public owner;
    address private next = address(0xFEED0004);

    function accept() external {
        require(msg.sender == next, "not the next one");
        owner = next;
        next = address(0);
    }
}

// Inherits a function that others have: whoever may call it there gets nothing new here.
contract Own {
    uint256 public x;

    modifier onlySelf() {
        require(msg.sender == address(this), "only itself");
        _;
    }

    function one(uint256 value) external onlySelf {
        x = value;
    }
}

contract OwnToo is Own {
    function two(uint256 value) external onlySelf {
        x = 2 * value;
    }
}

contract Refusing {
    address private boss = address(0xFEED0005);
    uint256 public x;

    // One that is refused is no sender, and one that is let through is.
    function set5(uint256 value) external {
        require(msg.sender != address(0xDEAD0001) && msg.sender == boss, "refused");
        x = value;
    }

    // Everyone may call it.
    function free(uint256 value) external {
        if (msg.sender == address(0xDEAD0002)) revert("refused");
        x = value;
    }
}
