// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

/// @title What contracts do, in words that all solc versions since 0.4.26 understand
contract Ledger {
    struct Entry {
        uint64 time;
        address owner;
        uint256 amount;
    }

    address public owner;
    Entry[] private entries;
    mapping(address => uint256) public balances;
    mapping(address => mapping(address => bool)) public allowed;
    bytes32 public checksum;

    event Moved(address indexed from, address indexed to, uint256 amount, bytes note);

    constructor() public {
        owner = msg.sender;
        balances[msg.sender] = 1000000;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    function move(address to, uint256 amount, bytes memory note) public returns (bool) {
        require(to != address(0), "to nobody");
        require(balances[msg.sender] >= amount, "too little");
        balances[msg.sender] -= amount;
        balances[to] += amount;
        entries.push(Entry(uint64(block.timestamp), to, amount));
        emit Moved(msg.sender, to, amount, note);
        return true;
    }

    function moveAll(address[] memory to, uint256[] memory amounts) public {
        require(to.length == amounts.length, "lengths differ");
        for (uint256 i = 0; i < to.length; i++) {
            if (amounts[i] == 0) continue;
            if (i > 16) break;
            move(to[i], amounts[i], abi.encodePacked(i, to[i]));
        }
        assert(to.length == amounts.length);
    }

    function allow(address other, bool yes) public {
        allowed[msg.sender][other] = yes;
    }

    function take(address from, uint256 amount) public {
        require(allowed[from][msg.sender] || (msg.sender == owner && amount < 10), "not allowed");
        balances[from] = less(balances[from], amount);
        balances[msg.sender] = more(balances[msg.sender], amount);
    }

    function seal(bytes memory data) public onlyOwner returns (bytes32) {
        checksum = keccak256(abi.encode(checksum, data, sum()));
        return checksum;
    }

    function sum() public view returns (uint256 total) {
        for (uint256 i = 0; i < entries.length; i++) {
            Entry memory e = entries[i];
            total = more(total, e.amount);
        }
    }

    function largest(uint256[3] memory list) public pure returns (uint256 best) {
        uint256 i = 0;
        while (i != 3) {
            best = list[i] > best ? list[i] : best;
            i++;
        }
        assert(i == 3);
    }

    function less(uint256 a, uint256 b) internal pure returns (uint256) {
        require(b <= a, "underflow");
        return a - b;
    }

    function more(uint256 a, uint256 b) internal pure returns (uint256) {
        uint256 c = a + b;
        require(c >= a, "overflow");
        return c;
    }
}
