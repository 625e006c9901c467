// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract FeeModule {
    uint256 public fee;
    uint256 public epochEnd;
    uint8 public mode;

    constructor() {
        epochEnd = block.timestamp + 3 days;
        mode = 1;
    }

    function setFee(uint256 value) external {
        require(value < 10_000, "fee too high");
        fee = value;
    }

    function close() external {
        require(block.timestamp >= epochEnd, "too early");
        epochEnd = 0;
    }

    function quote(uint256 amount) external view returns (uint256) {
        require(mode == 1);
        if (mode == 2) {
            return 0;
        }
        return (amount * fee) / 10_000;
    }
}
