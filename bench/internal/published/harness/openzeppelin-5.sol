// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {AccessControl} from "./access/AccessControl.sol";
import {ERC20} from "./token/ERC20/ERC20.sol";
import {ERC4626} from "./token/ERC20/extensions/ERC4626.sol";
import {ERC721} from "./token/ERC721/ERC721.sol";
import {IERC20} from "./token/ERC20/IERC20.sol";

// The package's tokens are abstract: these contracts make something of them.
contract Coin is ERC20, AccessControl {
    bytes32 public constant MINTER = keccak256("MINTER");

    constructor() ERC20("Coin", "COIN") {
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
        _mint(msg.sender, 1_000 ether);
    }

    function mint(address to, uint256 amount) external onlyRole(MINTER) {
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }
}

contract Vault is ERC4626 {
    constructor(Coin asset) ERC4626(asset) ERC20("Vault", "VLT") {}
}

contract Deeds is ERC721 {
    uint256 private next;

    constructor() ERC721("Deeds", "DEED") {}

    function mint(address to) external {
        _safeMint(to, next++);
    }

    function burn(uint256 id) external {
        _update(address(0), id, msg.sender);
    }
}
