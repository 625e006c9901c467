// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Token {
    string public name;
    mapping(address => uint256) public balanceOf;
    address public owner = msg.sender;

    constructor(string memory name_) {
        name = name_;
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == owner, "not the owner");
        balanceOf[to] += amount;
    }

    function mint(uint256 amount) external {
        balanceOf[msg.sender] += amount;
    }
}

struct Fees {
    uint16 entry;
    int64 exit;
    address[] takers;
}

contract Vault {
    Token public token;
    address public keeper;
    Fees fees;
    bytes32 public tag;

    constructor(Fees memory fees_, bytes32 tag_, bool locked) payable {
        require(!locked, "locked");
        fees = fees_;
        tag = tag_;
    }

    function initialize(Token token_, address keeper_) external {
        require(address(token) == address(0), "again");
        token = token_;
        keeper = keeper_;
    }

    function taker(uint256 i) external view returns (address) {
        return fees.takers[i];
    }
}

contract Proxy {
    bytes32 constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address logic, bytes memory data) {
        assembly {
            sstore(SLOT, logic)
        }
        (bool ok,) = logic.delegatecall(data);
        require(ok, "initialization failed");
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract Forgotten {
    function changed() external {}
}

interface IToken {
    function owner() external view returns (address);
}

// Its constructor uses more gas than a transaction gets: 22,100 for each word.
contract Large {
    uint256[1 << 32] words;

    constructor(uint256 n) {
        for (uint256 i = 0; i < n; i++) words[i] = 1;
    }
}
