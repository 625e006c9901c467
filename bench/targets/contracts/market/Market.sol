// SPDX-License-Identifier: MIT
pragma solidity =0.5.16;

import "@uniswap/v2-core/contracts/UniswapV2Factory.sol";
import "@uniswap/v2-core/contracts/UniswapV2Pair.sol";

/// @title A token that anybody may mint
contract Coin is UniswapV2ERC20 {
    function mint(address to, uint value) external {
        require(value < 2**112, "amount");
        _mint(to, value);
    }
}

/// @title Two coins and their pair, and what a router does
contract Market {
    UniswapV2Factory public factory;
    Coin public a;
    Coin public b;
    UniswapV2Pair public pair;
    uint public best;

    constructor() public {
        factory = new UniswapV2Factory(msg.sender);
        a = new Coin();
        b = new Coin();
        pair = UniswapV2Pair(factory.createPair(address(a), address(b)));
    }

    function provide(uint112 x, uint112 y) external returns (uint) {
        require(x > 0 && y > 0, "empty");
        a.mint(address(pair), x);
        b.mint(address(pair), y);
        return pair.mint(msg.sender);
    }

    function swap(bool zero, uint112 amount) external {
        require(amount > 0, "empty");
        (uint112 r0, uint112 r1,) = pair.getReserves();
        require(r0 > 0 && r1 > 0, "no liquidity");
        (zero ? Coin(pair.token0()) : Coin(pair.token1())).mint(address(pair), amount);
        uint fee = uint(amount) * 997;
        uint out = zero ? fee * r1 / (uint(r0) * 1000 + fee) : fee * r0 / (uint(r1) * 1000 + fee);
        pair.swap(zero ? 0 : out, zero ? out : 0, msg.sender, "");
        if (out > best && amount < out) {
            best = out;
        }
    }

    function remove(uint amount) external {
        require(pair.balanceOf(address(this)) >= amount, "liquidity");
        pair.transfer(address(pair), amount);
        (uint x, uint y) = pair.burn(msg.sender);
        if (x > y && y > 1000) {
            pair.sync();
        }
    }
}
