// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// Calls into the middle of calls, and what the same calls leave one after the other.
contract Later {
    mapping(address => uint256) public shares;
    mapping(address => uint256) private owed;

    function join() external payable {
        shares[msg.sender] += msg.value;
    }

    // Pays what was owed before, and owes the shares from now on.
    function claim() external {
        uint256 amount = owed[msg.sender];
        owed[msg.sender] = 0;
        uint256 mine = shares[msg.sender];
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok);
        owed[msg.sender] += mine;
        shares[msg.sender] = 0;
    }
}

// A loan within one call: what is called in the middle is what it is for.
contract Loans {
    constructor() payable {}

    receive() external payable {}

    function flash(uint256 amount) external {
        uint256 before = address(this).balance;
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok && address(this).balance >= before, "not paid back");
    }

    function repay() external payable {}
}

contract Steps {
    uint256 public count;
    uint256 public seen;
    mapping(address => uint256) public last;

    // What comes in the middle might as well come first.
    function poke() external {
        (bool ok,) = msg.sender.call("");
        require(ok);
        count += 1;
    }

    function look() external {
        seen = count;
    }

    // The last one wins: neither order leaves what both leave in the middle of each other.
    function enter(uint256 x) external {
        count = x;
        (bool ok,) = msg.sender.call("");
        require(ok);
        seen = count * 10 + x;
    }

    // The same, but only once for each account.
    function once(uint256 x) external {
        require(last[msg.sender] != x, "again");
        last[msg.sender] = x;
        count = x;
        (bool ok,) = msg.sender.call("");
        require(ok);
        seen = count * 10 + x;
    }
}

// Enters Steps from its constructor.
contract Maker {
    Steps private immutable steps;
    uint256 public made;

    constructor(Steps s) {
        steps = s;
    }

    function make(uint256 x) external {
        made = x;
        (bool ok,) = msg.sender.call("");
        require(ok);
        made = made * 10 + x;
    }
}
