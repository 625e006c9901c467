// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "./ERC20.sol";
import {FeeMath} from "./FeeMath.sol";
import {Ownable} from "./Ownable.sol";
import {Vesting} from "./Vesting.sol";

/// @title A capped token with a transfer fee and vesting grants
contract Token is ERC20, Ownable {
    using FeeMath for uint256;
    using Vesting for Vesting.Grant;

    uint256 public constant MIN_CAP = 1_000_000;
    uint256 public constant MAX_FEE_BPS = 1_000;

    uint256 public immutable cap;
    uint256 public feeBps;
    uint256 public reserved;
    mapping(address => Vesting.Grant) public grants;

    constructor(string memory name_, address owner_, uint256 cap_) ERC20(name_) Ownable(owner_) {
        require(cap_ >= MIN_CAP, "cap too low");
        cap = cap_;
    }

    function setFee(uint256 bps) external onlyOwner {
        require(bps <= MAX_FEE_BPS, "fee too high");
        feeBps = bps;
    }

    function mint(address to, uint256 amount) external onlyOwner {
        require(totalSupply + reserved + amount <= cap, "cap exceeded");
        _mint(to, amount);
    }

    /// @notice Reserves tokens that vest from now on.
    function grant(address to, uint256 amount, uint64 duration) external onlyOwner {
        require(grants[to].total == 0, "already granted");
        require(totalSupply + reserved + amount <= cap, "cap exceeded");
        reserved += amount;
        grants[to] = Vesting.Grant(amount, 0, block.timestamp, duration);
    }

    /// @notice Mints what has vested of the caller's grant.
    function claim() external {
        uint256 amount = grants[msg.sender].release(block.timestamp);
        reserved -= amount;
        _mint(msg.sender, amount);
    }

    /// @dev The fee goes to the owner.
    function _transfer(address from, address to, uint256 amount) internal override {
        uint256 fee = amount.feeOf(feeBps);
        uint256 net = amount.netOf(feeBps);
        super._transfer(from, to, net);
        super._transfer(from, owner, fee);
        assert(net + fee == amount);
    }
}
