// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Somebody who may do more than others.
abstract contract Owned {
    address public owner = msg.sender;

    error NotOwner(address caller);

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        _;
    }

    function hand(address to) external onlyOwner {
        owner = to;
    }
}
