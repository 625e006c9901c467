// compile: 0.8.30 0.8.30-ir 0.8.30-located
pragma solidity ^0.8.28;

// As every.sol, for what 0.8 brought.
event P(uint k);

error Plain();
error Pair(uint a, uint b);

type Price is uint128;

using {plus as +, minus as -, same as ==, raw} for Price global;
using {half} for uint;

function p(uint k) returns (uint) {
    emit P(k);
    return k;
}

function yes(uint k) returns (bool) {
    emit P(k);
    return true;
}

function plus(Price a, Price b) pure returns (Price) {
    uint sum = Price.unwrap(a) + Price.unwrap(b);
    return Price.wrap(uint128(
        sum
    ));
}

function minus(Price a, Price b) pure returns (Price) {
    unchecked {
        return Price.wrap(Price.unwrap(a) - Price.unwrap(b));
    }
}

function same(Price a, Price b) pure returns (bool) {
    return Price.unwrap(a) == Price.unwrap(b);
}

function raw(Price a) returns (uint) {
    return Price.unwrap(a) + p(1);
}

function half(uint a) returns (uint) {
    if (a == 3) return p(2);
    return a / 2 + p(3);
}

function logged(uint k, bytes32 topic) {
    assembly ("memory-safe") {
        mstore(0, k) // p(4)
        log1(0, 32, topic) // p(4)
    }
}

uint constant FILE = 77 +
    3;

library Sets {
    struct Set {
        mapping(uint value => bool present) has;
        uint[] all;
    }

    function add(Set storage set, uint v) internal returns (bool) {
        if (set.has[v])
            return p(10) == 0;
        set.has[v] = true;
        set.all.push(p(11));
        return true;
    }
}

abstract contract Base {
    uint transient depth;
    bool transient locked;

    modifier guard() {
        if (locked) revert Plain();
        locked = yes(21);
        _; // p(22)
        locked = !yes(23);
    }

    constructor(uint a) {
        require(a + p(24) > 0);
    }
}

contract Kid is Base {
    uint public immutable late;
    uint[] public values = [p(30),
        p(31)];
    bool transient public open; // p(20)
    string public constant NAME =
        "kid"; // p(33)

    constructor(
        uint a
    ) Base(
        a + p(32)
    ) payable {
        if (a > 4) {
            late = p(35);
        } else late = p(36);
    }

    function check(uint a) external returns (uint) {
        if (a == 1) revert Plain();
        if (a == 2) revert Pair(a, 1);
        if (a == 3) require(false, "three");
        if (a == 4) assert(false);
        if (a == 5) return a / (a - 5);
        return a;
    }
}

contract Run is Base(5) {
    using Sets for Sets.Set;

    Sets.Set internal set;
    Kid internal kid = new Kid(1);
    uint internal x;
    mapping(address owner => mapping(uint id => uint amount)) internal named;
    string internal text;
    bytes internal blob;

    function prices(uint n) external returns (uint) {
        Price a = Price.wrap(uint128(p(100)));
        Price b = n > 3
            ? Price.wrap(uint128(p(101)))
            : Price.wrap(1);
        if (n == 5) b = a;
        if (a + b == b + a && yes(102))
            x = p(103);
        if (a == b) x = p(104); else x = (a - b).raw();
        if (n == 8) x = p(105);
        return (b +
            a).raw() + n.half();
    }

    function transients(uint n) external guard returns (uint) {
        p(22);
        depth += p(110);
        if (n == 3) {
            (bool ok,) = address(this).call(abi.encodeCall(this.transients, (
                4
            )));
            x = ok ? 1 : p(111);
        }
        return depth;
    }

    function sets(uint n) external {
        set.add(n);
        if (set.add(3)) x = p(120);
        named[msg.sender][
            p(121)
        ] = n;
        text = string.concat(
            "a",
            n > 5 ? "b" : "c"
        );
        blob = bytes.concat(blob, bytes(text), bytes32(p(122)));
        if (blob[1] == "b") x = p(123);
    }

    function unchecks(uint n) external {
        unchecked {
            x = n - 5;
            if (n < 5) x = p(130);
            for (uint i = 0; i < n; ) {
                x = p(131);
                ++i;
            }
        }
        x = type(uint8).max - p(132);
        unchecked { x = n * p(133); }
        x = FILE + n + p(134);
    }

    function errors(uint n) external {
        if (n == 1)
            revert Pair(
                p(140),
                p(141)
            );
        require(n != 2, Plain());
        x = p(142);
        require(
            n != 3 ||
            !yes(143),
            Pair({
                b: 1,
                a: n
            })
        );
        x = p(144);
        require(n != 4, Pair(p(145), 2));
        x = p(146);
    }

    function catches(uint n) external {
        try kid.check(n) {
            x = p(150);
        } catch Panic(uint code) {
            x = code == 1
                ? p(151)
                : p(152);
        } catch Error(string memory) {
            x = p(153);
        } catch (bytes memory reason) {
            if (bytes4(reason) == Plain.selector) { x = p(154); } else x = p(155);
        }
        if (n == 6) x = p(20) + (kid.open() ? 1 : 0);
        if (n == 7) x = p(33) + bytes(kid.NAME()).length;
        kid = new Kid{value: 0, salt: bytes32(p(156))}(
            n + p(157) - 157
        );
        x = kid.late() + kid.values(p(158) - 158);
    }

    function assembled(uint n) external {
        bytes32 topic = keccak256("P(uint256)");
        logged(4, topic);
        assembly ("memory-safe") {
            if gt(n, 3) {
                mstore(0, 160) log1(0, 32, topic) // p(160)
            }
            let z := 0
            for {} lt(z, n) {} {
                z := add(z, 1)
                if eq(z, 4) { leaveLoop(topic) break } // p(163)
                mstore(0, 161) log1(0, 32, topic) // p(161)
            }
            switch n
            case 5 { tstore(0, 1) mstore(0, 162) log1(0, 32, topic) } // p(162)
            case 6 {}
            function leaveLoop(t) {
                mstore(0, 163) log1(0, 32, t) // p(163)
                if t { leave }
                mstore(0, 164) // nothing
            }
        }
        x = p(165);
    }

    function tuples(uint n) external returns (uint a, string memory s) {
        (a, s) = (
            p(170),
            n == 2 ? "two" : "other"
        );
        (, bytes memory data) = abi.decode(
            abi.encode(p(171), bytes("abc")),
            (uint, bytes)
        );
        (uint first, , uint third) = (1, 2, p(172));
        function (uint) returns (uint) h = n == 3 ? half : p;
        x = h(
            n == 4 ? p(173) : 200
        ) + first + third + data.length;
        (a, x) = (x, a);
        while (true) {
            if (n-- == 0) break;
            do { x = p(174); continue; } while (false);
        }
    }
}
