// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A failure that takes a debt, which takes a deposit of the debtor, and one of another kind before, by which nothing shows
contract Borrowed {
    mapping(address => uint256) public posted;
    mapping(address => uint256) public debt;
    mapping(address => uint256) public supplied;
    uint256 public held;

    function supply(uint256 amount) external {
        supplied[msg.sender] += amount;
        held += amount;
    }

    function post(uint256 amount) external {
        require(amount <= 1e24);
        posted[msg.sender] += amount;
    }

    function borrow(uint256 amount) external {
        debt[msg.sender] += amount;
        require(2 * debt[msg.sender] <= posted[msg.sender], "too much");
        held -= amount;
    }

    function repay(uint256 amount) external {
        debt[msg.sender] -= amount;
        held += amount;
    }

    function withdraw(uint256 amount) external {
        posted[msg.sender] -= amount;
        assert(debt[msg.sender] <= posted[msg.sender]); // want assertion
    }
}
