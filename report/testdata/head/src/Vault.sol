// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./FeeModule.sol";

contract Vault {
    FeeModule public fees;
    address public guardian;
    uint256 public total;
    mapping(address => uint256) public balanceOf;

    constructor(FeeModule fees_) {
        fees = fees_;
    }

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        total += msg.value;
    }

    function withdrawAll() external {
        uint256 amount = balanceOf[msg.sender];
        (bool ok, ) = msg.sender.call{value: amount}("");
        require(ok, "payment failed");
        balanceOf[msg.sender] = 0;
        total -= amount;
        assert(address(this).balance >= total);
    }

    function pause() external {
        require(msg.sender == guardian, "only guardian");
        fees = FeeModule(address(0));
    }
}
