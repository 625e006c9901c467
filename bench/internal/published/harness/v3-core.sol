// SPDX-License-Identifier: GPL-2.0-or-later
pragma solidity =0.7.6;
pragma abicoder v2;

import './libraries/BitMath.sol';
import './libraries/FullMath.sol';
import './libraries/LiquidityMath.sol';
import './libraries/LowGasSafeMath.sol';
import './libraries/Oracle.sol';
import './libraries/Position.sol';
import './libraries/SafeCast.sol';
import './libraries/SqrtPriceMath.sol';
import './libraries/SwapMath.sol';
import './libraries/Tick.sol';
import './libraries/TickBitmap.sol';
import './libraries/TickMath.sol';
import './libraries/TransferHelper.sol';
import './libraries/UnsafeMath.sol';

// The package ships libraries whose functions are all internal, and no contract
// that calls them: this one does.
contract Harness {
    using Oracle for Oracle.Observation[65535];
    using Position for mapping(bytes32 => Position.Info);
    using Position for Position.Info;
    using Tick for mapping(int24 => Tick.Info);
    using TickBitmap for mapping(int16 => uint256);

    Oracle.Observation[65535] observations;
    mapping(bytes32 => Position.Info) positions;
    mapping(int24 => Tick.Info) ticks;
    mapping(int16 => uint256) bitmap;
    uint16 index;
    uint16 cardinality;
    uint16 cardinalityNext;

    function bits(uint256 x) external pure returns (uint8, uint8) {
        return (BitMath.mostSignificantBit(x), BitMath.leastSignificantBit(x));
    }

    function mulDiv(uint256 a, uint256 b, uint256 d) external pure returns (uint256) {
        return FullMath.mulDiv(a, b, d);
    }

    function mulDivRoundingUp(uint256 a, uint256 b, uint256 d) external pure returns (uint256) {
        return FullMath.mulDivRoundingUp(a, b, d);
    }

    function addDelta(uint128 x, int128 y) external pure returns (uint128) {
        return LiquidityMath.addDelta(x, y);
    }

    function unsigned(uint256 x, uint256 y, uint8 op) external pure returns (uint256) {
        return op == 0 ? LowGasSafeMath.add(x, y) : op == 1 ? LowGasSafeMath.sub(x, y) : op == 2 ? LowGasSafeMath.mul(x, y) : UnsafeMath.divRoundingUp(x, y);
    }

    function signed(int256 x, int256 y, bool plus) external pure returns (int256) {
        return plus ? LowGasSafeMath.add(x, y) : LowGasSafeMath.sub(x, y);
    }

    function casts(uint256 x, int256 y) external pure returns (uint160, int128, int256) {
        return (SafeCast.toUint160(x), SafeCast.toInt128(y), SafeCast.toInt256(x));
    }

    function initialize() external {
        require(cardinality == 0);
        (cardinality, cardinalityNext) = observations.initialize(uint32(block.timestamp));
    }

    function write(int24 tick, uint128 liquidity) external {
        require(cardinality > 0);
        (index, cardinality) = observations.write(index, uint32(block.timestamp), tick, liquidity, cardinality, cardinalityNext);
    }

    function grow(uint16 next) external {
        require(next < 64);
        cardinalityNext = observations.grow(cardinalityNext, next);
    }

    function observe(uint32[] calldata ago, int24 tick, uint128 liquidity) external view returns (int56[] memory, uint160[] memory) {
        return observations.observe(uint32(block.timestamp), ago, tick, index, liquidity, cardinality);
    }

    function position(int24 lower, int24 upper, int128 delta, uint256 inside0, uint256 inside1) external {
        positions.get(msg.sender, lower, upper).update(delta, inside0, inside1);
    }

    function nextFromInput(uint160 price, uint128 liquidity, uint256 amount, bool zeroForOne) external pure returns (uint160) {
        return SqrtPriceMath.getNextSqrtPriceFromInput(price, liquidity, amount, zeroForOne);
    }

    function nextFromOutput(uint160 price, uint128 liquidity, uint256 amount, bool zeroForOne) external pure returns (uint160) {
        return SqrtPriceMath.getNextSqrtPriceFromOutput(price, liquidity, amount, zeroForOne);
    }

    function deltas(uint160 a, uint160 b, int128 liquidity) external pure returns (int256, int256) {
        return (SqrtPriceMath.getAmount0Delta(a, b, liquidity), SqrtPriceMath.getAmount1Delta(a, b, liquidity));
    }

    function swapStep(uint160 current, uint160 target, uint128 liquidity, int256 remaining, uint24 fee)
        external
        pure
        returns (uint160, uint256, uint256, uint256)
    {
        return SwapMath.computeSwapStep(current, target, liquidity, remaining, fee);
    }

    function maxLiquidity(int24 spacing) external pure returns (uint128) {
        return Tick.tickSpacingToMaxLiquidityPerTick(spacing);
    }

    function updateTick(int24 tick, int24 current, int128 delta, bool upper, uint128 most) external returns (bool flipped) {
        flipped = ticks.update(tick, current, delta, 1, 2, 3, 4, uint32(block.timestamp), upper, most);
        if (flipped) bitmap.flipTick(tick, 1);
    }

    function clearTick(int24 tick) external {
        ticks.clear(tick);
    }

    function crossTick(int24 tick, uint256 growth0, uint256 growth1) external returns (int128) {
        return ticks.cross(tick, growth0, growth1, 5, 6, uint32(block.timestamp));
    }

    function growthInside(int24 lower, int24 upper, int24 current, uint256 growth0, uint256 growth1) external view returns (uint256, uint256) {
        return ticks.getFeeGrowthInside(lower, upper, current, growth0, growth1);
    }

    function flip(int24 tick, int24 spacing) external {
        bitmap.flipTick(tick, spacing);
    }

    function nextTick(int24 tick, int24 spacing, bool lte) external view returns (int24, bool) {
        return bitmap.nextInitializedTickWithinOneWord(tick, spacing, lte);
    }

    function ratioAt(int24 tick) external pure returns (uint160) {
        return TickMath.getSqrtRatioAtTick(tick);
    }

    function tickAt(uint160 price) external pure returns (int24) {
        return TickMath.getTickAtSqrtRatio(price);
    }

    function transfer(address token, address to, uint256 value) external {
        TransferHelper.safeTransfer(token, to, value);
    }
}
