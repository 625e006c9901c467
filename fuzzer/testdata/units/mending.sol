// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Checks: each function asks for something else.
contract Checks {
    address public keeper;
    uint256 public due;
    uint256 public price;
    uint256 public passed;

    function keep(address keeper_) external {
        keeper = keeper_;
    }

    function set(uint256 price_) external {
        price = price_;
        due = block.timestamp + 30 days;
    }

    function byKeeper() external {
        require(msg.sender == keeper, "not the keeper");
        passed++;
    }

    function byNobody() external {
        require(msg.sender == address(this), "not itself");
        passed++;
    }

    function afterwards() external {
        require(block.timestamp > due, "too early");
        passed++;
    }

    function exactly(uint256 number) external {
        require(number == price, "another number");
        passed++;
    }

    function atMost(uint256 number) external {
        require(number <= price, "too much");
        passed++;
    }

    function below(uint256 number) external {
        require(number < price, "too much");
        passed++;
    }

    function paying() external payable {
        require(msg.value == price, "another price");
        passed++;
    }

    function small(uint256 number) external {
        require(number == price, "another number");
        passed++;
    }
}

// Till: what is given back is paid from what others have left there, since it is noted twice. Only its owner opens it.
contract Till {
    address public owner = msg.sender;
    bool public isOpen;
    mapping(address => uint256) public left;

    function open() external {
        require(msg.sender == owner, "not the owner");
        isOpen = true;
    }

    function leave() external payable {
        require(isOpen, "closed");
        left[msg.sender] += msg.value;
    }

    function give(address to) external {
        require(left[msg.sender] > 0, "nothing");
        left[to] += left[msg.sender];
    }

    function take() external {
        uint256 amount = left[msg.sender];
        require(amount > 0, "nothing");
        left[msg.sender] = 0;
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok, "not paid");
    }
}
