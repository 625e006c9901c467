// Guards behind calls: a router hands on what it computes of its arguments, and asks for what depends on them, through a proxy that hands
// on what it is given.
contract Guarded {
    function quote(uint256 a) external pure returns (uint256) {
        return 3 * a + 17;
    }

    function check(uint256 a, uint256 b) external pure {
        require(a > 1e20);
        require(a % 1009 == 7);
        require(b >> 8 == 0x7c3e5a91);
    }
}

contract Forward {
    Guarded immutable logic;

    constructor(Guarded g) {
        logic = g;
    }

    fallback() external {
        address to = address(logic);
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract Router {
    Guarded immutable guarded;

    constructor(Forward f) {
        guarded = Guarded(address(f));
    }

    function route(uint256 a, uint128 b) external {
        if (guarded.quote(a) == 3 * 777_777_777 + 17) {
            if (guarded.quote(b) == a + 1_000_000_000_019) {
                assert(false); // want assertion
            }
        }
    }
}

contract Catcher {
    Guarded immutable guarded;

    constructor(Forward f) {
        guarded = Guarded(address(f));
    }

    function tryCheck(uint256 a, uint256 b) external {
        try guarded.check(a, b) {
            assert(false); // want assertion
        } catch {}
    }
}
