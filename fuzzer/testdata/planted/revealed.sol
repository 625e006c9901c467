// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title What was committed to is revealed, once another account has answered: an earlier call names the hash that a later one comes to
contract Revealed {
    struct Game {
        address maker;
        address taker;
        bytes32 commitment;
        bool done;
    }

    uint256 public count;
    mapping(uint256 => Game) public games;

    function open(bytes32 commitment) external {
        games[++count].maker = msg.sender;
        games[count].commitment = commitment;
    }

    function take(uint256 id) external {
        Game storage g = games[id];
        require(g.maker != address(0) && g.maker != msg.sender && g.taker == address(0));
        g.taker = msg.sender;
    }

    function reveal(uint256 id, bool bit, bytes32 salt) external {
        Game storage g = games[id];
        require(g.taker != address(0) && !g.done);
        require(keccak256(abi.encode(address(this), g.maker, bit, salt)) == g.commitment);
        g.done = true; // target reached
    }
}
