// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Contracts that work only behind the factory that makes them.

contract Pool {
    Factory public immutable factory;
    address public immutable tokenA;
    address public immutable tokenB;

    constructor(address tokenA_, address tokenB_) {
        (factory, tokenA, tokenB) = (Factory(msg.sender), tokenA_, tokenB_);
    }

    function fee() external view returns (uint256) {
        return factory.fee();
    }
}

contract Factory {
    uint256 public constant fee = 30;
    mapping(address => mapping(address => Pool)) public pools;

    // Made by the constructor: another one of these would be one too many.
    Registry public immutable registry = new Registry();

    function createPool(address tokenA, address tokenB) external returns (Pool pool) {
        require(tokenA != tokenB && address(pools[tokenA][tokenB]) == address(0), "again");
        require(tokenA.code.length > 0 && tokenB.code.length > 0, "no tokens");
        pool = new Pool(tokenA, tokenB);
        pools[tokenA][tokenB] = pool;
    }

    function createNothing(uint256 n) external pure returns (uint256) {
        return n;
    }

    function deployRegistry() external returns (Registry) {
        return new Registry();
    }

    function createVault(address owner) external returns (Vault) {
        return new Vault(owner);
    }
}

contract Registry {
    uint256 public entries;
}

contract Vault {
    address public immutable owner;

    constructor(address owner_) {
        require(owner_ == address(0xdead), "nobody that a search would try");
        owner = owner_;
    }
}
