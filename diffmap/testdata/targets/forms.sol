// SPDX-License-Identifier: MIT
// compile: 0.8.30 0.8.30-ir 0.8.17
pragma solidity ^0.8.4;

interface Token {
    function move(address to, uint amount)
        external
        returns (bool);
}

error TooSmall(uint got);

uint constant LIMIT = 1000;

struct Pair {
    uint left;
    uint right;
}

function double(uint v) pure returns (uint) {
    return v * 2;
}

library Sums {
    function add(uint a, uint b) internal pure returns (uint) {
        return a + b;
    }

    function scaled(Pair memory p, uint k) external pure returns (uint) {
        return p.left * k
            + p.right * k;
    }
}

abstract contract Base {
    uint public start;
    address immutable owner;

    modifier onlyOwner() {
        require(
            msg.sender == owner,
            "not the owner"
        );
        _;
    }

    modifier counted(uint by) {
        uint before = start;
        _;
        if (start == before) {
            start += by;
        }
    }

    constructor(uint from) {
        start = from;
        owner = msg.sender;
    }

    function hook(uint v) internal virtual returns (uint) {
        start = v;
        return v;
    }

    function spare() internal pure returns (uint) {
        return 12;
    }

    function reset() public virtual;
}

contract Forms is Base(5) {
    using Sums for uint;

    event Done(uint indexed what, address who);

    enum Step { First, Second }

    uint constant FEE = 3;
    uint public total = FEE +
        4;
    mapping(address => uint) public balances;
    Pair pair;
    Token immutable token;
    uint plain;

    constructor(Token t) payable {
        token = t;
    }

    receive() external payable {
        balances[msg.sender] += msg.value;
    }

    fallback() external {
        plain = 1;
    }

    function branches(uint a, uint b)
        external
        onlyOwner
        counted(a + 1)
        returns (uint r)
    {
        if (a > 3 && b > 3) {
            r = 1;
        } else if (a == 2) r = 2;
        else {
            r = 3;
        }
        if (
            a < LIMIT &&
            b < LIMIT ||
            a == b
        ) {
            r++;
        }
        r = a > b
            ? a - b
            : b - a;
        return r;
    }

    function loops(uint n) public returns (uint sum) {
        for (
            uint i = 0;
            i < n;
            i++
        ) {
            if (i == 7) continue;
            sum += i;
        }
        while (sum > 100) {
            sum /= 2;
            if (sum == 51) break;
        }
        do {
            sum--;
        } while (
            sum > 50
        );
        unchecked {
            sum += n;
        }
        {
            uint inner = sum;
            sum = inner + 1;
        }
    }

    function calls(uint n) external returns (uint) {
        require(n < 100,
            "too large");
        if (n < 2) revert TooSmall(n);
        if (n < 3)
            revert TooSmall({
                got: n
            });
        emit Done(
            n,
            msg.sender
        );
        pair = Pair({
            left: n,
            right: double(n)
        });
        uint s = n.add(
            4
        );
        s += Sums.scaled(pair, FEE);
        (uint x,
            uint y) = two();
        assert(x != y);
        delete pair;
        s += this.loops{gas: 50000}(
            s
        );
        function (uint) internal returns (uint) f = hook;
        return f(s) + super.hook(x);
    }

    function tries(uint n) external returns (uint) {
        try token.move(
            msg.sender,
            n
        ) returns (bool ok) {
            return ok ? 1 : 0;
        } catch Error(string memory) {
            return 2;
        } catch {
            return 3;
        }
    }

    function lowLevel(uint n) external view returns (uint r) {
        assembly {
            let q := add(n, 1)
            if gt(q, 3) {
                r := q
            }
            switch q
            case 0 { r := 1 }
            default { r := 2 }
            for { let i := 0 } lt(i, 3) { i := add(i, 1) } {
                mstore(
                    i,
                    q
                )
            }
            function helper(v) -> w {
                w := mul(v, 2)
            }
            r := helper(r)
        }
    }

    function two() private pure returns (uint, uint) {
        return (1, 2);
    }

    function hook(uint v) internal override returns (uint) {
        plain = v;
        return v + 1;
    }

    function reset() public override {
        (total, plain) = (0, 0);
        address payable to = payable(msg.sender);
        to.transfer(1);
        new Child(plain);
        bytes memory data = abi.encode(
            total,
            plain
        );
        data;
    }
}

contract Child {
    uint immutable seed;

    constructor(uint s) {
        seed = s;
    }

    function get() external view returns (uint) {
        return seed;
    }
}
