// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// An engine makes the coin that is minted against a collateral: the only token of the project is none to begin with.

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
}

interface IPriceOracle {
    function price() external view returns (uint256);
}

contract Coin {
    address public immutable engine;
    mapping(address => uint256) public balanceOf;

    constructor(address engine_) {
        engine = engine_;
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == engine, "not the engine");
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address, address, uint256) external pure returns (bool) {
        return false;
    }
}

contract Auctions {
    Engine public immutable engine;
    IERC20 public immutable collateral;

    constructor(Engine engine_, IERC20 collateral_) {
        (engine, collateral) = (engine_, collateral_);
    }
}

contract Engine {
    IERC20 public immutable collateral;
    IPriceOracle public immutable oracle;
    Coin public immutable coin;
    Auctions public immutable auctions;
    mapping(address => uint256) public deposited;

    constructor(IERC20 collateral_, IPriceOracle oracle_) {
        (collateral, oracle) = (collateral_, oracle_);
        coin = new Coin(address(this));
        auctions = new Auctions(this, collateral_);
    }

    function draw(uint256 amount) external {
        require(collateral.transferFrom(msg.sender, address(this), amount), "not paid");
        deposited[msg.sender] += amount;
        coin.mint(msg.sender, amount * oracle.price() / 2e18);
    }
}
