// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface ITaker {
    function onTaken(uint256 amount) external;
}

/// @title Whoever takes something out is told
contract Purse {
    mapping(address => uint256) held;

    function give(address to, uint256 amount) external {
        held[to] += amount;
    }

    function take(uint256 amount) external {
        require(held[msg.sender] >= amount, "too little");
        held[msg.sender] -= amount;
        if (msg.sender.code.length > 0) ITaker(msg.sender).onTaken(amount);
    }
}
