// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Steps that are found one after the other, each with a key that nothing tells but trying
contract Stairs {
    uint256 step;

    function fits(uint256 key) internal view returns (bool) {
        return uint256(keccak256(abi.encode(key, step))) % 128 == 0;
    }

    function first(uint256 key) external {
        require(step == 0 && fits(key));
        step = 1;
    }

    function second(uint256 key) external {
        require(step == 1 && fits(key));
        step = 2;
    }

    function third(uint256 key) external {
        require(step == 2 && fits(key));
        step = 3;
    }

    function top(uint256 key) external {
        require(step == 3 && fits(key));
        step = 4; // target
    }
}
