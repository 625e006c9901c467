// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// What is taken out of a locker is paid again when it is closed.
contract Lockers {
    mapping(address => uint256) public locked;
    mapping(address => uint256) public taken;
    mapping(address => uint256) public since;

    function lock() external payable {
        locked[msg.sender] += msg.value;
        since[msg.sender] = block.timestamp;
    }

    function take(uint256 amount) external {
        require(block.timestamp > since[msg.sender], "locked");
        require(taken[msg.sender] + amount <= locked[msg.sender], "too much");
        taken[msg.sender] += amount;
        payable(msg.sender).transfer(amount);
    }

    function close() external {
        require(block.timestamp > since[msg.sender], "locked");
        uint256 amount = locked[msg.sender];
        locked[msg.sender] = 0;
        payable(msg.sender).transfer(amount);
    }
}

// Savings pay interest, out of what others have paid in.
contract Savings {
    mapping(address => uint256) public saved;
    mapping(address => uint256) public since;

    function save() external payable {
        saved[msg.sender] += msg.value;
        since[msg.sender] = block.timestamp;
    }

    function close() external {
        uint256 amount = saved[msg.sender];
        saved[msg.sender] = 0;
        payable(msg.sender).transfer(amount + (amount * (block.timestamp - since[msg.sender])) / (20 * 365 days));
    }
}

// A reward is paid to whoever has anything in it for a day, and is no greater for who has more.
contract Rewards {
    mapping(address => uint256) public saved;
    mapping(address => uint256) public since;
    uint256 public pot;

    function fund() external payable {
        pot += msg.value;
    }

    function save() external payable {
        saved[msg.sender] += msg.value;
        since[msg.sender] = block.timestamp;
    }

    function close() external {
        uint256 amount = saved[msg.sender];
        saved[msg.sender] = 0;
        if (amount > 0 && block.timestamp >= since[msg.sender] + 1 days) {
            amount += pot / 2;
            pot -= pot / 2;
        }
        payable(msg.sender).transfer(amount);
    }
}
