// compile: 0.8.30
pragma solidity ^0.8.0;

interface Ping {
    function ping(uint a) external;
}

contract Mark {
    event Done(uint what);
}

contract Start {
    uint first;

    constructor(uint f) {
        first = f;
    }
}

contract Edited is Start(11), Mark {
    struct Pair {
        uint left;
        uint right;
    }

    uint constant FACTOR = 3;
    uint constant UNUSED = 3;
    uint public s = 5;
    uint total;
    uint last;

    modifier limited(uint n) {
        require(n < 100);
        _;
        last = 2;
    }

    function choose(uint a, uint b) external limited(a + 1) returns (uint y) {
        y = a + b;
        if (y == 3) s = 4;
        if (
            a < 9
            && b < 9
        ) {
            s = 6;
            total = 6;
        }
        y = a > b
            ? a - b
            : b - a;
        require(
            y < 1000,
            "too large"
        );
        s = max(
            a,
                b
        );
        keep(Pair({
            left: a,
            right: b
        }));
        y = (a + b) * 3;
        y = a - b * 2;
        s = 7 + a;
        if (y == 8) {
            s = 8;
        }
        s += a;
        total = 1;
        total = 2;
        last = 9;
    }

    function set(uint v) public returns (uint r) {
        uint other = v;
        for (uint i = 0; i < 5; i++) {
            other += i;
        }
        emit Done(v); // a comment
        assembly {
            let q := add(v, 1)
            if gt(q, 3) {
                r := 7
            }
        }
        s = other;
    }

    function max(uint a, uint b) internal pure returns (uint) {
        return a > b ? a : b;
    }

    function keep(Pair memory p) internal {
        total = p.left + p.right;
    }

    function twin1(uint a) external {
        s = a + FACTOR;
    }

    function twin2(uint a) external {
        s = a + FACTOR;
    }

    function gone() external {
        s = 0;
    }

    function hidden() internal pure returns (uint) {
        return 99;
    }
}
