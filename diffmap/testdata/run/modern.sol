// compile: 0.8.17 0.8.30-ir | 0.8.30
pragma solidity ^0.8.4;

error Bad(uint k, uint n);

uint constant FILE = 77;

contract Points {
    event P(uint k);

    function p(uint k) internal returns (uint) {
        emit P(k);
        return k;
    }
}

function free(uint a) pure returns (uint) {
    return a + FILE;
}

contract Other {
    function risky(uint a) external pure returns (uint) {
        require(a != 1, "one");
        assert(a != 2);
        return a;
    }
}

abstract contract Top is Points {
    uint internal y;

    modifier first() virtual {
        _;
        y = p(100);
    }

    function hook(uint a) internal virtual {
        y = a + p(101);
    }
}

abstract contract Left is Top {
    function hook(uint a) internal virtual override {
        if (a > 3)
            y = p(102);
        super.hook(a);
    }
}

abstract contract Right is Top {
    function hook(uint a) internal virtual override {
        y = p(103);
        if (a > 6) super.hook(a);
    }
}

contract Run is Left, Right {
    Other other = new Other();

    receive() external payable {
        y = p(104);
    }

    fallback() external {
        y = p(105);
    }

    function hook(uint a) internal override(Left, Right) {
        super.hook(a);
    }

    function tries(uint n) external first returns (uint) {
        try other.risky(
            n
        ) returns (uint v) {
            return v + p(110);
        } catch Error(string memory) {
            return p(111);
        } catch (bytes memory data) {
            if (data.length > 0) {
                y = p(112);
            }
            return 3;
        }
    }

    function errors(uint n) external {
        if (n == 1)
            revert Bad(1, p(120));
        if (n == 2)
            revert Bad({
                k: 2,
                n: p(121)
            });
        unchecked {
            if (n == 3) {
                y = n - p(122);
            }
        }
        hook(n);
        y = free(n) + p(123);
    }

    function assembled(uint n) external {
        bytes32 topic = keccak256("P(uint256)");
        uint z;
        assembly {
            if gt(n, 3) {
                mstore(0, 130) log1(0, 32, topic) // p(130)
            }
            switch n
            case 1
            { mstore(0, 131) log1(0, 32, topic) } // p(131)
            default { mstore(0, 132) log1(0, 32, topic) } // p(132)
            for { let i := 0 } lt(i, n) { i := add(i, 1) } {
                mstore(0, 133) log1(0, 32, topic) // p(133)
            }
            if gt(n, 8) {
                return(0, 0)
            }
            z := 1
        }
        y = z + p(134);
    }

    function checked(uint a) external returns (uint) {
        uint small = 5 - a;
        y = p(140);
        uint[] memory list = new uint[](3);
        list[a] = p(141);
        return small + p(142);
    }

    function values(uint a) external returns (uint) {
        function (uint) internal returns (uint) f = a > 3 ? up : down;
        return f(a) + p(150);
    }

    function up(uint a) internal returns (uint) {
        return a + p(151);
    }

    function down(uint a) internal returns (uint) {
        return a + p(152);
    }
}
