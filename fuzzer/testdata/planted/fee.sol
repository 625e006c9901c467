// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A failure that takes two states made by two functions, and zero passes all checks on the way
contract Fee {
    mapping(address => uint256) public balanceOf;
    uint256 public feeBps;
    uint256 public burned;
    address public immutable owner = msg.sender;

    function setFee(uint256 bps) external {
        require(msg.sender == owner && bps <= 1_000);
        feeBps = bps;
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == owner && amount <= 1e24);
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external {
        uint256 fee = (amount * feeBps + 9_999) / 10_000;
        uint256 net = amount - (amount * feeBps) / 10_000;
        require(balanceOf[msg.sender] >= net);
        balanceOf[msg.sender] -= net;
        balanceOf[to] += net;
        if (fee > 0) {
            require(balanceOf[msg.sender] >= fee);
            balanceOf[msg.sender] -= fee;
            burned += fee;
        }
        assert(net + fee == amount); // want assertion
    }
}
