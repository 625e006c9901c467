// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import {ERC20Permit, ERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Guard} from "./Numbers.sol";

// Guards that only somebody who knows something passes: a private key, or what was
// hashed.

contract OwnerSigned is Guard {
    address private immutable owner = msg.sender;

    function f(uint256 amount, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 digest = keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", keccak256(abi.encode(amount, address(this)))));
        if (ecrecover(digest, v, r, s) == owner && amount > 1000) emit Solved();
    }
}

contract OwnerSignedBytes is Guard {
    address private immutable owner = msg.sender;

    function f(address to, bytes calldata signature) external {
        bytes32 digest = ECDSA.toEthSignedMessageHash(keccak256(abi.encode(to, msg.sender)));
        require(ECDSA.recover(digest, signature) == owner, "not signed by the owner");
        emit Solved();
    }
}

contract CompactSigned is Guard {
    function f(address signer, bytes32 hash, bytes32 r, bytes32 vs) external {
        require(signer != address(0) && hash != 0 && ECDSA.recover(hash, r, vs) == signer, "not signed");
        emit Solved();
    }
}

contract TwoOwners is Guard {
    mapping(address => bool) private isOwner;

    constructor(address a, address b) {
        require(a != b && a != address(0) && b != address(0));
        isOwner[a] = isOwner[b] = true;
    }

    function f(bytes32 hash, bytes calldata first, bytes calldata second) external {
        address a = ECDSA.recover(hash, first);
        address b = ECDSA.recover(hash, second);
        require(isOwner[a] && isOwner[b] && a != b, "two owners");
        emit Solved();
    }
}

contract PermitAndPull is Guard, ERC20Permit {
    constructor() ERC20("Coin", "C") ERC20Permit("Coin") {}

    // So that only a permit is left.
    function approve(address, uint256) public pure override returns (bool) {
        revert("sign a permit");
    }

    function increaseAllowance(address, uint256) public pure override returns (bool) {
        revert("sign a permit");
    }

    function f(address owner, uint256 amount) external {
        if (amount > 1 ether && allowance(owner, address(this)) >= amount) emit Solved();
    }
}

contract MerkleLeaf is Guard {
    bytes32 private root;

    function setRoot(bytes32 newRoot) external {
        root = newRoot;
    }

    function f(bytes32[] calldata proof, address account, uint256 amount) external {
        bytes32 leaf = keccak256(bytes.concat(keccak256(abi.encode(account, amount))));
        require(proof.length > 1 && MerkleProof.verifyCalldata(proof, root, leaf), "no such leaf");
        emit Solved();
    }
}

contract RoleByHash is Guard {
    mapping(bytes32 => mapping(address => bool)) private roles;

    function grant(bytes32 role, address account) external {
        roles[role][account] = true;
    }

    function f(address account) external {
        if (account != msg.sender && roles[keccak256("KEEPER_OF_KEYS")][account]) emit Solved();
    }
}

contract Command is Guard {
    function f(string calldata name, bytes calldata data) external {
        if (keccak256(abi.encodePacked(name)) == keccak256("mint") && keccak256(data) == keccak256(hex"c0ffee00c0de")) emit Solved();
    }
}

// A wallet's quorum: three signatures in an array, their owners in ascending order.
contract Quorum is Guard {
    mapping(address => bool) private isOwner;

    constructor(address a, address b, address c) {
        require(a != b && b != c && a != c);
        isOwner[a] = isOwner[b] = isOwner[c] = true;
    }

    function f(bytes32 hash, bytes[] calldata signatures) external {
        require(signatures.length == 3, "three");
        address last;
        for (uint256 i = 0; i < 3; i++) {
            address owner = ECDSA.recover(hash, signatures[i]);
            require(isOwner[owner] && owner > last, "owners in order");
            last = owner;
        }
        emit Solved();
    }
}
