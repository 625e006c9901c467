// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface IOracle { function price() external view returns (uint256); }
interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function balanceOf(address who) external view returns (uint256);
}

// Needs two contracts that come later in the source.
contract Lender {
    IOracle immutable oracle;
    IERC20 immutable asset;
    constructor(IOracle oracle_, IERC20 asset_) {
        require(oracle_.price() > 0, "no price");
        require(asset_.balanceOf(address(this)) == 0, "not empty");
        oracle = oracle_;
        asset = asset_;
    }
    function quote() external view returns (uint256) { return oracle.price(); }
}

contract Oracle is IOracle {
    uint256 public price;
    constructor(uint256 price_) { price = price_; }
}

// Implements IERC20 without saying so.
contract Coin {
    mapping(address => uint256) public balanceOf;
    address public owner;
    constructor(string memory name, string memory symbol, uint8 decimals, address owner_, uint256 supply) {
        require(bytes(name).length > 0 && bytes(symbol).length > 0 && decimals == 18);
        owner = owner_;
        balanceOf[owner_] = supply;
    }
    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

// A plain address that only its name explains.
contract Staking {
    address public immutable stakingToken;
    constructor(address stakingToken_) {
        require(stakingToken_.code.length > 0, "not a contract");
        stakingToken = stakingToken_;
    }
}

// Two that need each other: one goes first with what there is.
contract Left { Right right; constructor(Right right_) { right = right_; } }
contract Right { Left left; constructor(Left left_) { left = left_; } }

abstract contract Base { function f() external virtual; }
