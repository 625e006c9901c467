// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// What acts and nothing implements.

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
}

interface IYieldVenue {
    struct Position {
        uint128 amount;
        uint64 since;
    }

    function asset() external view returns (address);
    function totalAssets() external view returns (uint256);
    function exchangeRate() external view returns (uint256);
    function isKeeper(address account) external view returns (bool);
    function lastUpdated() external view returns (uint64);
    function position(address account) external view returns (Position memory);
    function positions() external view returns (Position[] memory);
    function name() external view returns (string memory);
    function onDeposit(address account, uint256 amount) external returns (uint256 points);
    function deposit(uint256 amount) external returns (uint256 shares);
}

// It asks when it is made.
contract Vault {
    IToken public immutable asset;
    IYieldVenue public immutable venue;
    mapping(address => uint256) public shares;

    constructor(IToken asset_, IYieldVenue venue_) {
        require(venue_.asset() == address(asset_), "another asset");
        (asset, venue) = (asset_, venue_);
    }

    function put(uint256 amount) external {
        require(asset.transferFrom(msg.sender, address(this), amount), "not paid");
        shares[msg.sender] += amount * venue.exchangeRate() / 1e18;
        venue.onDeposit(msg.sender, amount);
    }

    function invest(uint256 amount) external {
        venue.deposit(amount);
    }

    // What follows makes it much like its venue.
    function totalAssets() external view returns (uint256) {
        return asset.balanceOf(address(this)) + venue.totalAssets();
    }

    function exchangeRate() external pure returns (uint256) {
        return 1e18;
    }

    function isKeeper(address) external pure returns (bool) {
        return false;
    }

    function lastUpdated() external view returns (uint64) {
        return uint64(block.timestamp);
    }

    function name() external pure returns (string memory) {
        return "vault";
    }

    function deposit(uint256 amount) external returns (uint256) {
        return amount;
    }

    function all() external view returns (uint256, bool, uint64, uint256, uint256, uint256) {
        return (
            venue.totalAssets(),
            venue.isKeeper(msg.sender),
            venue.lastUpdated(),
            venue.position(msg.sender).amount,
            venue.positions().length,
            bytes(venue.name()).length
        );
    }
}

// A token of a special kind has none.
interface IReceipt {
    function transfer(address to, uint256 amount) external returns (bool);
    function burnFrom(address account, uint256 amount) external;
}

contract Desk {
    IReceipt public immutable receipt;

    constructor(IReceipt receipt_) {
        receipt = receipt_;
    }
}

interface IRouter {
    function queue() external view returns (address);
    function owner() external view returns (address);
    function swap(uint256 amount) external;
}

// It works as long as it is told of none.
contract Queue {
    IRouter public router;
    uint256 public queued;

    function setRouter(IRouter router_) external {
        router = router_;
    }

    // Another one than that which is there.
    function migrate(IRouter router_) external {
        require(address(router_) != address(router), "the same");
        require(router_.queue() == address(this) && router_.owner() == address(0), "of another queue");
        router = router_;
    }

    function put(uint256 amount) external {
        if (address(router) != address(0)) router.swap(amount);
        queued += amount;
    }
}

// This one has an implementation.
interface IKeeper {
    function keep() external;
}

contract Keeper is IKeeper {
    function keep() external {}
}

contract Kept {
    IKeeper public immutable keeper;

    constructor(IKeeper keeper_) {
        keeper = keeper_;
    }
}
