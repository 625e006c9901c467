// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// Contracts that are taken over, or are not.
contract Logic {
    address public keeper;
    uint256 public fee;
    mapping(address => uint256) public paid;

    function initialize(uint256 x) external {
        keeper = msg.sender;
        fee = x;
    }

    function initiate(uint256 x) external {
        fee = x;
    }

    function initOf(uint256 x) external {
        paid[msg.sender] = x;
    }
}

contract Box {
    address public keeper;
    uint256 public fee;
    mapping(address => uint256) public paid;
    address private immutable logic;

    constructor(Logic l) {
        logic = address(l);
        keeper = msg.sender;
        fee = 7;
    }

    function run(bytes calldata data) external {
        (bool ok,) = logic.delegatecall(data);
        require(ok);
    }

    function runAny(address to, bytes calldata data) external {
        require(msg.sender == keeper, "keeper");
        (bool ok,) = to.delegatecall(data);
        require(ok);
    }
}

// The keys of EIP-1967, for anyone.
contract Slots {
    bytes32 private constant BEACON = bytes32(uint256(keccak256("eip1967.proxy.beacon")) - 1);
    bytes32 private constant ADMIN = bytes32(uint256(keccak256("eip1967.proxy.admin")) - 1);
    bytes32 private constant LOGIC = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);

    function set(bytes32 slot, address to) private {
        assembly { sstore(slot, to) }
    }

    function get(bytes32 slot) private view returns (address to) {
        assembly { to := sload(slot) }
    }

    function setBeacon(address to) external { set(BEACON, to); }
    function setAdmin(address to) external { set(ADMIN, to); }
    function setLogic(address to) external { set(LOGIC, to); }
    function setOther(address to) external { set(keccak256("other"), to); }

    function runLogic(bytes calldata data) external {
        (bool ok,) = get(LOGIC).delegatecall(data);
        require(ok);
    }
}

// Accounts in charge of something.
contract Charge {
    address public owner = msg.sender;
    address public pendingOwner;
    address public payer = msg.sender;
    address public manager;
    address private hidden = msg.sender;
    address private unset;
    uint256 public price = 5;
    uint256 public done;
    address[] public owners;

    function setOwner(address to) external { owner = to; }
    function setPending(address to) external { pendingOwner = to; }
    function setPayer(address to) external { payer = to; }
    function setManager(address to) external { manager = to; }
    function setHidden(address to) external { hidden = to; }
    function setUnset(address to) external { unset = to; }
    function addOwner(address to) external { owners.push(to); }

    function buy() external payable {
        require(msg.value >= price, "price");
        owner = msg.sender;
    }

    function finish(uint256 x) external {
        require(msg.sender == hidden, "hidden");
        done = x;
    }

    function check() external view returns (uint256) {
        require(msg.sender == hidden, "hidden");
        return done;
    }

    function finishUnset(uint256 x) external {
        require(msg.sender == unset, "unset");
        done = x;
    }

    function finishAnyway(uint256 x) external {
        if (msg.sender == hidden) price = 6;
        done = x;
    }
}

// Functions that are none of who is in charge, though one of their words is.
contract Odd {
    address private kept = msg.sender;
    uint256 private asked;

    function set(address to) external { kept = to; }

    function takeOwner() external returns (address) {
        asked += 1;
        return kept;
    }

    function ownerNumber() external view returns (uint256) { return uint160(kept); }
    function ownerAndMore() external view returns (address, uint256) { return (kept, 1); }
    function ownerUnless(bool not) external view returns (address) { return not ? address(0) : kept; }
    function payer() external view returns (address) { return kept; }
}
