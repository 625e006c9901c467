// solc: 0.8.30 0.8.17
// run: create(1)
// run: low(1)
// run: assembled(1)
// run: buffer(1)
// run: raised(1)
// run: wrapped(1)
// run: told(1)
// run: proxied(1)
contract Callee {
    function check(uint256 x) public pure {
        assert(x == 0); // want assert fails (Panic 0x01)
    }

    function attempt(uint256 x) external view returns (bool ok, bytes memory result) {
        (ok, result) = address(this).staticcall(abi.encodeCall(this.check, (x)));
    }
}

contract Made {
    constructor(uint256 x) {
        assert(x == 0); // want assert fails (Panic 0x01)
    }
}

contract Proxy {
    address immutable implementation = address(new Callee());

    fallback() external {
        address to = implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

library Errors {
    function panics(uint256 code) internal pure {
        assembly {
            mstore(0, 0x4e487b71)
            mstore(32, code)
            revert(28, 36)
        }
    }
}

// A panic that is handed on is the callee's, by whatever way.
contract Caller {
    Callee callee = new Callee();
    Proxy proxy = new Proxy();

    function create(uint256 x) external {
        new Made(x);
    }

    function low(uint256 x) external view {
        (bool ok, bytes memory result) = address(callee).staticcall(abi.encodeCall(Callee.check, (x)));
        if (!ok) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
    }

    function assembled(uint256 x) external view {
        address to = address(callee);
        bytes memory what = abi.encodeCall(Callee.check, (x));
        assembly {
            if iszero(staticcall(gas(), to, add(what, 32), mload(what), 0, 0)) {
                returndatacopy(0, 0, returndatasize())
                revert(0, returndatasize())
            }
        }
    }

    function buffer(uint256 x) external view {
        address to = address(callee);
        bytes memory what = abi.encodeCall(Callee.check, (x));
        assembly {
            if iszero(staticcall(gas(), to, add(what, 32), mload(what), 0, 36)) { revert(0, 36) }
        }
    }

    function raised(uint256 x) external view {
        try callee.check(x) {} catch Panic(uint256 code) {
            Errors.panics(code);
        }
    }

    function wrapped(uint256 x) external view {
        (bool ok, bytes memory result) = callee.attempt(x);
        if (!ok) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
    }

    function told(uint256 x) external view {
        (bool ok, bytes memory result) = callee.attempt(x);
        if (!ok) this.raise(result);
    }

    function raise(bytes memory reason) external pure {
        assembly {
            revert(add(reason, 32), mload(reason))
        }
    }

    function proxied(uint256 x) external view {
        Callee(address(proxy)).check(x);
    }
}
