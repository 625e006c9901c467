// compile: 0.8.30 0.8.30-ir 0.8.30-shipped
pragma solidity ^0.8.0;

uint256 constant NOTHING = 7;

function free(uint256 a) pure returns (uint256) {
    return a * 2;
}

library Sums {
    function twice(uint256 a) internal pure returns (uint256) {
        return a * 3;
    }
}

// No contract that can be deployed inherits it.
abstract contract Orphan {
    uint256 public kept = 4;
    uint256 constant UNUSED = 5;

    constructor() {
        kept = 6;
    }

    modifier guarded() {
        require(kept > 7, "low");
        _;
    }

    function spend(uint256 a) external guarded {
        kept = a;
    }

    function hidden(uint256 a) internal {
        kept = a;
    }

    function open(uint256 a) external virtual;

    function empty() external {}
}

contract Used {
    uint256 public total = 8;
    uint256 constant LIMIT = 9;
    uint256 immutable start;

    constructor(uint256 from) {
        start = from;
    }

    modifier limited(uint256 a) {
        require(a < LIMIT, "too much");
        _;
    }

    modifier idle() {
        require(total > 1, "low");
        _;
    }

    function spend(uint256 a) external limited(a) returns (uint256) {
        require(a > 1, "same");
        require(a > 2, "same");
        if (a == 3) {
            return total;
        }
        while (a < 8) {
            a++;
            if (a == 5) continue;
            if (a == 6) break;
        }
        assembly {
            if gt(a, 7) {
                a := 7
            }
        }
        total = a + start;
        return total;
    }

    function later(uint256 a) private {
        total = a;
    }

    receive() external payable {}
}
