// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {PaymentSplitter} from "../src/finance/PaymentSplitter.sol";
import {Targets} from "./Targets.sol";

library Splitters {
    function make() internal returns (PaymentSplitter) {
        address[] memory payees = new address[](3);
        uint256[] memory shares = new uint256[](3);
        for (uint160 i = 0; i < 3; i++) {
            payees[i] = address(0xa1 + i);
            shares[i] = 1 + i;
        }
        return new PaymentSplitter(payees, shares);
    }
}

/// @notice Pays in, which forge by itself does not.
contract Handler {
    PaymentSplitter private immutable splitter = Splitters.make();

    constructor() payable {}

    function pay(uint256 amount) external {
        payable(address(splitter)).transfer(amount % 100 ether);
    }

    function release(uint256 payee) external {
        splitter.release(payable(splitter.payee(payee % 3)));
    }

    function releaseTo(address payable account) external {
        splitter.release(account);
    }
}

contract Handled is Targets {
    function setUp() public {
        target(address(new Handler{value: 1_000_000 ether}()));
    }
}

contract Stateless {
    PaymentSplitter private splitter = Splitters.make();

    function testFuzz_release(address payable account) public {
        try splitter.release(account) {} catch {}
    }

    function testFuzz_pay(uint96 amount) public {
        (bool success, ) = address(splitter).call{value: amount}("");
        success;
    }

    function testFuzz_payee(uint256 place) public view {
        try splitter.payee(place) {} catch {}
    }
}
