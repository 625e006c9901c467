// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Contracts that need rights over others: by a role, in a list, as the only one.

contract Scrip {
    bytes32 public constant ENGINE_ROLE = keccak256("ENGINE_ROLE");
    bytes32 public constant AUDITOR_ROLE = keccak256("AUDITOR_ROLE");
    mapping(bytes32 => mapping(address => bool)) public hasRole;
    mapping(address => uint256) public printed;
    address internal immutable admin = msg.sender;

    function grantRole(bytes32 role, address account) external {
        require(msg.sender == admin, "not the admin");
        hasRole[role][account] = true;
    }

    function print(address to, uint256 amount) external {
        require(hasRole[ENGINE_ROLE][msg.sender], "not an engine");
        printed[to] += amount;
    }

    function note(uint256 amount) external {
        require(hasRole[AUDITOR_ROLE][msg.sender], "not an auditor");
        printed[msg.sender] += amount;
    }
}

contract Press {
    Scrip internal immutable scrip;

    constructor(Scrip scrip_) {
        scrip = scrip_;
    }

    function print(uint256 amount) external {
        scrip.print(msg.sender, amount);
    }
}

contract Depot {
    mapping(address => bool) public isWorker;
    address public owner = msg.sender;
    address public keeper = msg.sender;
    uint256 public kept;
    uint256 public cleaned;
    uint256 public burned;

    function setWorker(address worker, bool works) external {
        require(msg.sender == owner, "not the owner");
        isWorker[worker] = works;
    }

    function setKeeper(address keeper_) external {
        require(msg.sender == owner, "not the owner");
        keeper = keeper_;
    }

    function setOwner(address owner_) external {
        require(msg.sender == owner, "not the owner");
        owner = owner_;
    }

    function store(uint256 amount) external {
        require(isWorker[msg.sender], "not a worker");
        kept += amount;
    }

    function clean() external {
        require(msg.sender == keeper, "not the keeper");
        cleaned++;
    }

    function burn() external {
        require(msg.sender == owner, "not the owner");
        burned++;
    }
}

contract Crew {
    Depot public depot;

    constructor(Depot depot_) {
        depot = depot_;
    }

    function store(uint256 amount) external {
        depot.store(amount);
    }

    function burn() external {
        depot.burn();
    }
}

contract Janitor {
    Depot public immutable depot;

    constructor(Depot depot_) {
        depot = depot_;
    }

    function clean() external {
        depot.clean();
    }
}

// Guest knows the depot and works nowhere.
contract Guest {
    Depot public immutable depot;

    constructor(Depot depot_) {
        depot = depot_;
    }

    function look() external view returns (uint256) {
        return depot.kept();
    }
}
