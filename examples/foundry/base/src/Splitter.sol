// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Owned} from "./Owned.sol";
import {Shares} from "@libraries/Shares.sol";

/// Splits what it receives among payees, by the shares they hold.
contract Splitter is Owned {
    using Shares for Shares.Book;

    Shares.Book private book;
    mapping(address payee => uint256) public released;
    uint256 public totalReleased;

    event Released(address indexed payee, uint256 amount);

    error NothingDue(address payee);

    receive() external payable {}

    function setShares(address payee, uint96 shares) external onlyOwner {
        book.set(payee, shares);
    }

    function due(address payee) public view returns (uint256) {
        uint256 received = address(this).balance + totalReleased;
        return book.portion(payee, received) - released[payee];
    }

    function release(address payable payee) external {
        uint256 amount = due(payee);
        if (amount == 0) revert NothingDue(payee);
        released[payee] += amount;
        totalReleased += amount;
        emit Released(payee, amount);
        (bool sent,) = payee.call{value: amount}("");
        require(sent, "not sent");
    }
}
