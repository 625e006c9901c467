// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// A state that no call leads to: what is behind it is never reached, and nothing breaks.
contract Impossible {
    uint256 private stage = 3;
    uint256 private passed;

    function advance(uint256 by) external {
        require(by < 5, "too far");
        stage = 3 + by;
    }

    function check() external {
        assert(stage != 77);
        if (stage == 78) {
            passed = stage; // target unreached
        }
    }
}
