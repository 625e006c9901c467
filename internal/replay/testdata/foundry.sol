// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2;

// SL-1 assertion: too * / much at test.sol:Lender
// Save it as SL_1.t.sol, and run: forge test --match-test test_SL_1 -vvv
// It fails as long as the finding happens, and ends early, with a log, where a call before it ends otherwise than when it was found.

import {LenderTest} from "./test.sol";

interface SightlineVm {
    function deal(address account, uint256 wei_) external;
    function warp(uint256 time) external;
    function roll(uint256 number) external;
    function prank(address sender, address origin) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
}

contract Sightline_SL_1 is LenderTest {
    SightlineVm private constant sightline = SightlineVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function sightlineHeld(uint256 slot, uint256 offset) private view returns (address) {
        return address(uint160(uint256(sightline.load(address(this), bytes32(slot))) >> (8 * offset)));
    }

    function sightlineLog(string memory text) private view {
        (bool ok, ) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(abi.encodeWithSignature("log(string)", text));
        ok;
    }

    // What the World has beyond setUp().
    function sightlineWorld() private {
        (bool stopped, ) = address(sightline).call(abi.encodeWithSignature("stopPrank()")); // a prank that setUp() left open
        stopped;
        sightline.deal(address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01), 79228162514264337593543950336);
    }

    function test_SL_1() public {
        bool ok;
        bytes memory out;
        sightlineWorld();

        // 1. user1 lender.borrow{value: 15}(5)
        sightline.warp(1000000);
        sightline.roll(500);
        sightline.prank(address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01), address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01));
        (ok, out) = sightlineHeld(0, 1) /* lender */.call{value: 15}(hex"c5ebeaec0000000000000000000000000000000000000000000000000000000000000005");
        if (!ok) return sightlineLog("call 1 fails, unlike when it was found");

        // 2. user1 lender.borrow{value: 14}(5)
        sightline.warp(1000000);
        sightline.roll(500);
        sightline.prank(address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01), address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01));
        (ok, out) = sightlineHeld(0, 1) /* lender */.call{value: 14}(hex"c5ebeaec0000000000000000000000000000000000000000000000000000000000000005");
        if (!ok && keccak256(out) == 0x4e59bf13a380f3aae633017491de600f77b5b97e571296e6027569804eaee41b) {
            assembly { revert(add(out, 32), mload(out)) } // the finding: the call should not fail like this
        }
    }
}
