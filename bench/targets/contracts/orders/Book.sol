// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

/// @title An order book in two internal balances
contract Book {
    struct Order {
        address maker;
        uint96 price; // quote for one base
        uint128 amount; // of base
        bool buy;
        uint64 expiry;
    }

    mapping(address => uint256) public base;
    mapping(address => uint256) public quote;
    Order[] public orders;
    uint256 public volume;
    uint256 public trades;
    bool public halted;
    uint96 public last;

    function faucet() external {
        require(base[msg.sender] == 0 && quote[msg.sender] == 0, "rich");
        base[msg.sender] = 1_000_000;
        quote[msg.sender] = 1_000_000;
    }

    function place(bool buy, uint96 price, uint128 amount, uint64 life) external {
        require(!halted, "halted");
        require(price > 0 && amount > 0, "empty");
        require(life <= 7 days, "life");
        uint128 left = fill(buy, price, amount);
        if (left == 0) {
            return;
        }
        if (buy) {
            require(quote[msg.sender] >= uint256(left) * price, "quote");
            quote[msg.sender] -= uint256(left) * price;
        } else {
            require(base[msg.sender] >= left, "base");
            base[msg.sender] -= left;
        }
        orders.push(Order(msg.sender, price, left, buy, uint64(block.timestamp) + life));
    }

    function fill(bool buy, uint96 price, uint128 amount) internal returns (uint128 left) {
        left = amount;
        for (uint256 i = 0; i < orders.length && left > 0; i++) {
            Order storage o = orders[i];
            if (o.amount == 0 || o.buy == buy) {
                continue;
            }
            if (o.expiry < block.timestamp) {
                release(o);
                continue;
            }
            if (buy ? o.price > price : o.price < price) {
                continue;
            }
            if (o.maker == msg.sender) {
                release(o); // no trades with oneself
                continue;
            }
            uint128 traded = o.amount < left ? o.amount : left;
            uint256 cost = uint256(traded) * o.price;
            if (buy) {
                require(quote[msg.sender] >= cost, "quote");
                quote[msg.sender] -= cost;
                base[msg.sender] += traded;
                quote[o.maker] += cost;
            } else {
                require(base[msg.sender] >= traded, "base");
                base[msg.sender] -= traded;
                quote[msg.sender] += cost;
                base[o.maker] += traded;
            }
            o.amount -= traded;
            left -= traded;
            volume += cost;
            trades++;
            check(o.price);
        }
    }

    function check(uint96 price) internal {
        if (last != 0 && trades > 2 && (price > 4 * uint256(last) || 4 * uint256(price) < last)) {
            halted = true; // a price that jumps stops the book
        }
        last = price;
    }

    function release(Order storage o) internal {
        if (o.buy) {
            quote[o.maker] += uint256(o.amount) * o.price;
        } else {
            base[o.maker] += o.amount;
        }
        o.amount = 0;
    }

    function cancel(uint256 id) external {
        Order storage o = orders[id];
        require(o.maker == msg.sender, "maker");
        require(o.amount > 0, "gone");
        release(o);
    }

    function compact() external {
        uint256 kept = 0;
        for (uint256 i = 0; i < orders.length; i++) {
            if (orders[i].amount > 0) {
                if (kept != i) {
                    orders[kept] = orders[i];
                }
                kept++;
            }
        }
        uint256 dropped = orders.length - kept;
        require(dropped > 0, "compact");
        while (orders.length > kept) {
            orders.pop();
        }
        if (dropped > 2) {
            volume += dropped;
        }
    }

    function resume() external {
        require(halted, "running");
        require(quote[msg.sender] > 1_000_500, "only winners");
        halted = false;
        trades = 0;
    }
}
