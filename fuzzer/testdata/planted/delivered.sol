// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title What is attested is delivered, and what is large is queued: three calls that name the same, of which the branch takes the amount
contract Delivered {
    mapping(bytes32 => uint256) public attestations;
    mapping(bytes32 => uint256) public queuedAt;
    mapping(address => bool) public isValidator;
    address public immutable admin = msg.sender;

    function add(address validator) external {
        require(msg.sender == admin);
        isValidator[validator] = true;
    }

    function attest(uint256 nonce, address to, uint256 amount) external {
        require(isValidator[msg.sender]);
        attestations[keccak256(abi.encode(nonce, to, amount))] += 1;
    }

    function deliver(uint256 nonce, address to, uint256 amount) external {
        bytes32 id = keccak256(abi.encode(nonce, to, amount));
        require(attestations[id] > 0);
        attestations[id] = 0;
        if (amount >= 1e24) {
            queuedAt[id] = block.timestamp;
        }
    }

    function deliverQueued(uint256 nonce, address to, uint256 amount) external {
        bytes32 id = keccak256(abi.encode(nonce, to, amount));
        require(queuedAt[id] > 0);
        require(block.timestamp >= queuedAt[id] + 1 days);
        queuedAt[id] = 0; // target reached
    }
}
