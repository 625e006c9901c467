// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Crowdsale} from "../src/Crowdsale.sol";
import {Targets} from "./Targets.sol";

contract Plain is Targets {
    function setUp() public {
        target(address(new Crowdsale()));
    }
}

/// @notice Calls the sale with ether, which forge by itself does not send. It is the beneficiary, too.
contract Handler {
    Crowdsale private immutable sale = new Crowdsale();

    constructor() payable {}

    receive() external payable {}

    function invest(uint256 amount) external {
        sale.invest{value: amount % 100 ether}();
    }

    function cancel() external {
        sale.cancel();
    }

    function withdraw() external {
        sale.withdraw();
    }

    function reclaim() external {
        sale.reclaim();
    }

    function refund() external {
        sale.refund();
    }
}

contract Handled is Targets {
    function setUp() public {
        target(address(new Handler{value: 1_000_000 ether}()));
    }
}

contract Stateless {
    Crowdsale private sale = new Crowdsale();

    receive() external payable {}

    function testFuzz_invest(uint96 amount) public {
        try sale.invest{value: amount}() {} catch {}
    }

    function testFuzz_withdraw(uint96) public {
        try sale.withdraw() {} catch {}
    }

    function testFuzz_reclaim(uint96) public {
        try sale.reclaim() {} catch {}
    }
}
