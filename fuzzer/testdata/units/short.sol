// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Coin {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;

    constructor() {
        balanceOf[msg.sender] = 1e24;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

// Till: what is given back stays in the books.
contract Till {
    Coin private immutable coin;
    mapping(address => uint256) public paid;
    mapping(address => uint256) public paidCoins;
    uint256 public visits;

    constructor(Coin coin_) {
        coin = coin_;
    }

    function visit() external {
        visits++;
    }

    function pay() external payable {
        paid[msg.sender] += msg.value;
    }

    function giveBack(uint256 amount) external {
        require(amount <= paid[msg.sender], "too much");
        payable(msg.sender).transfer(amount);
    }

    function close() external {
        uint256 amount = paid[msg.sender];
        paid[msg.sender] = 0;
        payable(msg.sender).transfer(amount);
    }

    function closeWatchfully() external {
        require(address(this).balance >= paid[msg.sender], "till is short");
        payable(msg.sender).transfer(paid[msg.sender]);
        paid[msg.sender] = 0;
    }

    function closeCoinsWatchfully() external {
        require(coin.balanceOf(address(this)) >= paidCoins[msg.sender], "till is short");
        coin.transfer(msg.sender, paidCoins[msg.sender]);
        paidCoins[msg.sender] = 0;
    }

    function closeWhenFull() external {
        require(coin.balanceOf(address(this)) >= 1, "nothing here");
        require(paidCoins[msg.sender] < 3, "not yet");
        coin.transfer(msg.sender, paidCoins[msg.sender]);
    }

    function payCoins(uint256 amount) external {
        coin.transferFrom(msg.sender, address(this), amount);
        paidCoins[msg.sender] += amount;
    }

    function giveCoinsBack(uint256 amount) external {
        require(amount <= paidCoins[msg.sender], "too much");
        coin.transfer(msg.sender, amount);
    }

    function closeCoins() external {
        coin.transfer(msg.sender, paidCoins[msg.sender]);
        paidCoins[msg.sender] = 0;
    }

    function wish(uint256 amount) external {
        payable(msg.sender).transfer(amount);
    }
}
