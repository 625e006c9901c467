// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./utils/Base64.sol";

contract Harness {
    function encode(bytes memory data) external pure returns (string memory) {
        return Base64.encode(data);
    }
}
