// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import {Guard} from "./Numbers.sol";

// Guards on what is not a number: arrays, byte strings, addresses, value, time,
// and what earlier calls left behind.

contract ArrayLength is Guard {
    function f(uint256[] calldata list) external {
        if (list.length == 13) emit Solved();
    }
}

contract ArrayElement is Guard {
    function f(uint256[] calldata list) external {
        unchecked {
            if (list.length > 3 && list[3] * 2 + 1 == 0x13579bdf02468ace1) emit Solved();
        }
    }
}

contract ArraySum is Guard {
    function f(uint64[] calldata list) external {
        uint256 sum;
        for (uint256 i = 0; i < list.length; i++) sum += list[i];
        if (list.length > 1 && sum == 299792458123) emit Solved();
    }
}

contract BytesLength is Guard {
    function f(bytes calldata data) external {
        if (data.length == 37) emit Solved();
    }
}

contract BytesContent is Guard {
    function f(bytes calldata data) external {
        if (data.length > 6 && data[5] == 0x42 && data[6] == 0x99) emit Solved();
    }
}

contract Decoded is Guard {
    function f(bytes calldata data) external {
        if (data.length == 64) {
            (uint256 a, address b) = abi.decode(data, (uint256, address));
            if (a == 0xdecafbad && b == address(uint160(1208925819614629174706176123456789))) emit Solved();
        }
    }
}

contract TextByHash is Guard {
    function f(string calldata text) external {
        if (keccak256(bytes(text)) == keccak256("open sesame")) emit Solved();
    }
}

contract Account is Guard {
    function f(address who) external {
        if (who == address(uint160(1208925819614629174706176987654321))) emit Solved();
    }
}

contract Nested is Guard {
    struct Leg {
        uint64 amount;
        int32 tick;
    }

    struct Order {
        address maker;
        Leg[] legs;
        bytes4 kind;
    }

    function f(Order calldata order) external {
        if (order.legs.length == 2 && order.legs[1].tick == -887220 && order.legs[0].amount == 3 * uint256(order.legs[1].amount) + 1e9) {
            emit Solved();
        }
    }
}

contract Value is Guard {
    function f() external payable {
        if (msg.value == 3 ether + 7) emit Solved();
    }
}

contract ValueOfArgument is Guard {
    function f(uint256 a) external payable {
        if (msg.value * 3 == a + 5 && a > 1 gwei) emit Solved();
    }
}

contract Time is Guard {
    uint256 private immutable start = block.timestamp;

    function f() external {
        if (block.timestamp >= start + 30 days && block.timestamp < start + 30 days + 60) emit Solved();
    }
}

contract TimeOfDay is Guard {
    function f() external {
        if (block.timestamp % 1 days == 12 hours + 34 minutes) emit Solved();
    }
}

contract BlockNumber is Guard {
    function f() external {
        if (block.number % 1024 == 77) emit Solved();
    }
}

contract Waiting is Guard {
    uint256 private since;

    function begin() external {
        since = block.number;
    }

    function f() external {
        if (since != 0 && block.number == since + 4321) emit Solved();
    }
}

contract Stored is Guard {
    uint256 private stored;

    function set(uint256 x) external {
        stored = x;
    }

    function f(uint256 a) external {
        unchecked {
            if (stored > 1e6 && stored * 5 + 1 == a * 3 && a > stored) emit Solved();
        }
    }
}

contract StoredFirst is Guard {
    uint256 private stored;

    function set(uint256 x) external {
        unchecked {
            stored = x * 7;
        }
    }

    function f() external {
        if (stored == 7 * 271828182845904523536) emit Solved();
    }
}

contract Accumulated is Guard {
    uint256 private sum;

    function add(uint64 x) external {
        sum += x;
    }

    function f() external {
        if (sum == 1_000_000_007_000) emit Solved();
    }
}

contract Balance is Guard {
    mapping(address => uint256) private balances;

    function deposit() external payable {
        balances[msg.sender] += msg.value;
    }

    function f(uint256 amount) external {
        if (amount > 1 ether && balances[msg.sender] == amount * 2) emit Solved();
    }
}

contract Commitment is Guard {
    bytes32 private commitment;

    function commit(bytes32 hash) external {
        commitment = hash;
    }

    function f(uint256 secret) external {
        if (keccak256(abi.encode(secret, msg.sender)) == commitment) emit Solved();
    }
}

contract Signature is Guard {
    function f(bytes32 hash, uint8 v, bytes32 r, bytes32 s) external {
        if (ecrecover(hash, v, r, s) != address(0)) emit Solved();
    }
}

contract Lengths is Guard {
    function f(address[] calldata to, uint256[] calldata amounts, bytes[] calldata data) external {
        require(to.length == amounts.length && to.length == data.length, "lengths");
        require(to.length > 0, "empty");
        emit Solved();
    }
}

contract LengthsMore is Guard {
    function f(uint256[] memory ids, uint256[] memory amounts) external {
        require(ids.length == amounts.length, "lengths");
        require(ids.length > 4, "few");
        emit Solved();
    }
}

contract Rounds is Guard {
    uint256 opened;
    uint256 closed;
    mapping(uint256 => uint256) state;

    function open(uint256 fee) external {
        require(fee >= 50 && fee <= 900, "fee");
        state[opened++] = fee;
    }

    function use(uint256 id) external {
        require(state[id] >= 50, "closed");
        state[id] += 1000;
    }

    function close(uint256 id) external {
        require(state[id] >= 1000, "unused");
        state[id] = 0;
        closed++;
        if (closed == 6) emit Solved();
    }
}

// A packet as bridges read them: a version, a kind, how much follows, and an amount in between.
contract Packet is Guard {
    function f(bytes calldata packet) external {
        require(packet.length > 20, "short");
        require(packet[0] == 0x02 && packet[1] == 0x11, "kind");
        require(uint16(bytes2(packet[2:4])) == packet.length - 4, "length");
        if (uint128(bytes16(packet[4:20])) > 1e20) emit Solved();
    }
}
