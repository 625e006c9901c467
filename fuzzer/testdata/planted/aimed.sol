// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// An array whose length is taken below zero is all of the storage. Nothing but the place
// that is written to tells a harmless write from one that changes the owner.
contract Shelf {
    address private owner = msg.sender;
    uint256[] private items;
    mapping(uint256 => uint256) private labels;

    function add(uint256 item) external {
        items.push(item);
    }

    function drop() external {
        assembly {
            sstore(items.slot, sub(sload(items.slot), 1))
        }
    }

    function label(uint256 at, uint256 text) external {
        labels[at] = text;
    }

    function change(uint256 at, uint256 item) external {
        items[at] = item; // want arbitrary-write
    }
}
