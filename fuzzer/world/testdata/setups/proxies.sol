// Targets: Bank, Clone, Beaconed
pragma solidity ^0.8.0;

contract Test {}

contract Bank {
    address public owner;
    uint256 public total;

    function initialize(address owner_) external {
        require(owner == address(0), "initialized");
        owner = owner_;
    }

    function put() external payable {
        require(owner != address(0), "not initialized");
        total += msg.value;
    }
}

// ERC-1967.
contract Proxy {
    constructor(address implementation, bytes memory data) payable {
        assembly {
            sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation)
        }
        (bool ok,) = implementation.delegatecall(data);
        require(ok);
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract Clone {
    uint256 public count;

    function up() external {
        count++;
    }
}

contract Beaconed {
    uint256 public level;

    function raise() external {
        level++;
    }
}

contract Beacon {
    address public implementation;

    constructor(address i) {
        implementation = i;
    }
}

contract BeaconProxy {
    Beacon internal immutable beacon;

    constructor(Beacon b) {
        beacon = b;
    }

    fallback() external payable {
        address to = beacon.implementation();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract ProxyTest is Test {
    function setUp() public {
        new Proxy(address(new Bank()), abi.encodeCall(Bank.initialize, (address(0xCAFE))));
        address template = address(new Clone());
        bytes memory minimal = abi.encodePacked(hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", template, hex"5af43d82803e903d91602b57fd5bf3");
        address clone;
        assembly {
            clone := create(0, add(minimal, 32), mload(minimal))
        }
        Clone(clone).up();
        new BeaconProxy(new Beacon(address(new Beaconed())));
    }
}
