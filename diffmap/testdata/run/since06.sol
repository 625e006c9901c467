// compile: 0.6.12 0.8.17-ir 0.8.30 | 0.7.6 0.8.30-ir
pragma solidity >=0.6.2 <0.9.0;

// As every.sol.
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

interface Callee {
    function ask(uint a) external payable returns (uint, uint);
}

contract Taker is Points {
    uint immutable seed;
    uint immutable other =
        p(20);
    uint public calls;

    constructor(uint s) public payable {
        require(s != 5, "five");
        seed = p(21) + s;
    }

    function ask(uint a) external payable returns (uint, uint) {
        require(a != 1, "one");
        assert(a != 2);
        if (a == 3) revert();
        if (a == 4) { assembly { revert(0, 64) } }
        calls += p(22);
        return (seed + a,
            other + p(23));
    }

    fallback() external payable {
        calls = p(24);
    }
}

abstract contract Base is Points {
    uint internal y;
    uint internal x;

    modifier only(uint a) virtual {
        y = 40;
        _;
    }

    modifier open() virtual {
        _; // p(61) p(65)
    }

    function step(uint a) internal virtual returns (uint) {
        return a + p(41);
    }

    function needed(uint a) public virtual returns (uint);
}

abstract contract Left is Base {
    function step(uint a) internal virtual override returns (uint) {
        if (a == 2) return p(42);
        return super.step(a)
            + p(43);
    }
}

abstract contract Right is Base {
    function step(uint a) internal virtual override returns (uint) {
        return super.step(
            a + p(44)
        );
    }
}

contract Run is Left, Right {
    Taker internal taker = new Taker{value: 0}(1);

    modifier only(uint a) override {
        if (a > 3) {
            y = p(45);
            _; // p(60) p(64)
        }
    }

    function step(uint a) internal override(Left, Right) returns (uint) {
        if (a == 1)
            return Base.step(p(46));
        if (a == 3) return Left.step(p(47) - 45);
        return super.step(a);
    }

    function needed(uint a) public override returns (uint) {
        return step(a) + p(48);
    }

    function guarded(uint a) external only(a) {
        y = p(60);
    }

    function wide(uint a) external open() only(
        a +
        p(61) - 61
    ) {
        y = p(62); x = p(64);
    }

    function narrow(uint a) external open {
        y = p(65);
        if (a > 100) y = p(63);
    }

    receive() external payable {
        y = p(70);
    }

    fallback() external payable {
        y = p(71);
    }

    function options(uint n) external returns (uint) {
        (uint a, uint b) = taker.ask{
            value: p(80) - 80,
            gas: 100000 + p(81)
        }(
            n
        );
        y = a + b + p(82);
        (bool ok, bytes memory data) = address(taker).call{
            value: n == 5 ? p(83) - 83 : 0,
            gas: 200000
        }(
            abi.encodeWithSignature("ask(uint256)", p(84))
        );
        require(ok, "failed");
        y = data.length + p(85);
        (ok, ) = address(taker).call(
            ""
        );
        if (ok)
            y = p(86);
        taker = new Taker{
            salt: bytes32(p(87)),
            value: p(88) - 88
        }(
            n == 6
                ? p(89)
                : p(90)
        );
        return y;
    }

    function tries(uint n) external returns (uint) {
        try taker.ask(n + p(100) - 100) returns (uint a, uint) {
            y = a + p(101);
        } catch Error(string memory reason) {
            y = bytes(reason).length + p(102);
        } catch (bytes memory data) {
            if (data.length == 0)
                y = p(103);
            else y = p(104);
        }
        try new Taker(n) returns (Taker t) { taker = t; y = p(105); }
        catch { y = p(106); }
        try this.needed{
            gas: n == 7 ? p(107) : 100000
        }(
            n
        ) {
            y = p(108);
        } catch {
            if (n == 7) {
                y = p(109);
            }
        }
        return p(110);
    }

    function references(uint n) external returns (uint) {
        function (uint) external returns (uint) g = this.needed;
        bytes4 selector = n == 1
            ? g.selector
            : this.tries.selector;
        if (selector == g.selector) y = p(120);
        uint limit = type(uint).max
            - p(121);
        string memory s = string(abi.encodePacked(
            "a"
            "b",
            n > 3 ? "b" : "c"
        ));
        if (bytes(s)[2] == "b") y = p(122);
        return g(
            n
        ) < 200 && limit > 1 ? p(123) : p(124);
    }

    function assembled(uint n) external {
        bytes32 topic = keccak256("P(uint256)");
        assembly {
            for { let i := 0 } lt(i, n) { i := add(i, 1) } {
                if eq(i, 5) {
                    mstore(0, 130) log1(0, 32, topic) // p(130)
                    break
                }
                if eq(i, 3) { continue }
                mstore(0, 131) log1(0, 32, topic) // p(131)
            }
        }
        y = p(132);
    }
}
