// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @notice What forge asks an invariant test for: whom to call, and as whom.
abstract contract Targets {
    address[] private contracts;
    address[] private senders;

    function target(address account) internal {
        contracts.push(account);
    }

    function sender(address account) internal {
        senders.push(account);
    }

    function targetContracts() public view returns (address[] memory) {
        return contracts;
    }

    function targetSenders() public view returns (address[] memory) {
        return senders;
    }

    /// @dev Holds always: what breaks is an assert in the contract under test.
    function invariant_noAssertFails() public view {}
}
