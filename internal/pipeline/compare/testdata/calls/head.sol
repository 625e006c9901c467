// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// The same functions as the head has them.

interface Sink {
    function poke() external;
}

contract Parent {
    uint256 public sum;

    function inherited(uint256 b, uint128 a) external {
        sum = a * 3 + b;
    }
}

contract Calls is Parent {
    struct Order {
        uint256 amount;
        address to;
        uint256[2] parts;
    }

    uint256 public total;
    uint256 public last;

    function same(uint256 a, uint256 b) external {
        total = a + b;
    }

    function swapped(uint256 amount, address to) external {
        total = amount + uint160(to);
    }

    function resized(uint256 amount, int256 delta) external {
        total = amount + uint256(delta);
    }

    function unnamed(bool, uint256, uint256) external {
        total = 4;
    }

    function shorter(uint256 b, uint256 a) external {
        total = a * 5;
    }

    function longer(uint256 c, uint256 a) external {
        total = a * 6 + c;
    }

    function flat(Order calldata order) external {
        total = order.amount * 7 + uint160(order.to) + order.parts[0];
    }

    function packed(uint256 amount, address to, uint256[2] calldata parts) external {
        total = amount * 8 + uint160(to) + parts[1];
    }

    function latter(uint256 b, uint256 a) external {
        total = a * 9 + b;
        last = b;
    }

    function over(uint128 a) external {
        total = a * 10;
        last = 10;
    }

    function over(uint256 b, uint128 a) external {
        total = a * 11 + b;
        last = 11;
    }

    function typed(bytes calldata b, string calldata a) external {
        total = bytes(a).length + b.length;
    }

    function swap(uint128 second, uint256 first) external {
        total = first * 12 + second;
    }

    function call(Sink sink) external {
        sink.poke();
    }

    function fresh(uint256 a) external {
        total = a * 20 - 7;
    }

    fallback() external payable {
        total = 1;
    }

    receive() external payable {
        total = 2;
    }
}

contract Fresh {
    uint256 public total;

    function set(uint256 x) external {
        total = x;
    }
}
