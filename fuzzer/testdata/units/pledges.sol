// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// What is lent is part of what is pledged.
contract Pledges {
    mapping(address => uint256) public pledged;
    mapping(address => uint256) public owed;

    function pledge() external payable { pledged[msg.sender] += msg.value; }
    function borrow(uint256 amount) external payable {
        pledged[msg.sender] += msg.value;
        owed[msg.sender] += amount;
        require(owed[msg.sender] * 2 <= pledged[msg.sender], "too much");
        payable(msg.sender).transfer(amount);
    }
    function trade(uint256 amount) external payable {
        owed[msg.sender] += amount;
        payable(msg.sender).transfer(2 * amount);
    }
    function visit(address who) external payable { require(who == address(this), "nobody"); }
}
