// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20PresetMinterPauser} from "../src/token/ERC20/presets/ERC20PresetMinterPauser.sol";
import {Targets} from "./Targets.sol";

/// @notice Mints and pauses, too, always as the same account.
contract Handler {
    ERC20PresetMinterPauser private immutable token = new ERC20PresetMinterPauser("Token", "TKN");

    function mint(uint256 amount) external {
        token.mint(address(this), amount);
    }

    function pause() external {
        token.pause();
    }

    function unpause() external {
        token.unpause();
    }

    function burn(uint256 amount) external {
        token.burn(amount);
    }

    function transfer(address to, uint256 amount) external {
        token.transfer(to, amount);
    }

    function approve(address to, uint256 amount) external {
        token.approve(to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        token.transferFrom(from, to, amount);
    }

    function grantRole(bytes32 role, address account) external {
        token.grantRole(role, account);
    }
}

contract Handled is Targets {
    function setUp() public {
        target(address(new Handler()));
    }
}

contract Stateless {
    ERC20PresetMinterPauser private token = new ERC20PresetMinterPauser("Token", "TKN");

    function testFuzz_mint(address to, uint256 amount) public {
        try token.mint(to, amount) {} catch {}
    }

    function testFuzz_transfer(address to, uint256 amount) public {
        try token.transfer(to, amount) {} catch {}
    }

    function testFuzz_grantRole(bytes32 role, address account) public {
        try token.grantRole(role, account) {} catch {}
    }
}
