// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

/// @title A wallet of several owners with a daily limit, as those of 2016 were
contract Wallet {
    struct Operation {
        address to;
        uint256 value;
        bytes data;
        uint256 confirmations;
        bool done;
    }

    mapping(address => bool) public isOwner;
    address[] public owners;
    uint256 public required = 1;
    uint256 public dailyLimit;
    uint256 public spentToday;
    uint256 public lastDay;
    Operation[] private operations;
    mapping(uint256 => mapping(address => bool)) public confirmed;

    event Executed(uint256 operation, bool success);

    constructor() payable {
        isOwner[msg.sender] = true;
        owners.push(msg.sender);
    }

    modifier onlyOwner() {
        require(isOwner[msg.sender], "owner");
        _;
    }

    modifier onlyWallet() {
        require(msg.sender == address(this), "wallet");
        _;
    }

    receive() external payable {}

    function add(address owner) external onlyOwner {
        require(owners.length < 3, "by operation now");
        addOwner(owner);
    }

    function addOwner(address owner) internal {
        require(owner != address(0) && !isOwner[owner], "known");
        isOwner[owner] = true;
        owners.push(owner);
    }

    function addByWallet(address owner) external onlyWallet {
        addOwner(owner);
    }

    function removeOwner(address owner) external onlyWallet {
        require(isOwner[owner], "unknown");
        isOwner[owner] = false;
        for (uint256 i = 0; i < owners.length; i++) {
            if (owners[i] == owner) {
                owners[i] = owners[owners.length - 1];
                owners.pop();
                break;
            }
        }
        if (required > owners.length) {
            required = owners.length;
        }
    }

    function setRequired(uint256 n) external onlyOwner {
        require(n > required && n <= owners.length, "number");
        required = n;
    }

    function setDailyLimit(uint256 limit) external onlyWallet {
        dailyLimit = limit;
    }

    function propose(address to, uint256 value, bytes calldata data) external onlyOwner returns (uint256 id) {
        id = operations.length;
        operations.push(Operation(to, value, data, 0, false));
        confirm(id);
    }

    function confirm(uint256 id) public onlyOwner {
        Operation storage o = operations[id];
        require(!o.done, "done");
        require(!confirmed[id][msg.sender], "confirmed");
        confirmed[id][msg.sender] = true;
        o.confirmations++;
        if (o.confirmations >= required) {
            execute(id);
        }
    }

    function revoke(uint256 id) external onlyOwner {
        require(confirmed[id][msg.sender], "not confirmed");
        confirmed[id][msg.sender] = false;
        operations[id].confirmations--;
    }

    function execute(uint256 id) internal {
        Operation storage o = operations[id];
        o.done = true;
        (bool ok, ) = o.to.call{value: o.value}(o.data);
        if (!ok) {
            o.done = false;
            o.confirmations = 0;
            for (uint256 i = 0; i < owners.length; i++) {
                if (confirmed[id][owners[i]]) {
                    confirmed[id][owners[i]] = false;
                }
            }
        }
        emit Executed(id, ok);
    }

    function spend(address payable to, uint256 amount) external onlyOwner {
        uint256 day = block.timestamp / 1 days;
        if (day > lastDay) {
            lastDay = day;
            spentToday = 0;
        }
        if (spentToday + amount <= dailyLimit) {
            spentToday += amount;
            to.transfer(amount);
            return;
        }
        revert("over the limit");
    }

    function pending() external view returns (uint256 n) {
        for (uint256 i = 0; i < operations.length; i++) {
            if (!operations[i].done && operations[i].confirmations > 0) {
                n++;
            }
        }
    }
}
