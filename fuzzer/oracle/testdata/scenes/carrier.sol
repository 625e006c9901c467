// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// Calls that the input chooses, by contracts that have nothing from the start, are sent something, or are given something.
contract Coin {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    function mint(uint256 amount) external {
        require(msg.sender == tx.origin, "no contracts");
        totalSupply += amount;
        balanceOf[msg.sender] += amount;
    }

    // Whoever sends the transaction pays the caller.
    function pay(uint256 amount) external {
        balanceOf[tx.origin] -= amount;
        balanceOf[msg.sender] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

// Takes coins of whoever calls, and makes any call.
contract Carrier {
    Coin private immutable coin;

    constructor(Coin c) {
        coin = c;
    }

    function carry(uint256 amount) external {
        coin.transferFrom(msg.sender, address(this), amount);
    }

    function run(address target, bytes calldata data) external {
        (bool ok,) = target.call(data);
        require(ok, "failed");
    }
}

// Makes any call, and has no use for coins.
contract Caller {
    function run(address target, bytes calldata data) external {
        (bool ok,) = target.call(data);
        require(ok, "failed");
    }
}

// Is paid, has no use for allowances, and makes any call.
contract Taker {
    Coin private immutable coin;

    constructor(Coin c) {
        coin = c;
    }

    function take(uint256 amount) external {
        coin.pay(amount);
    }

    function run(address target, bytes calldata data) external {
        (bool ok,) = target.call(data);
        require(ok, "failed");
    }
}

// Gives its own coins to whoever asks, and makes any call.
contract Giver {
    Coin private immutable coin;

    constructor(Coin c) {
        coin = c;
    }

    function take(uint256 amount) external {
        coin.transferFrom(msg.sender, address(this), amount);
    }

    function run(address target, bytes calldata data) external {
        uint256 mine = coin.balanceOf(address(this));
        if (mine > 0) coin.transfer(msg.sender, mine);
        (bool ok,) = target.call(data);
        require(ok, "failed");
    }
}
