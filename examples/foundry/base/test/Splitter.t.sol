// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Splitter} from "../src/Splitter.sol";

contract SplitterTest {
    function test_paysByShares() external payable {
        Splitter splitter = new Splitter();
        splitter.setShares(address(1), 1);
        splitter.setShares(address(2), 3);
        payable(address(splitter)).transfer(4);
        assert(splitter.due(address(1)) == 1);
        assert(splitter.due(address(2)) == 3);
    }
}
