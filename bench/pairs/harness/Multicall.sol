// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./utils/Multicall.sol";

contract Harness is Multicall {
    uint256 public count;

    function increment() external {
        count += 1;
    }
}
