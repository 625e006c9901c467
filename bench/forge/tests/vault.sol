// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Vault} from "../src/Vault.sol";
import {Targets} from "./Targets.sol";

contract Plain is Targets {
    function setUp() public {
        target(address(new Vault()));
    }
}

/// @notice Calls the vault with ether, which forge by itself does not send, always as the same account.
contract Handler {
    Vault private immutable vault = new Vault();

    constructor() payable {}

    receive() external payable {}

    function deposit(uint256 amount) external {
        vault.deposit{value: amount % 100 ether}();
    }

    function withdraw(uint256 amount) external {
        vault.withdraw(amount);
    }

    function turnFirst(uint64 place) external {
        vault.turnFirst(place);
    }

    function turnSecond(uint64 place) external {
        vault.turnSecond(place);
    }

    function turnThird(uint64 x, uint64 y) external {
        vault.turnThird(x, y);
    }

    function claim() external {
        vault.claim();
    }
}

contract Handled is Targets {
    function setUp() public {
        target(address(new Handler{value: 1_000_000 ether}()));
    }
}

contract Stateless {
    Vault private vault = new Vault();

    receive() external payable {}

    function testFuzz_deposit(uint96 amount) public {
        try vault.deposit{value: amount}() {} catch {}
    }

    function testFuzz_turnFirst(uint64 place) public {
        try vault.turnFirst(place) {} catch {}
    }

    function testFuzz_turnThird(uint64 x, uint64 y) public {
        try vault.turnThird(x, y) {} catch {}
    }
}
