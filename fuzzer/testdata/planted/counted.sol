// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// Nothing but 42 calls of one function leads to the assertion, and one more leads past it.
contract Counted {
    uint256 private count;

    function step() external {
        unchecked {
            count++;
        }
    }

    function check() external view {
        assert(count != 42); // want assertion
    }
}
