// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// Checks that only looking at what was compared can solve.
contract Magic {
    uint256 public x;
    constructor(uint256 a, int64 b, uint32 c) {
        require(a == 123456789012345678901234567890, "a");
        require(b < -77, "b");
        require(c > 4000 && c < 4010, "c");
        x = a;
    }
}

contract Sale {
    uint256 public closes;
    constructor(uint256 openingTime, uint256 closingTime, uint256 rate, address payable wallet) {
        require(openingTime >= block.timestamp && closingTime > openingTime, "times");
        require(rate > 0 && wallet != address(0), "rate or wallet");
        closes = closingTime;
    }
}

contract Splitter {
    uint256 public total;
    constructor(address[] memory payees, uint256[] memory shares) payable {
        require(payees.length == shares.length && payees.length > 1, "lengths");
        for (uint256 i = 0; i < payees.length; i++) {
            require(payees[i] != address(0) && shares[i] > 0, "share");
            for (uint256 j = 0; j < i; j++) require(payees[i] != payees[j], "twice");
            total += shares[i];
        }
    }
}

contract Multisig {
    uint256 public required;
    constructor(address[] memory owners, uint256 required_) {
        require(required_ <= owners.length && required_ > 0);
        required = required_;
    }
}

contract Funded {
    constructor() payable { require(msg.value > 0, "send something"); }
}

contract Configured {
    struct Fees { uint16 bps; address receiver; }
    struct Config { string name; Fees fees; bytes32[2] roots; bool open; }
    Fees public fees;
    constructor(Config memory config, bytes memory extra) {
        require(config.fees.bps <= 10000 && config.fees.receiver != address(0) && extra.length < 64);
        fees = config.fees;
    }
}

contract Impossible {
    error NotToday(uint256 today, address who);
    constructor(uint256 day) { if (day != 0 || day == 0) revert NotToday(day, msg.sender); }
}

contract Endless {
    constructor(uint256 n) { while (true) n++; }
}
