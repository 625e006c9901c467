// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A contract with an owner
abstract contract Ownable {
    address public owner;

    event OwnershipTransferred(address indexed from, address indexed to);

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    constructor(address owner_) {
        require(owner_ != address(0), "owner is the zero address");
        owner = owner_;
    }

    function transferOwnership(address to) external onlyOwner {
        require(to != address(0), "owner is the zero address");
        emit OwnershipTransferred(owner, to);
        owner = to;
    }
}
