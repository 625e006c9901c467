// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function balanceOf(address who) external view returns (uint256);
}

contract Coin {
    mapping(address => uint256) public balanceOf;
    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

// An upgradeable contract as OpenZeppelin has them: nothing works without a proxy.
contract Initializable {
    uint64 private initialized;
    modifier initializer() { require(initialized == 0, "already initialized"); initialized = 1; _; }
    function _disableInitializers() internal { initialized = type(uint64).max; }
}

contract Vault is Initializable {
    address public owner;
    IERC20 public asset;
    uint256 public cap;
    constructor() { _disableInitializers(); }
    function initialize(address owner_, IERC20 asset_, uint256 cap_) external initializer {
        require(asset_.balanceOf(address(this)) == 0 && cap_ > 7777 && cap_ < 7780, "bad");
        (owner, asset, cap) = (owner_, asset_, cap_);
    }
    function raise(uint256 by) external { require(msg.sender == owner); cap += by; }
}

// One whose arguments are too hard: the proxy stays, the rest is the campaign's.
contract Hard is Initializable {
    uint256 public key;
    constructor() { _disableInitializers(); }
    function initialize(bytes32 secret) external initializer {
        require(keccak256(abi.encode(secret)) == 0x1234000000000000000000000000000000000000000000000000000000000000, "key");
        key = 1;
    }
}

// One that is initialized in place.
contract Pool {
    address public factory;
    address public token0;
    address public token1;
    constructor() { factory = msg.sender; }
    function initialize(address token0_, address token1_) external {
        require(msg.sender == factory && token0 == address(0) && token0_ != token1_);
        (token0, token1) = (token0_, token1_);
    }
}

// A proxy of the user's own, and one with functions beside the fallback.
contract Plain {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    constructor(address logic, bytes memory data) payable {
        assembly { sstore(SLOT, logic) }
        require(logic.code.length > 0, "no code");
        if (data.length > 0) { (bool ok, ) = logic.delegatecall(data); require(ok); }
    }
    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
        }
    }
}

contract Administered is Plain {
    address public admin;
    constructor(address implementation, address admin_, bytes memory data) Plain(implementation, data) { admin = admin_; }
    function changeAdmin(address next) external { require(msg.sender == admin); admin = next; }
}

// Clones (EIP-1167) and whole contracts, made by a constructor.
contract Wallet {
    uint256 public nonce;
    function execute() external { nonce++; }
}

// A proxy that appends data of its own to the calldata, as EIP-3448 has it.
contract Trailing {
    Wallet private immutable logic;
    constructor(Wallet logic_) { logic = logic_; }
    fallback() external payable {
        address to = address(logic);
        assembly {
            calldatacopy(0, 0, calldatasize())
            mstore(calldatasize(), 7)
            let ok := delegatecall(gas(), to, 0, add(calldatasize(), 32), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
        }
    }
}

contract Registry {
    Wallet public immutable template;
    address public clone;
    Trailing public trailing;
    constructor() {
        template = new Wallet();
        trailing = new Trailing(template);
        address t = address(template);
        address made;
        assembly {
            let p := mload(0x40)
            mstore(p, 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000000000000000000000)
            mstore(add(p, 0x14), shl(0x60, t))
            mstore(add(p, 0x28), 0x5af43d82803e903d91602b57fd5bf30000000000000000000000000000000000)
            made := create(0, p, 0x37)
        }
        clone = made;
    }
}
