// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Deals between two accounts. What a dispute needs is written by a function in which no target is, and which another account has to call.
contract Deals {
    enum Status {
        None,
        Open,
        Delivered,
        Disputed,
        Closed
    }

    struct Deal {
        address client;
        address contractor;
        uint128 amount;
        uint64 deadline;
        Status status;
    }

    mapping(uint256 => Deal) public deals;
    uint256 public count;
    uint256 public disputes;

    error WrongStatus(uint256 id, Status status);

    function create(address contractor, uint128 amount, uint64 deadline) external {
        require(contractor != address(0) && contractor != msg.sender && amount > 0, "parties");
        require(deadline > block.timestamp && deadline < block.timestamp + 365 days, "deadline");
        deals[++count] = Deal(msg.sender, contractor, amount, deadline, Status.Open);
    }

    function close(uint256 id) external {
        Deal storage deal = dealIn(id, Status.Open);
        require(msg.sender == deal.client && block.timestamp > deal.deadline, "early");
        deal.status = Status.Closed;
    }

    function deliver(uint256 id) external {
        Deal storage deal = dealIn(id, Status.Open);
        require(msg.sender == deal.contractor, "not yours");
        require(block.timestamp <= deal.deadline, "late");
        deal.status = Status.Delivered;
    }

    function dispute(uint256 id) external {
        Deal storage deal = dealIn(id, Status.Delivered);
        require(msg.sender == deal.client, "not yours");
        deal.status = Status.Disputed;
        disputes++;
    }

    function dealIn(uint256 id, Status status) private view returns (Deal storage deal) {
        deal = deals[id];
        if (deal.status != status) revert WrongStatus(id, deal.status);
    }
}
