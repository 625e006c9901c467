// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// A factory of proxies that ask a beacon what they run, which nothing implements; and a vault over another project's vault.

interface IBeaconLike {
    function implementation() external view returns (address);
}

contract BeaconProxy {
    address private immutable beacon;

    constructor(address beacon_, bytes memory data) {
        beacon = beacon_;
        (bool done,) = IBeaconLike(beacon_).implementation().delegatecall(data);
        require(done, "not initialized");
    }

    fallback() external payable {
        address to = IBeaconLike(beacon).implementation();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract PayrollFactory {
    address public immutable beacon;
    address[] public made;

    constructor(address beacon_) {
        beacon = beacon_;
    }

    function create(uint256 rate) external returns (address) {
        made.push(address(new BeaconProxy(beacon, abi.encodeCall(Payroll.initialize, (rate)))));
        return made[made.length - 1];
    }
}

contract Payroll {
    uint256 public rate;
    uint256 public paid;
    bool private initialized;

    function initialize(uint256 rate_) external {
        require(!initialized && rate_ > 0, "initialized");
        initialized = true;
        rate = rate_;
    }

    function pay(uint256 amount) external {
        require(amount <= rate, "too much");
        paid += amount;
    }
}

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
}

interface IERC4626 is IERC20 {
    function asset() external view returns (address);
    function totalAssets() external view returns (uint256);
    function deposit(uint256 assets, address receiver) external returns (uint256 shares);
    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets);
    function convertToAssets(uint256 shares) external view returns (uint256 assets);
}

contract Wrapper {
    IERC20 public immutable asset;
    IERC4626 public immutable vault;
    mapping(address => uint256) public shares;

    constructor(IERC20 asset_, IERC4626 vault_) {
        require(vault_.asset() == address(asset_), "another asset");
        (asset, vault) = (asset_, vault_);
        asset_.approve(address(vault_), type(uint256).max);
    }

    function put(uint256 amount) external {
        asset.transferFrom(msg.sender, address(this), amount);
        shares[msg.sender] += vault.deposit(amount, address(this));
    }

    function take(uint256 amount) external {
        shares[msg.sender] -= amount;
        vault.redeem(amount, msg.sender, address(this));
    }
}
