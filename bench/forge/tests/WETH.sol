// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {WETH} from "../src/tokens/WETH.sol";
import {Targets} from "./Targets.sol";

/// @notice Calls the token with ether, which forge by itself does not send, always as the same account.
contract Handler {
    WETH private immutable weth = new WETH();

    constructor() payable {}

    receive() external payable {}

    function deposit(uint256 amount) external {
        weth.deposit{value: amount % 100 ether}();
    }

    function withdraw(uint256 amount) external {
        weth.withdraw(amount);
    }

    function transfer(address to, uint256 amount) external {
        weth.transfer(to, amount);
    }

    function approve(address to, uint256 amount) external {
        weth.approve(to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        weth.transferFrom(from, to, amount);
    }
}

contract Handled is Targets {
    function setUp() public {
        target(address(new Handler{value: 1_000_000 ether}()));
    }
}

contract Stateless {
    WETH private weth = new WETH();

    receive() external payable {}

    function testFuzz_deposit(uint96 amount) public {
        try weth.deposit{value: amount}() {} catch {}
    }

    function testFuzz_transfer(address to, uint256 amount) public {
        try weth.transfer(to, amount) {} catch {}
    }

    function testFuzz_approve(address to, uint256 amount) public {
        try weth.approve(to, amount) {} catch {}
    }
}
