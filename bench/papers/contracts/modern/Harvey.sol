// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

// In the manner of Harvey's Figures 1 and 2 (FSE'20).

// Five ways through, one of them behind an equality that only counts where a sum is
// small although one of its summands is not.
contract Tariff {
    function class(int256 code, int256 base, int256 extra) external pure returns (uint256) {
        unchecked {
            int256 total = base + extra;
            if (total < 1) {
                if (base < 5) return 1;
                if (code == 77) return 2;
                return 3;
            }
            if (extra < 90) return 4;
            return 5;
        }
    }
}

// What check waits for takes three calls.
contract Relay {
    uint256 private pending;
    uint256 private current;

    function propose(uint256 value) external {
        pending = value;
    }

    function step() external {
        unchecked {
            current++;
        }
    }

    function adopt() external {
        current = pending;
    }

    function check() external view {
        assert(current != 77);
    }
}

// The same where nothing but 42 calls of one function leads there.
contract Counter {
    uint256 private current;

    function step() external {
        unchecked {
            current++;
        }
    }

    function check() external view {
        assert(current != 42);
    }
}

// The same where a value has to be set and then handed on five times.
contract Ladder {
    uint256 private a;
    uint256 private b;
    uint256 private c;
    uint256 private d;
    uint256 private e;
    uint256 private f;

    function enter(uint256 value) external {
        a = value;
    }

    function first() external {
        b = a;
    }

    function second() external {
        c = b;
    }

    function third() external {
        d = c;
    }

    function fourth() external {
        e = d;
    }

    function fifth() external {
        f = e;
    }

    function check() external view {
        assert(f != 0xb0a710ad);
    }
}
