// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Vm {
    function createFork(string calldata) external returns (uint256);
    function createFork(string calldata, uint256) external returns (uint256);
    function createSelectFork(string calldata) external returns (uint256);
    function createSelectFork(string calldata, uint256) external returns (uint256);
    function selectFork(uint256) external;
    function activeFork() external view returns (uint256);
    function rollFork(uint256) external;
    function rollFork(uint256, uint256) external;
    function rpcUrl(string calldata) external view returns (string memory);
    function makePersistent(address) external;
    function warp(uint256) external;
    function chainId(uint256) external;
    function load(address, bytes32) external view returns (bytes32);
}

/// On the chain that a fake node has: block 1234 of chain 7, with a counter and somebody rich.
contract ForkTest {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address constant COUNTER = address(0xc0de);
    bool public IS_TEST = true;
    uint256 mine = 5;

    function forked() internal view {
        require(block.number == 1234, "number");
        require(block.timestamp == 99, "time");
        require(block.chainid == 7, "chain");
        require(block.basefee == 5, "base fee");
        require(address(0x41c4).balance == 77, "balance");
        require(vm.load(COUNTER, bytes32(uint256(100))) == bytes32(uint256(1000)), "word");
        require(mine == 5, "mine");
    }

    function testSelects() external {
        uint256 id = vm.createSelectFork("node", 1234);
        require(vm.activeFork() == id, "active");
        forked();
        (bool ok, bytes memory out) = COUNTER.call("");
        require(ok && abi.decode(out, (uint256)) == 1000, "call");
        require(vm.load(COUNTER, bytes32(uint256(100))) != bytes32(uint256(1000)), "it counts");
    }

    function testSelectsLater() external {
        uint256 id = vm.createFork("node", 1234);
        vm.makePersistent(address(0x1234));
        vm.selectFork(id);
        forked();
        vm.warp(500);
        vm.selectFork(id);
        require(block.timestamp == 500, "selected twice");
    }

    function testByAddress() external {
        vm.createSelectFork(vm.rpcUrl("node"), 1234);
        forked();
    }

    function testLatest() external {
        vm.createSelectFork("node");
        forked();
        vm.rollFork(1234);
        forked();
    }

    function testRolls() external {
        uint256 id = vm.createFork("node");
        vm.rollFork(id, 1234);
        vm.selectFork(id);
        forked();
    }

    function testChainIdIsTheForks() external {
        vm.chainId(99);
        vm.createSelectFork("node", 1234);
        forked();
    }

    function testBadNoneActive() external view {
        vm.activeFork();
    }

    function testBadNoSuchFork() external {
        vm.selectFork(3);
    }

    function testBadNoSuchAlias() external {
        vm.createSelectFork("nowhere", 1234);
    }

    function testBadNothingToRoll() external {
        vm.rollFork(1234);
    }
}
