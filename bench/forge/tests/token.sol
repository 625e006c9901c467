// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Token} from "../src/Token.sol";
import {Targets} from "./Targets.sol";

/// @notice Only the owner can mint: the few senders that calls are made by, the owner among them, are named.
contract Plain is Targets {
    function setUp() public {
        sender(address(0xa1));
        sender(address(0xa2));
        sender(address(0xa3));
        target(address(new Token("Token", address(0xa1), 1_000_000_000)));
    }
}

contract Handler {
    Token private immutable token = new Token("Token", address(this), 1_000_000_000);

    function mint(uint256 amount) external {
        token.mint(address(this), amount);
    }

    function setFee(uint256 bps) external {
        token.setFee(bps);
    }

    function grant(address to, uint256 amount, uint64 duration) external {
        token.grant(to, amount, duration);
    }

    function claim() external {
        token.claim();
    }

    /// @dev Only the head version has it.
    function burn(uint256 amount) external {
        (bool success, ) = address(token).call(abi.encodeWithSignature("burn(uint256)", amount));
        require(success);
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
}

contract Handled is Targets {
    function setUp() public {
        target(address(new Handler()));
    }
}

contract Stateless {
    Token private token = new Token("Token", address(this), 1_000_000_000);

    function testFuzz_mint(address to, uint256 amount) public {
        try token.mint(to, amount) {} catch {}
    }

    function testFuzz_approve(address to, uint256 amount) public {
        try token.approve(to, amount) {} catch {}
    }

    function testFuzz_transfer(address to, uint256 amount) public {
        try token.transfer(to, amount) {} catch {}
    }
}
