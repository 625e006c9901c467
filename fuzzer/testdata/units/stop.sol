// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

contract Stop {
    mapping(address => uint256) public collateral;
    uint256 public debt;

    function borrow(uint256 amount) external {
        if (amount > 5) {
            debt += 1; // reached
        }
        require(collateral[msg.sender] >= 1e18, "low");
        debt += amount; // target
    }

    function repay() external {
        debt = 0;
    }
}
