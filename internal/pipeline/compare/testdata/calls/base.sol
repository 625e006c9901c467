// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// Functions whose calls TestCarried makes on the base, as that has them.

interface Sink {
    function poke() external;
}

contract Parent {
    uint256 public sum;

    function inherited(uint256 a, uint256 b) external {
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

    function swapped(address to, uint256 amount) external {
        total = amount + uint160(to);
    }

    function resized(uint128 amount, int64 delta) external {
        total = amount + uint64(delta);
    }

    function unnamed(uint256, bool, uint256) external {
        total = 4;
    }

    function shorter(uint256 a) external {
        total = a * 5;
    }

    function longer(uint256 a, bytes32 b, uint256 c) external {
        total = a * 6 + c + uint256(b);
    }

    function flat(uint256 amount, address to, uint256[2] calldata parts) external {
        total = amount * 7 + uint160(to) + parts[0];
    }

    function packed(Order calldata order) external {
        total = order.amount * 8 + uint160(order.to) + order.parts[1];
    }

    function former(uint256 a, uint256 b) external {
        total = a * 9 + b;
        last = b;
    }

    function over(uint256 a) external {
        total = a * 10;
        last = 10;
    }

    function over(uint256 a, uint256 b) external {
        total = a * 11 + b;
        last = 11;
    }

    function typed(string calldata a, bytes calldata b) external {
        total = bytes(a).length + b.length;
    }

    function swap(uint256 first, uint256 second) external {
        total = first * 12 + second;
    }

    function call(Sink sink) external {
        sink.poke();
    }

    fallback() external payable {
        total = 1;
    }
}
