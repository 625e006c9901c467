// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// A vault of the project's own comes before a built-in one.

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

contract SavingsVault {
    IERC20 public immutable asset;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(IERC20 asset_) {
        asset = asset_;
    }

    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function convertToAssets(uint256 shares) external pure returns (uint256) {
        return shares;
    }

    function approve(address, uint256) external pure returns (bool) {
        return false;
    }

    function transfer(address to, uint256 amount) public returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address, address, uint256) external pure returns (bool) {
        return false;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256) {
        asset.transferFrom(msg.sender, address(this), assets);
        balanceOf[receiver] += assets;
        totalSupply += assets;
        return assets;
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256) {
        require(owner == msg.sender, "not yours");
        balanceOf[owner] -= shares;
        totalSupply -= shares;
        asset.transfer(receiver, shares);
        return shares;
    }
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

// What its functions take is said by types and by names.
contract Book {
    struct Entry {
        uint256 amount;
        IERC20[] tokens;
        address savingsVault;
    }

    uint256 public entries;

    function list(address who, Entry[] calldata entries_, address vaultToken) external {
        require(who != vaultToken);
        entries += entries_.length;
    }
}
