// compile: 0.4.26 0.8.30 0.8.30-ir | 0.5.17 0.6.12 0.7.6
pragma solidity >=0.4.22 <0.9.0;

// As common.sol; behind "//" stands what a line without a call of its own runs
// together with.
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

contract Grand is Points {
    uint public g;

    constructor(uint a, uint b) public {
        g = a + p(1) + b;
    }
}

contract Kid is Grand {
    uint public a = p(10);
    uint public b =
        p(11) + // p(11)
        p(12);
    uint[3] public c = [
        p(13),
        p(14), p(15)
    ];
    mapping(uint => uint) public m; // p(16)
    uint public plain; // p(17)
    uint public untouched; // p(18)

    constructor(uint v)
        Grand(
            p(20),
            v + p(21)
        )
        public
    {
        plain = p(22);
        if (v == 5) {
            plain = p(23);
        }
    }
}

library Lib {
    event P(uint k);

    struct Box {
        uint left;
        uint right;
    }

    function inside(uint a, uint b) internal returns (uint) {
        if (a > b)
            emit P(30); // p(30)
        return a + b;
    }

    function bump(Box storage box, uint n) internal {
        if (n > 3) {
            box.left = n;
            emit P(31); // p(31)
        }
    }
}

contract Run is Points {
    using Lib for uint;
    using Lib for Lib.Box;

    uint internal x;
    uint[] internal list;
    Lib.Box internal box;
    mapping(uint => mapping(uint => uint)) internal deep;
    Kid internal kid = new Kid(1);

    event Pair(uint a, uint b);

    enum Step { First, Second }

    modifier twice(uint a) {
        _; // p(100)
        if (a > 4) {
            _; // p(102)
        } else {
            x = p(103);
        }
    }

    modifier unless(uint a) {
        if (a == 3) {
            x = p(104);
            return;
        }
        _; // p(105)
    }

    modifier plain() {
        _; // p(106)
    }

    modifier around(uint n) {
        for (uint k = 0; k < n; k++) {
            if (k == 2) {
                _; // p(107)
            }
        }
        x = p(108);
    }

    function body(uint a)
        external
        twice(a)
    {
        x = p(100);
        if (a > 4) {
            x = p(102);
        }
    }

    function early(uint a) external unless(
        a + p(109) - 109
    ) plain returns (uint) {
        x = p(105);
        return p(106);
    }

    function inLoop(uint n) external around(n) {
        x = p(107);
    }

    function f(uint a) internal returns (uint) {
        return a + p(120);
    }

    function f(uint a, uint b) internal returns (uint) {
        return a + b + p(121);
    }

    function f(bool b) internal returns (uint) {
        return b ? p(122) : p(123);
    }

    function overloads(uint a) external returns (uint) {
        if (a == 1) return f(a);
        if (a == 2) return f(a, p(124));
        if (a == 3) return f(a == 3);
        return f(a == 3);
    }

    function shortCircuits(uint a, uint b) public returns (bool r) {
        r = a > 3 &&
            yes(130) &&
            b > 3 && yes(131) ||
            a == b && yes(132);
        if (a == 1 || b == 1 && yes(133)) x = p(134);
        if ((a == 2 && yes(135)) ||
            (b == 2 && yes(136))) { x = p(137); } else { x = p(138); }
        bool q = a == 5
            || (b == 5
            && yes(139))
            || yes(140);
        require(q && a != 7 && yes(141) ||
            yes(142),
            "never");
        while (
            a > 6 &&
            yes(143)
        ) a--;
        return !(a == 4 &&
            !yes(144));
    }

    function ternaries(uint a, uint b) external returns (uint r) {
        r = a > b ? p(150) : a == b ? p(151) : p(152);
        r = a > 3
            ? b > 3
                ? p(153)
                : p(154)
            : p(155);
        r += f(a == 7 ? p(156) : p(157),
            b == 7
                ? p(158)
                : p(159));
        (a == 8 ? list : list).push(a == 8 ? p(160) : p(161));
        return (a == 9
            ? yes(162)
            : !yes(163)) ? p(164)
            : p(165);
    }

    function oneLiners(uint a) public returns (uint) {
        if (a == 1) x = p(170); else x = p(171);
        if (a == 2) { x = p(172); } if (a == 3) { x = p(173); }
        for (uint i = 0; i < a; i++) x = p(174);
        while (a > 5) { if (a == 7) break; a--; x = p(175); }
        if (a == 4) return p(176); x = p(177);
        do x = p(178); while (x == 3);
        return a == 5 ? p(179) : p(180);
    }

    function loops(uint n) public {
        uint i = 0;
        for (;;) {
            if (i == n)
                break;
            x = p(190);
            i++;
        }
        for (; i > 0;)
            i -= p(191) / 191;
        for (uint j = 0; ; j++) {
            if (j >= n) break;
            if (j == 3) continue;
            x = p(192);
        }
        for (uint k = n; k > 0; k--) {
            for (uint l = 0; l < k; l++) {
                if (l == 4) {
                    x = p(193);
                    break;
                }
            }
            if (k == 6) { x = p(194); continue; }
            if (k == 2)
                return;
            x = p(195);
        }
        x = p(196);
        while (yes(197)) {
            if (n == 0) break;
            n = p(198) - 198;
        }
    }

    function arrays(uint n) external returns (uint) {
        uint[3] memory a = [
            p(210),
            n > 3
                ? p(211)
                : p(212),
            p(213)
        ];
        uint[] memory b = new uint[](
            p(214) / 214
        );
        b[p(215) - 215] = a[
            n < 3 ? p(216) - 216 : 1
        ];
        list.push(
            p(217)
        );
        delete list[
            p(218) - 218
        ];
        delete list;
        deep[p(219)]
            [p(220)] = p(221);
        deep[1][2]++;
        ++deep[1][
            p(222)];
        if (n == 7) delete deep[1][p(223)];
        return b[0]
            + a[p(224) - 224]
            + list.length;
    }

    function structs(uint n) external {
        box = Lib.Box(
            p(230),
            p(231)
        );
        box = Lib.Box({
            left: p(232),
            right: n > 4 ? p(233)
                : p(234)
        });
        Lib.Box storage s = box;
        s.left += p(235);
        Lib.Box memory copy = box;
        copy.right = p(236);
        s.bump(
            n
        );
        x = n.inside(
            p(237) - 232
        );
        if (n == 1) { delete box; x = p(238); }
    }

    function destructure(uint n) external returns (uint a, uint b) {
        (a, b) = two(
            p(240), n);
        (b, a) = (a,
            b);
        (uint c, ) = two(p(241),
            p(242));
        (, uint d) = two(1, p(243));
        if (n == 4) (c, d) = (p(244), d);
        (a, b) = n == 5 ? (p(245), c) : (p(246), d);
        (x, list.length > 0 ? a : b);
        return (c,
            n == 6 ? p(247) : d);
    }

    function two(uint a, uint b) internal returns (uint, uint) {
        if (b == 3) return (p(248), a);
        return (a,
            p(249));
    }

    function events(uint n) external {
        emit Pair(
            p(260),
            n == 3
                ? p(261)
                : n
        );
        if (n > 4) emit Pair(n, p(262));
        else emit Pair({a: n, b: p(263)});
        emit Pair({
            b: p(264),
            a: p(265)
        });
        require(
            n != 6,
            "a message"
        );
        x = p(266);
        assert(n != 7);
        x = p(267);
        if (n == 8)
            revert(
                "eight");
        x = p(268);
        require(yes(269), n == 1 ? "one" : "other");
    }

    function pointers(uint n) external returns (uint) {
        function (uint, uint) internal returns (uint) h = n > 3
            ? sum
            : product;
        return h(
            n,
            p(270));
    }

    function sum(uint a, uint b) internal returns (uint) {
        return a + b + p(271);
    }

    function product(uint a, uint b) internal returns (uint) {
        return a * b + p(272);
    }

    function outside(uint n) external returns (uint) {
        if (n == 1) return kid.m(p(16));
        if (n == 2) return kid.plain() + p(17);
        if (n == 13) return kid.untouched() + p(18);
        kid = new Kid(
            p(280) - 280 + n
        );
        x = kid.a() + kid.c(
            p(281) - 281);
        return Kid(
            address(kid)
        ).b() + p(282);
    }

    function nested(uint n) external {
        {
            uint inner = p(290);
            {
                if (n == 3) {
                    inner = p(291);
                } else {
                    if (n == 4) {
                        inner = p(292);
                    }
                    else if (n == 5)
                    {
                        inner = p(293);
                    }
                    else
                        inner = p(294);
                }
            }
            x = inner;
        }
        f(f(p(295),
            f(n == 6 ? p(296) : n)), p(297));
        x = n +
            p(298) *
            (n -
            n) +
            f(n == 7);
        Step s = n > 1 ? Step.First : Step.Second;
        if (s == Step.Second) x = p(299);
        bytes32 h = keccak256(abi.encodePacked(
            n,
            p(300)
        ));
        if (h == bytes32(0)) x = n;
        uint z;
        z = x = n == 8 ? p(301) : n;
        z += x -= p(302) - 302;
    }

    function assembled(uint n) external {
        bytes32 topic = keccak256("P(uint256)");
        uint z = 310;
        assembly {
            mstore(0, z) log1(0, 32, topic) // p(310)
            let q := add(n, 1)
            if gt(q, 4) { mstore(0, 311) log1(0, 32, topic) } // p(311)
            switch gt(n, 2)
            case 0 {
                mstore(0, 312) // p(312)
                log1(0, 32, topic) // p(312)
            }
            default {
                mstore(0, 313) // p(313)
                log1(0, 32, topic) // p(313)
            }
            for { let i := 0 } lt(i, n) { i := add(i, 1) } {
                if eq(i, 5) {
                    mstore(0, 314) log1(0, 32, topic) // p(314)
                }
                mstore(0, 315) log1(0, 32, topic) // p(315)
            }
        }
        x = p(316) + z;
    }

    function helpers(uint n) external {
        bytes32 topic = keccak256("P(uint256)");
        assembly {
            function log(v, t) {
                mstore(0, v) // p(320)
                log1(0, 32, t) // p(320)
            }
            function unusual(v, t) -> w {
                if gt(v, 4) {
                    w := 321
                }
                log(add(w, 322), t) // p(322)
            }
            if gt(n, 2) {
                mstore(0, 322) log1(0, 32, topic) // p(322)
                mstore(0, 320) log1(0, 32, topic) // p(320)
                pop(unusual(n, topic)) // p(322)
            }
        }
        x = p(323);
    }
}
