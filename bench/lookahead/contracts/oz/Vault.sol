// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// @title An ERC-4626 vault as OpenZeppelin has it
contract Vault is ERC4626 {
    constructor(IERC20 asset_) ERC20("Vault", "VLT") ERC4626(asset_) {}
}
