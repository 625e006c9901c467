// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import "./Numbers.sol";

// Guards that depend on what other contracts do: numbers are handed on, changed on the way, and answered.

contract Desk {
    uint256 public price;

    function quote(uint256 amount, uint64 fee) external pure returns (uint256) {
        return amount * 3 + fee;
    }

    function settle(uint256 amount, bytes32 memo) external pure {
        require(amount > 1e20 && amount % 1009 == 7, "amount");
        require(uint256(memo) >> 192 == 0x7c3e5a91f00d, "memo");
    }

    function setPrice(uint256 to) external {
        require(to >= 1e6 && to < 1e12, "price");
        price = to;
    }

    function pay() external payable {
        require(msg.value == 123456789, "value");
    }
}

// A proxy: its code hands on whatever it is called with.
contract Relay {
    address private immutable to;

    constructor(address to_) {
        to = to_;
    }

    fallback() external payable {
        address code = to;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), code, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

abstract contract AtDesk is Guard {
    Desk internal desk = new Desk();
}

abstract contract AtRelay is Guard {
    Desk internal desk = Desk(address(new Relay(address(new Desk()))));
}

contract CallQuoted is AtDesk {
    function f(uint128 amount, uint64 fee) external {
        if (desk.quote(amount, fee) == 0x1d1f2a6b4c3e5f708192 && fee % 977 == 5 && fee > 1e9) emit Solved();
    }
}

contract CallQuotedTwice is AtDesk {
    function f(uint128 a, uint128 b) external {
        if (desk.quote(a, 1) == 3 * uint256(0x51f2a6b4c3e5f7081) + 1 && desk.quote(b, 2) == uint256(a) + 1e15 + 2) emit Solved();
    }
}

contract CallSettled is AtDesk {
    function f(uint128 a, uint256 b) external {
        desk.settle(uint256(a) + 5, bytes32(b ^ 0xff));
        emit Solved();
    }
}

contract CallSettledByRelay is AtRelay {
    function f(uint128 a, uint256 b) external {
        desk.settle(uint256(a) + 5, bytes32(b ^ 0xff));
        emit Solved();
    }
}

contract CallCaught is AtRelay {
    function f(uint128 a, uint256 b) external {
        try desk.settle(a, bytes32(b)) {
            if (a < 1e20 + 1e6) emit Solved();
        } catch {}
    }
}

contract CallStored is AtDesk {
    function set(uint64 to) external {
        desk.setPrice(uint256(to) + 1);
    }

    function take(uint64 amount) external {
        if (desk.price() > 1e9 && desk.price() * amount == 99991 * 100000000003) emit Solved();
    }
}

contract CallPaid is AtDesk {
    function f(uint128 share) external payable {
        require(share > 1e18 && share < 2e18, "share");
        desk.pay{value: msg.value - 1000}();
        emit Solved();
    }
}

/// Lock calls back with the bytes that it gets.
contract Lock {
    function unlock(bytes calldata data) external returns (bytes memory) {
        return IUnlocked(msg.sender).unlocked(data);
    }
}

interface IUnlocked {
    function unlocked(bytes calldata data) external returns (bytes memory);
}

/// Orders are encoded as (bytes kinds, bytes[] orders), in the shortest way, and decoded by hand.
library Orders {
    function decode(bytes calldata data) internal pure returns (bytes calldata kinds, bytes[] calldata orders) {
        assembly {
            let wrong := xor(calldataload(data.offset), 0x40)
            kinds.offset := add(data.offset, 0x60)
            kinds.length := and(calldataload(add(data.offset, 0x40)), 0xffffffff)
            let second := add(and(add(kinds.length, 31), 0xffffffe0), 0x60)
            wrong := or(wrong, xor(calldataload(add(data.offset, 0x20)), second))
            let list := add(data.offset, second)
            orders.length := and(calldataload(list), 0xffffffff)
            orders.offset := add(list, 0x20)
            let tail := shl(5, orders.length)
            let expected := tail
            for { let at := 0 } lt(at, tail) { at := add(at, 32) } {
                wrong := or(wrong, xor(calldataload(add(orders.offset, at)), expected))
                let size := and(calldataload(add(orders.offset, expected)), 0xffffffff)
                expected := add(add(expected, 0x20), and(add(size, 31), 0xffffffe0))
            }
            if or(wrong, lt(add(data.length, data.offset), add(orders.offset, expected))) { revert(0, 0) }
        }
    }

    function words(bytes calldata order) internal pure returns (uint256 a, uint256 b) {
        require(order.length >= 64, "short");
        assembly {
            a := calldataload(order.offset)
            b := calldataload(add(order.offset, 0x20))
        }
    }
}

contract CallOrders is Guard {
    function f(bytes calldata data) external {
        (bytes calldata kinds, bytes[] calldata orders) = Orders.decode(data);
        require(kinds.length == orders.length, "lengths");
        if (kinds.length == 1 && kinds[0] == 0x07) emit Solved();
    }
}

contract CallOrdersUnlocked is Guard, IUnlocked {
    Lock private immutable lock = new Lock();

    function f(bytes calldata data) external {
        lock.unlock(data);
    }

    function unlocked(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == address(lock), "lock");
        (bytes calldata kinds, bytes[] calldata orders) = Orders.decode(data);
        require(kinds.length == orders.length, "lengths");
        if (kinds.length == 1 && kinds[0] == 0x07) {
            (uint256 amount, uint256 least) = Orders.words(orders[0]);
            if (amount > 1e18 && least > amount && least - amount < 1000) emit Solved();
        }
        return "";
    }
}
