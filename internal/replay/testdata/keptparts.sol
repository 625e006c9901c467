// SPDX-License-Identifier: UNLICENSED
// Written by `sightline tests`: kept_both, 743fa76566d8157878dbdc686f122f1d. Once it is changed by hand, it stays as it is.
pragma solidity >=0.6.2;

// what it shows
// This test FAILS as long as the finding happens. Once that is mended it passes, and keeps it from coming back.
// It also passes, with a log, where a call before the last one ends otherwise than when it was found.

import {VaultTest} from "./test.sol";
import {OtherTest} from "./test.sol";

interface SightlineVm {
    function deal(address account, uint256 wei_) external;
    function warp(uint256 time) external;
    function roll(uint256 number) external;
    function prank(address sender, address origin) external;
    function setNonce(address account, uint64 nonce) external;
    function etch(address account, bytes calldata code) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
}

contract SightlineRunner {
    function create(bytes memory code) public returns (address made) {
        assembly { made := create(0, add(code, 32), mload(code)) }
    }

    function run(address to, bytes memory data) public returns (bool ok) {
        (ok, ) = to.call(data);
    }
}

contract Sightline_kept_both {
    SightlineVm private constant sightline = SightlineVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address private constant sightlineTest = address(uint160(uint256(keccak256("the code of the project's test"))));

    // This contract is where VaultTest would be under forge, and becomes it, but for its tests: it runs the constructor
    // and setUp() on its own storage, and does what VaultTest does where it is called.
    function setUp() public {
        sightline.etch(sightlineTest, type(VaultTest).creationCode);
        (bool ok, bytes memory out) = sightlineTest.delegatecall("");
        require(ok, "the constructor of VaultTest fails");
        sightline.etch(sightlineTest, out);
        (ok, out) = sightlineTest.delegatecall(abi.encodeWithSignature("setUp()"));
        require(ok, "setUp() of VaultTest fails");
    }

    fallback() external payable { sightlineForward(); }
    receive() external payable { sightlineForward(); }

    function sightlineForward() private {
        address to = sightlineTest;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }

    function sightlineSetUp(address sender, uint64 nonce, address at, bytes memory code) private {
        sightline.etch(sender, type(SightlineRunner).runtimeCode);
        sightline.setNonce(sender, nonce);
        sightline.deal(at, 79228162514264337593543950335);
        require(SightlineRunner(sender).create(code) == at, "a test contract is not where it was when the World was made");
        sightline.etch(sender, "");
    }

    function sightlineRun(address sender, address to, bytes memory data) private {
        sightline.etch(sender, type(SightlineRunner).runtimeCode);
        require(SightlineRunner(sender).run(to, data), "a test's function fails, unlike when the World was made");
        sightline.etch(sender, "");
    }

    function sightlineAlso(bytes memory data) private {
        (bool ok, ) = address(this).delegatecall(data);
        require(ok, "a test's function fails, unlike when the World was made");
    }

    function sightlineHeld(uint256 slot, uint256 offset) private view returns (address) {
        return address(uint160(uint256(sightline.load(address(this), bytes32(slot))) >> (8 * offset)));
    }

    function sightlineCode(address account) private view returns (uint256 size) {
        assembly { size := extcodesize(account) }
    }

    function sightlineLog(string memory text) private view {
        (bool ok, ) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(abi.encodeWithSignature("log(string)", text));
        ok;
    }

    // What the World has beyond setUp().
    function sightlineWorld() private {
        sightlineSetUp(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38, 3, address(0x90193C961A926261B756D1E5bb255e67ff9498A1) /* otherTest */, type(OtherTest).creationCode);
        sightlineRun(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38, address(0x90193C961A926261B756D1E5bb255e67ff9498A1) /* otherTest */, hex"0a9254e4"); // setUp()
        sightlineAlso(hex"14a4dc0a"); // testExtra()
        sightlineRun(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38, address(0x90193C961A926261B756D1E5bb255e67ff9498A1) /* otherTest */, hex"83e2e1ec0000000000000000000000000000000000000000000000000000000000000029"); // testMade(uint256)
        (bool stopped, ) = address(sightline).call(abi.encodeWithSignature("stopPrank()")); // a prank that setUp() left open
        stopped;
        sightline.deal(address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01), 79228162514264337593543950336);
        require(sightlineCode(address(0x6b182f1488E8EfEb2Eb298155ed5Bd7FF8A14042) /* vault#2 */) > 0, "vault_2 is missing at its address");
    }

    function test_kept_both() public {
        bool ok;
        bytes memory out;
        sightlineWorld();

        // 1. user1 vault#2.set(4)
        sightline.warp(77);
        sightline.roll(1);
        sightline.prank(address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01), address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01));
        (ok, out) = address(0x6b182f1488E8EfEb2Eb298155ed5Bd7FF8A14042) /* vault#2 */.call(hex"60fe47b10000000000000000000000000000000000000000000000000000000000000004");
        if (!ok) return sightlineLog("call 1 fails, unlike when it was found");

        // 2. user1 vault.set(5)
        sightline.warp(77);
        sightline.roll(1);
        sightline.prank(address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01), address(0x2085218B91568A29C0105CFc787BfA8b4a5fda01));
        (ok, out) = sightlineHeld(0, 0) /* vault */.call(hex"60fe47b10000000000000000000000000000000000000000000000000000000000000005");
        if (!ok && keccak256(out) == 0x314554d993038be930093c92580516002da759735f43a2fe24e56f614a7f6d6b) {
            assembly { revert(add(out, 32), mload(out)) } // the finding: the call should not fail like this
        }
    }
}
