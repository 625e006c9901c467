// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A crowdsale with a fixed goal
/// @notice Investments count until the goal is met. The next one closes the sale; it is kept apart as
/// surplus, and its sender can reclaim it. A sale that misses its goal is cancelled and refunded.
contract Crowdsale {
    enum Phase {
        Funding,
        Closed,
        Cancelled
    }

    uint256 public constant GOAL = 40 ether;
    uint256 public constant MIN_INVESTMENT = 1 ether;
    uint256 public constant DURATION = 14 days;

    address public immutable beneficiary;
    uint256 public immutable deadline;

    Phase public phase;
    uint256 public raised;
    mapping(address => uint256) public invested;
    mapping(address => uint256) public surplus;

    event Invested(address indexed investor, uint256 amount);
    event Paid(address indexed to, uint256 amount);

    constructor() {
        beneficiary = msg.sender;
        deadline = block.timestamp + DURATION;
    }

    /// @notice Invests the ether sent along.
    function invest() external payable {
        require(phase == Phase.Funding, "sale is over");
        require(msg.value >= MIN_INVESTMENT, "investment too small");
        if (raised < GOAL) {
            invested[msg.sender] += msg.value;
            raised += msg.value;
            emit Invested(msg.sender, msg.value);
        } else {
            surplus[msg.sender] += msg.value;
            phase = Phase.Closed;
        }
    }

    /// @notice Cancels a sale that missed its goal.
    function cancel() external {
        require(phase == Phase.Funding, "sale is over");
        require(block.timestamp >= deadline, "sale is running");
        require(raised > 0, "nothing to refund");
        require(raised < GOAL, "goal is met");
        phase = Phase.Cancelled;
    }

    /// @notice Pays the beneficiary once the sale is closed.
    function withdraw() external {
        require(msg.sender == beneficiary, "not the beneficiary");
        require(phase == Phase.Closed, "sale is not closed");
        uint256 amount = raised;
        raised = 0;
        _pay(beneficiary, amount);
    }

    /// @notice Returns the caller's surplus.
    function reclaim() external {
        uint256 amount = surplus[msg.sender];
        require(amount > 0, "nothing to reclaim");
        surplus[msg.sender] = 0;
        assert(address(this).balance >= amount);
        _pay(msg.sender, amount);
    }

    /// @notice Returns the caller's investment after a cancelled sale.
    function refund() external {
        require(phase == Phase.Cancelled, "sale is not cancelled");
        uint256 amount = invested[msg.sender];
        require(amount > 0, "nothing to refund");
        invested[msg.sender] = 0;
        _pay(msg.sender, amount);
    }

    /// @dev Sends ether; a receiver that refuses it makes the call fail.
    function _pay(address to, uint256 amount) private {
        (bool sent, ) = to.call{value: amount}("");
        require(sent, "payment failed");
        emit Paid(to, amount);
    }
}
