// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Keeps fees for whom it was made by.
abstract contract Treasury {
    address public immutable beneficiary;
    uint256 public collected;

    constructor(address payable beneficiary_) {
        beneficiary = beneficiary_ == address(0) ? msg.sender : beneficiary_;
    }

    function collect(uint256 amount) internal {
        collected += amount;
    }

    function withdraw() external {
        uint256 amount = collected;
        collected = 0;
        (bool sent,) = beneficiary.call{value: amount}("");
        require(sent, "not sent");
    }
}
