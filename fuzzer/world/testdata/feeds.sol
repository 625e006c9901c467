// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Feeds of a project's own kind, which nothing implements.

interface IQuotes {
    function decimals() external view returns (uint8);
    function getPrice(address asset, bytes32 source) external view returns (uint256 price, uint64 updatedAt, bool valid, bool stale);
    function spread() external view returns (int128);
    function round() external view returns (uint8);
}

// Of functions that speak for themselves.
interface IPairView {
    function exchangeRate() external view returns (uint256);
    function quote(uint256 amount) external view returns (uint256);
}

// It says who may do what.
interface IGate {
    function allowed(address account) external view returns (bool);
}

// It acts.
interface IPriceKeeper {
    function price() external view returns (uint256);
    function poke() external;
}

// It names somebody.
interface IFeedRegistry {
    function feedOf(address asset) external view returns (address);
}

// Two names for one setter.
interface ITwinFeed {
    function price() external view returns (uint256);
    function getPrice() external view returns (uint256);
}

contract Lender {
    IQuotes public immutable quotes;

    constructor(IQuotes quotes_) {
        quotes = quotes_;
    }

    function worth(address asset, bytes32 source) external view returns (uint256) {
        (uint256 price, uint64 updatedAt, bool valid, bool stale) = quotes.getPrice(asset, source);
        require(valid && !stale && updatedAt + 1 hours >= block.timestamp, "no price");
        return price;
    }
}

interface IRateOracle {
    function latest(address asset) external view returns (uint256 rate, uint256 timestamp);
}

// Its oracle is an address.
contract Bank {
    address public oracle;

    constructor(address rateOracle_) {
        oracle = rateOracle_;
        (, uint256 timestamp) = IRateOracle(rateOracle_).latest(address(this));
        require(timestamp == block.timestamp, "old");
    }
}

// It is told of one.
contract Shop {
    address public rateOracle;

    function setRateOracle(address rateOracle_) external {
        require(rateOracle == address(0), "set");
        rateOracle = rateOracle_;
    }
}

contract Listing {
    mapping(address => IPairView) public views;

    function list(address asset, IPairView view_) external {
        views[asset] = view_;
    }
}

contract Guarded {
    IGate public immutable gate;
    IPriceKeeper public immutable keeper;
    IFeedRegistry public immutable registry;
    ITwinFeed public immutable twins;

    constructor(IGate gate_, IPriceKeeper keeper_, IFeedRegistry registry_, ITwinFeed twins_) {
        gate = gate_;
        keeper = keeper_;
        registry = registry_;
        twins = twins_;
    }
}

// Ratios: each is compared with what it is at most.
contract Ratios {
    uint256 public immutable ltv;
    uint256 public immutable fee;
    uint256 public immutable share;
    uint256 public immutable dust;
    uint256 public immutable seconds_;

    constructor(uint256 ltv_, uint256 fee_, uint256 share_, uint256 dust_, uint256 weeks_) {
        require(ltv_ < 1e18, "ltv");
        require(fee_ <= 10_000, "fee");
        require(share_ <= 25e16, "share");
        require(dust_ > 0, "dust");
        require(weeks_ < 54_321_987, "weeks");
        (ltv, fee, share, dust, seconds_) = (ltv_, fee_, share_, dust_, weeks_);
    }
}

// The second does not allow what the first would be raised to.
contract Together {
    uint256 public immutable factor;

    constructor(uint256 factor_, uint256 other) {
        require(factor_ < 1e18 && factor_ + other <= 5e17, "too much");
        factor = factor_;
    }
}
