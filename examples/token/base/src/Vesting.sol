// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title Linear vesting
/// @dev Deployed on its own and called with DELEGATECALL, since `release` is external.
library Vesting {
    struct Grant {
        uint256 total;
        uint256 released;
        uint256 start;
        uint256 duration;
    }

    /// @notice Marks what has vested since the last release as released.
    function release(Grant storage grant, uint256 time) external returns (uint256 amount) {
        amount = vested(grant, time) - grant.released;
        require(amount > 0, "nothing to release");
        grant.released += amount;
    }

    function vested(Grant storage grant, uint256 time) internal view returns (uint256) {
        if (time >= grant.start + grant.duration) {
            return grant.total;
        }
        return (grant.total * (time - grant.start)) / grant.duration;
    }
}
