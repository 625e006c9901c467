// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A position becomes unsafe once the price falls: two states in one order, and the account that another call was made by
contract Unsafe {
    struct Position {
        uint256 collateral;
        uint256 debt;
    }

    uint256 public price = 1e18;
    mapping(address => Position) public positions;
    address public immutable keeper = msg.sender;

    function report(uint256 next) external {
        require(msg.sender == keeper && next > 0);
        price = next;
    }

    function open(uint256 debt) external payable {
        positions[msg.sender].collateral += msg.value;
        positions[msg.sender].debt += debt;
        require(isSafe(msg.sender));
    }

    function isSafe(address user) public view returns (bool) {
        Position storage p = positions[user];
        return (p.collateral * price) / 1e18 * 100 >= p.debt * 150;
    }

    function liquidate(address user) external {
        require(!isSafe(user));
        positions[user].debt = 0; // target reached
    }
}
