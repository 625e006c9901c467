// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

import {ERC20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626} from "solmate/src/tokens/ERC4626.sol";
import {WETH} from "solmate/src/tokens/WETH.sol";
import {Owned} from "solmate/src/auth/Owned.sol";
import {FixedPointMathLib} from "solmate/src/utils/FixedPointMathLib.sol";

/// @title A vault over wrapped ether with a fee, and rewards for those who stay
contract Rewards is ERC4626, Owned {
    using FixedPointMathLib for uint256;

    uint256 public rate;
    uint256 public index;
    uint64 public updated;
    uint256 public fee;
    bool public ended;
    mapping(address => uint256) public indexOf;
    mapping(address => uint256) public earned;
    mapping(address => uint256) public level;

    constructor(WETH weth) ERC4626(weth, "Rewards", "RWD") Owned(msg.sender) {
        updated = uint64(block.timestamp);
    }

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function beforeWithdraw(uint256 assets, uint256) internal override {
        update(msg.sender);
        if (fee > 0 && assets > 1 ether) {
            earned[owner] += assets.mulDivUp(fee, 10_000);
        }
    }

    function afterDeposit(uint256 assets, uint256) internal override {
        update(msg.sender);
        if (assets >= 10 ether && level[msg.sender] == 0) {
            level[msg.sender] = 1;
        }
    }

    function update(address who) internal {
        if (totalSupply > 0 && rate > 0) {
            uint256 passed = block.timestamp - updated;
            index += rate.mulDivDown(passed * 1e18, totalSupply);
        }
        updated = uint64(block.timestamp);
        uint256 gained = balanceOf[who].mulDivDown(index - indexOf[who], 1e18);
        if (gained > 0) {
            earned[who] += gained * (1 + level[who]);
        }
        indexOf[who] = index;
    }

    function setRate(uint256 newRate) external onlyOwner {
        require(newRate <= 1e24, "rate");
        update(msg.sender);
        rate = newRate;
    }

    function setFee(uint256 newFee) external onlyOwner {
        require(newFee <= 500, "fee");
        fee = newFee;
    }

    function claim() external {
        update(msg.sender);
        uint256 amount = earned[msg.sender];
        require(amount > 0, "nothing");
        earned[msg.sender] = 0;
        _mint(msg.sender, amount);
        if (level[msg.sender] == 1 && amount > 1000 ether) {
            level[msg.sender] = 2;
        }
    }

    function end() external onlyOwner {
        require(!ended && totalSupply > 100 ether, "too small");
        ended = true;
        rate = 0;
    }

    function upgrade(uint256 price) external {
        require(level[msg.sender] == 2, "level");
        require(balanceOf[msg.sender] >= price && price.sqrt() > 1e10, "price");
        _burn(msg.sender, price);
        level[msg.sender] = 3;
    }
}
