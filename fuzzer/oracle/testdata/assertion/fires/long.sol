// solc: 0.8.30 0.7.6 0.4.26
// run: check(600)
// SPDX-License-Identifier: MIT
pragma solidity >=0.4.22;

// What fails lies behind more instructions than a frame's comparisons are kept for.
contract Long {
    uint256 total;

    function check(uint256 n) public {
        for (uint256 i = 0; i < n; i++) {
            total += i % 3;
        }
        assert(total == 0); // want assert fails
    }
}
