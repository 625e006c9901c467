// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./utils/cryptography/MerkleProof.sol";

contract Harness {
    function verify(bytes32[] memory proof, bool[] memory flags, bytes32 root, bytes32[] memory leaves) external pure returns (bool) {
        return MerkleProof.multiProofVerify(proof, flags, root, leaves);
    }

    function verifyCalldata(bytes32[] calldata proof, bool[] calldata flags, bytes32 root, bytes32[] memory leaves)
        external
        pure
        returns (bool)
    {
        return MerkleProof.multiProofVerifyCalldata(proof, flags, root, leaves);
    }
}
