// compile: 0.5.17 0.7.6 0.8.30-ir | 0.4.26 0.6.12 0.8.30
pragma solidity >=0.4.22 <0.9.0;

// Every p(k) logs k when it runs: a line that holds one must be reached exactly
// by the calls that log its number.
contract Points {
    event P(uint k);

    function p(uint k) internal returns (uint) {
        emit P(k);
        return k;
    }

    function yes(uint k) internal returns (bool) {
        emit P(k);
        return true;
    }
}

library Tools {
    event P(uint k);

    function half(uint a) internal returns (uint) {
        emit P(1000); // p(1000)
        return a / 2;
    }
}

contract Parent is Points {
    uint public x;

    modifier guarded(uint a) {
        x = p(1);
        require(
            a != 13 ||
            !yes(2),
            "unlucky");
        _;
        x = p(3);
    }

    modifier wrapped(uint a) {
        if (a > 5) {
            _;
            x = p(5);
        }
    }

    function virt(uint a) internal {
        x = a + p(6);
    }
}

contract Run is Parent {
    using Tools for uint;

    mapping(uint => uint) public m;

    function branches(uint a, uint b) external guarded(a) returns (uint r) {
        if (p(10) + a > 13) {
            r = p(11);
        } else if (p(9) + a == 11)
            r = p(12);
        else {
            r = p(13);
        }
        if (
            a < 10 &&
            yes(14) && b < 10 &&
            yes(15) && (a != b ||
            !yes(16))
        ) {
            r += p(17);
        }
        r = a > b
            ? p(18)
            : p(19);
        if (a == 7) {
            return
                p(20);
        }
        r = r + p(21);
    }

    function loops(uint n) external wrapped(n) returns (uint sum) {
        for (
            uint i = p(30) - 30;
            yes(31) && i < n;
            i += p(32) / 32
        ) {
            if (i == 7) {
                x = p(33); continue;
            }
            sum += p(34);
        }
        while (sum > 100) {
            sum = sum / p(35);
            if (sum < 51)
            { x = p(36); break; }
        }
        uint k = n;
        do {
            if (k == 6) {
                return p(37);
            }
            k--;
        } while (
            k > p(38)
        );
        sum += p(39);
    }

    function calls(uint n) external returns (uint) {
        require(n < p(40) + 60,
            "too large");
        m[
            p(41)
        ] = p(42);
        uint s = two(
            p(43),
            reverts(p(44) + n - 44, 44),
            p(45)
        );
        s += n.half();
        virt(s);
        (uint c,
            uint d) = (p(46),
            p(47));
        return c + d + p(48);
    }

    function two(uint a, uint b, uint c) internal returns (uint) {
        return a
            + b
            + c + p(49);
    }

    function reverts(uint n, uint k) internal returns (uint) {
        if (n == 9) {
            x = p(50);
            revert("nine");
        }
        return k;
    }

    function same1(uint a) external {
        if (a == 1) {
            x = p(60);
        }
        if (a == 2) {
            x = p(61);
        }
    }

    function same2(uint a) external {
        if (a == 1) {
            x = p(62);
        }
        if (a == 2) {
            x = p(63);
        }
    }
}
