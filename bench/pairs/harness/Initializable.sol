// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./proxy/utils/Initializable.sol";

contract Harness is Initializable {
    uint256 public initialized;

    function initialize(address callback) external initializer {
        (bool success, ) = callback.call("");
        require(success, "callback failed");
        initialized += 1;
    }
}
