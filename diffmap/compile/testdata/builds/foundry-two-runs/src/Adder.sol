// SPDX-License-Identifier: MIT
pragma solidity >=0.5.0;

import "./Step.sol";

contract Adder {
    function twice(uint256 a) public pure returns (uint256) {
        return Step.next(a, a);
    }
}
