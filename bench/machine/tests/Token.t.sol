// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Token} from "../src/Token.sol";

/// @notice What forge asks an invariant test for: whom to call, and as whom.
contract Calls {
    address[] private contracts;
    address[] private senders;

    function setUp() public {
        contracts.push(address(new Token()));
        for (uint160 i = 1; i <= 4; i++) {
            senders.push(address(0xa0 + i));
        }
    }

    function targetContracts() public view returns (address[] memory) {
        return contracts;
    }

    function targetSenders() public view returns (address[] memory) {
        return senders;
    }

    /// @dev Holds always: this is about how many calls there are.
    function invariant_holds() public view {}
}
