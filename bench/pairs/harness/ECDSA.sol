// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./utils/cryptography/ECDSA.sol";

contract Harness {
    function recover(bytes32 hash, bytes memory signature) external pure returns (address) {
        return ECDSA.recover(hash, signature);
    }
}
