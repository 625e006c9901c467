pragma solidity =0.5.16;

import './UniswapV2ERC20.sol';
import './UniswapV2Factory.sol';
import './UniswapV2Pair.sol';

contract Coin is UniswapV2ERC20 {
    function mint(address to, uint value) external {
        _mint(to, value);
    }

    function burn(uint value) external {
        _burn(msg.sender, value);
    }
}

// A market with all that belongs to it, and the ways in which it is used.
contract Market {
    UniswapV2Factory public factory;
    UniswapV2Pair public pair;
    Coin public left;
    Coin public right;

    constructor() public {
        factory = new UniswapV2Factory(address(this));
        left = new Coin();
        right = new Coin();
        // Not through the factory: the address would come from the pair's code, and differ from build to build.
        pair = new UniswapV2Pair();
        pair.initialize(address(left), address(right));
    }

    function feeTo() external view returns (address) {
        return factory.feeTo();
    }

    function create(address a, address b) external {
        factory.createPair(a, b);
    }

    function charge(address to) external {
        factory.setFeeTo(to);
    }

    function hand(address to) external {
        factory.setFeeToSetter(to);
    }

    function provide(uint112 a, uint112 b, address to) external returns (uint) {
        left.mint(address(pair), a);
        right.mint(address(pair), b);
        return pair.mint(to);
    }

    function withdraw(uint share) external returns (uint, uint) {
        pair.transferFrom(msg.sender, address(pair), share);
        return pair.burn(msg.sender);
    }

    function trade(uint64 a, uint64 b, uint out0, uint out1, address to) external {
        left.mint(address(pair), a);
        right.mint(address(pair), b);
        (uint112 r0, uint112 r1,) = pair.getReserves();
        pair.swap(out0 % (uint(r0) + 1), out1 % (uint(r1) + 1) / 1000, to, '');
    }

    // Lends from the pair; the loan comes back with interest in the callback.
    function lend(uint16 out0, uint16 out1, uint32 back) external {
        pair.swap(out0, out1, address(this), abi.encode(back));
    }

    function uniswapV2Call(address, uint, uint, bytes calldata data) external {
        uint back = abi.decode(data, (uint));
        left.mint(msg.sender, back);
        right.mint(msg.sender, back);
    }

    function even() external {
        pair.skim(msg.sender);
        pair.sync();
    }
}
