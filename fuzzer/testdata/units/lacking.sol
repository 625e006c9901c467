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

// Cents: there are fewer than the stake of an attack.
contract Cents is Coin {
    constructor() {
        balanceOf[msg.sender] = 16e8;
    }
}

contract Box {
    Coin private immutable coin;
    Cents private immutable cents;
    mapping(address => uint256) public put;

    constructor(Coin coin_, Cents cents_) {
        coin = coin_;
        cents = cents_;
    }

    function putCoins(uint256 amount) external {
        coin.transferFrom(msg.sender, address(this), amount);
        put[msg.sender] += amount;
    }

    function putCents(uint256 amount) external {
        cents.transferFrom(msg.sender, address(this), amount);
        put[msg.sender] += amount;
    }

    function hold() external {
        require(coin.balanceOf(msg.sender) > 0, "has none");
        put[msg.sender]++;
    }

    function open() external {
        require(put[msg.sender] > 0, "nothing");
        put[msg.sender] = 0;
    }
}

// Shop: some of the numbers that its functions take are paid.
contract Shop {
    Coin private immutable coin;
    uint256 public kept;

    constructor(Coin coin_) {
        coin = coin_;
    }

    function buy(uint256 what, uint256 price) external {
        kept = what;
        coin.transferFrom(msg.sender, address(this), price);
    }

    function fill() external payable {}

    function take(uint256 amount) external {
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok, "not paid");
    }

    function each(uint256[] calldata prices) external {
        for (uint256 i = 0; i < prices.length; i++) {
            coin.transferFrom(msg.sender, address(this), prices[i]);
        }
    }

    function keep(uint256 number) external payable {
        kept = number;
    }
}
