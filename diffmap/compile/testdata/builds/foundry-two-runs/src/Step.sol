// SPDX-License-Identifier: MIT
pragma solidity >=0.5.0;

library Step {
    function next(uint256 a, uint256 b) public pure returns (uint256) {
        if (b > 9) return a;
        return a + b;
    }
}
