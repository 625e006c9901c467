// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title Fees in basis points
library FeeMath {
    uint256 internal constant BPS = 10_000;

    /// @return The fee on an amount, rounded up.
    function feeOf(uint256 amount, uint256 bps) internal pure returns (uint256) {
        return (amount * bps + BPS - 1) / BPS;
    }

    /// @return What is left of an amount without the fee.
    function netOf(uint256 amount, uint256 bps) internal pure returns (uint256) {
        return amount - (amount * bps) / BPS;
    }
}
