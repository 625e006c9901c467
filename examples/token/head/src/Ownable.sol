// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A contract with an owner
abstract contract Ownable {
    address public owner;
    address public pendingOwner;

    event OwnershipTransferred(address indexed from, address indexed to);

    error NotOwner(address caller);

    modifier onlyOwner() {
        if (msg.sender != owner) {
            revert NotOwner(msg.sender);
        }
        _;
    }

    constructor(address owner_) {
        require(owner_ != address(0), "owner is the zero address");
        owner = owner_;
    }

    /// @notice Names the next owner, who has to accept.
    function transferOwnership(address to) external onlyOwner {
        pendingOwner = to;
    }

    function acceptOwnership() external {
        require(msg.sender == pendingOwner, "not the pending owner");
        emit OwnershipTransferred(owner, msg.sender);
        owner = msg.sender;
        pendingOwner = address(0);
    }
}
