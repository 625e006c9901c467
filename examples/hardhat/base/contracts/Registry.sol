// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Treasury.sol";
import "./interfaces/IRegistry.sol";

/// Names that are paid for a year at a time.
contract Registry is IRegistry, Treasury {
    uint256 public constant PRICE = 0.01 ether;
    uint256 public constant PERIOD = 365 days;

    struct Entry {
        address owner;
        uint64 expires;
    }

    mapping(bytes32 name => Entry) private entries;

    constructor(address payable beneficiary_) Treasury(beneficiary_) {}

    function register(bytes32 name) external payable {
        require(msg.value >= PRICE, "too little");
        if (ownerOf(name) != address(0)) revert Taken(name);
        uint64 expires = uint64(block.timestamp + PERIOD);
        entries[name] = Entry(msg.sender, expires);
        collect(msg.value);
        emit Registered(name, msg.sender, expires);
    }

    function transfer(bytes32 name, address to) external {
        if (ownerOf(name) != msg.sender) revert NotYours(name);
        entries[name].owner = to;
    }

    function ownerOf(bytes32 name) public view returns (address) {
        Entry storage entry = entries[name];
        return entry.expires > block.timestamp ? entry.owner : address(0);
    }
}
