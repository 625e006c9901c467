// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

// In the manner of MuFuzz's Figures 1 and 4 (ICDE'24).

// One contribution fills the goal, and only the next one ends the round.
contract Fundraiser {
    event Paid();

    uint256 private constant GOAL = 100 ether;

    address payable private immutable organizer;
    bool private ended;
    uint256 private raised;
    mapping(address => uint256) private given;

    constructor() {
        organizer = payable(msg.sender);
    }

    function give(uint256 amount) external payable {
        if (raised < GOAL) {
            given[msg.sender] += amount;
            raised += amount;
            ended = false;
        } else {
            ended = true;
        }
    }

    function takeBack() external {
        if (!ended) {
            uint256 amount = given[msg.sender];
            given[msg.sender] = 0;
            payable(msg.sender).transfer(amount);
        }
    }

    function payOut() external {
        if (ended) {
            emit Paid();
            organizer.transfer(address(this).balance);
        }
    }
}

// What is won depends on conditions within a condition on the payment.
contract Raffle {
    event Even();
    event Odd();

    mapping(address => uint256) private won;

    function draw(uint256 number) external payable {
        uint256 bound = uint256(keccak256(abi.encodePacked(block.timestamp))) % 150;
        require(msg.value == 66e15);
        if (number < bound) {
            if (number % 2 == 0) {
                won[msg.sender] += msg.value * 10;
                emit Even();
            } else {
                won[msg.sender] += msg.value * 5;
                emit Odd();
            }
        }
    }
}
