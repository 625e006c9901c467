// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// What others hash names whom it is for, or is known to whoever they tell what they hashed.
contract Drop {
    mapping(bytes32 => uint256) public due;

    function allow(bytes32 leaf) external payable {
        due[leaf] += msg.value;
    }

    function claim() external {
        bytes32 leaf = keccak256(abi.encodePacked(msg.sender));
        uint256 amount = due[leaf];
        due[leaf] = 0;
        payable(msg.sender).transfer(amount);
    }
}

contract Swap {
    bytes32 private lock;

    function fund(bytes32 hash) external payable {
        lock = hash;
    }

    function redeem(string calldata secret) external {
        require(keccak256(bytes(secret)) == lock, "secret");
        payable(msg.sender).transfer(address(this).balance);
    }
}

// What is only a name is for whoever says it.
contract Shelf {
    mapping(bytes32 => uint256) private put;

    function leave(bytes32 label) external payable {
        put[label] += msg.value;
    }

    function take(bytes32 label) external {
        uint256 amount = put[label];
        put[label] = 0;
        payable(msg.sender).transfer(amount);
    }
}

// Whoever knows what is hidden in a game is paid twice what was put in.
contract Games {
    bytes32[] private hidden;
    uint256[] private stake;

    function open(bytes32 hash) external payable {
        require(msg.value > 0, "nothing");
        hidden.push(hash);
        stake.push(msg.value);
    }

    function reveal(uint256 id, string calldata secret) external {
        require(keccak256(bytes(secret)) == hidden[id], "secret");
        uint256 amount = 2 * stake[id];
        stake[id] = 0;
        payable(msg.sender).transfer(amount);
    }
}
