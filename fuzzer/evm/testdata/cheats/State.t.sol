// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// A test of cheatcodes as Foundry runs it: functions that begin with test pass, those that
// begin with testBad fail. Both machines and forge are asked.

interface Vm {
    function warp(uint256) external;
    function roll(uint256) external;
    function fee(uint256) external;
    function chainId(uint256) external;
    function coinbase(address) external;
    function prevrandao(bytes32) external;
    function txGasPrice(uint256) external;
    function blobBaseFee(uint256) external;
    function getBlockNumber() external view returns (uint256);
    function getBlockTimestamp() external view returns (uint256);
    function deal(address, uint256) external;
    function store(address, bytes32, bytes32) external;
    function load(address, bytes32) external view returns (bytes32);
    function etch(address, bytes calldata) external;
    function getNonce(address) external view returns (uint64);
    function setNonce(address, uint64) external;
    function setNonceUnsafe(address, uint64) external;
    function resetNonce(address) external;
    function label(address, string calldata) external;
    function getLabel(address) external view returns (string memory);
    function assume(bool) external pure;
    function addr(uint256) external pure returns (address);
    function sign(uint256, bytes32) external pure returns (uint8, bytes32, bytes32);
    function prank(address) external;
    function prank(address, address) external;
    function prank(address, bool) external;
    function startPrank(address) external;
    function startPrank(address, address) external;
    function stopPrank() external;
    function readCallers() external returns (uint8, address, address);
    function startBroadcast() external;
    function startBroadcast(address) external;
    function stopBroadcast() external;
    function broadcast(address) external;
    function expectRevert() external;
    function expectRevert(bytes4) external;
    function expectRevert(bytes calldata) external;
    function expectPartialRevert(bytes4) external;
    function mockCall(address, bytes calldata, bytes calldata) external;
    function mockCall(address, uint256, bytes calldata, bytes calldata) external;
    function mockCallRevert(address, bytes calldata, bytes calldata) external;
    function clearMockedCalls() external;
    function snapshotState() external returns (uint256);
    function revertToState(uint256) external returns (bool);
    function revertToStateAndDelete(uint256) external returns (bool);
    function deleteStateSnapshot(uint256) external returns (bool);
}

contract Callee {
    uint256 public number;
    address public creator;

    error Custom(uint256 code);
    error Plain();

    constructor() payable {
        creator = msg.sender;
    }

    function caller() external view returns (address) {
        return msg.sender;
    }

    function origin() external view returns (address) {
        return tx.origin;
    }

    function pay() external payable returns (address) {
        return msg.sender;
    }

    function through() external view returns (address) {
        return this.caller();
    }

    function set(uint256 n) external {
        number = n;
    }

    function fail() external pure returns (uint256, string memory) {
        revert("no luck");
    }

    function custom(uint256 code) external pure {
        revert Custom(code);
    }

    function bare() external pure {
        revert();
    }

    function plain() external pure {
        revert Plain();
    }

    function divide(uint256 a, uint256 b) external pure returns (uint256) {
        return a / b;
    }

    function burn() external pure {
        assembly {
            invalid()
        }
    }
}

contract Picky {
    constructor(bool ok) {
        require(ok, "picky");
    }
}

contract Library {
    uint256 internal first;
    address public last;

    function run() external returns (address) {
        last = address(this);
        return msg.sender;
    }
}

contract StateTest {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address internal constant ALICE = address(0xA11CE);
    address internal constant BOB = address(0xB0B);

    Callee internal callee;
    Library internal code;
    bool public IS_TEST = true;

    function setUp() public {
        callee = new Callee();
        code = new Library();
        vm.deal(address(this), 100 ether);
    }

    function eq(uint256 a, uint256 b) internal pure {
        require(a == b, "numbers differ");
    }

    function eq(address a, address b) internal pure {
        require(a == b, "addresses differ");
    }

    function eq(bytes32 a, bytes32 b) internal pure {
        require(a == b, "words differ");
    }

    receive() external payable {}

    // ---- environment

    function testWarp() public {
        vm.warp(1234567);
        eq(block.timestamp, 1234567);
        eq(vm.getBlockTimestamp(), 1234567);
    }

    function testRoll() public {
        vm.roll(77);
        eq(block.number, 77);
        eq(vm.getBlockNumber(), 77);
    }

    function testFee() public {
        vm.fee(25 gwei);
        eq(block.basefee, 25 gwei);
    }

    function testChainId() public {
        vm.chainId(5);
        eq(block.chainid, 5);
    }

    function testCoinbase() public {
        vm.coinbase(ALICE);
        eq(block.coinbase, ALICE);
    }

    function testPrevrandao() public {
        vm.prevrandao(bytes32(uint256(99)));
        eq(block.prevrandao, 99);
    }

    function testGasPrice() public {
        vm.txGasPrice(7);
        eq(tx.gasprice, 7);
    }

    function warpAndFail(uint256 to) external {
        vm.warp(to);
        revert("after warp");
    }

    function testWarpOutlivesFailure() public {
        try this.warpAndFail(4321) {} catch {}
        eq(block.timestamp, 4321);
    }

    // ---- accounts

    function testDeal() public {
        vm.deal(ALICE, 3 ether);
        eq(ALICE.balance, 3 ether);
    }



    function testStoreLoad() public {
        vm.store(address(callee), bytes32(0), bytes32(uint256(41)));
        eq(callee.number(), 41);
        callee.set(42);
        eq(vm.load(address(callee), bytes32(0)), bytes32(uint256(42)));
    }

    function testEtch() public {
        vm.etch(ALICE, address(callee).code);
        Callee(ALICE).set(9);
        eq(Callee(ALICE).number(), 9);
        eq(ALICE.code.length, address(callee).code.length);
    }

    function testBadEtchPrecompile() public {
        vm.etch(address(4), hex"00");
    }

    function testNonce() public {
        vm.setNonce(ALICE, 10);
        eq(vm.getNonce(ALICE), 10);
        vm.setNonceUnsafe(ALICE, 4);
        eq(vm.getNonce(ALICE), 4);
        vm.resetNonce(ALICE);
        eq(vm.getNonce(ALICE), 0);
    }

    function testBadNonceGoesDown() public {
        vm.setNonce(ALICE, 10);
        vm.setNonce(ALICE, 9);
    }

    function testLabel() public {
        vm.label(ALICE, "Alice");
        eq(keccak256(bytes(vm.getLabel(ALICE))), keccak256("Alice"));
    }

    function testAssumeTrue() public pure {
        vm.assume(true);
    }

    // ---- keys

    function testAddrAndSign() public pure {
        bytes32 digest = keccak256("a message");
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(0xBEEF, digest);
        eq(ecrecover(digest, v, r, s), vm.addr(0xBEEF));
    }

    function testBadAddrOfZero() public pure {
        vm.addr(0);
    }

    // ---- pranks

    function testPrank() public {
        vm.prank(ALICE);
        eq(callee.caller(), ALICE);
        eq(callee.caller(), address(this));
    }

    function testPrankOrigin() public {
        address before = tx.origin;
        vm.prank(ALICE, BOB);
        eq(callee.origin(), BOB);
        eq(callee.origin(), before);
    }

    function testPrankDoesNotGoDeeper() public {
        vm.prank(ALICE);
        eq(callee.through(), address(callee));
    }

    function testPrankPays() public {
        vm.deal(ALICE, 1 ether);
        vm.prank(ALICE);
        eq(callee.pay{value: 0.4 ether}(), ALICE);
        eq(ALICE.balance, 0.6 ether);
        eq(address(this).balance, 100 ether);
    }

    function testBadPrankCannotPay() public {
        vm.prank(ALICE);
        callee.pay{value: 1 ether}();
    }

    function testPrankCreates() public {
        uint64 nonce = vm.getNonce(ALICE);
        vm.prank(ALICE);
        Callee made = new Callee();
        eq(made.creator(), ALICE);
        eq(vm.getNonce(ALICE), nonce + 1);
        eq(callee.caller(), address(this));
    }

    function testPrankCreates2() public {
        vm.prank(ALICE);
        Callee made = new Callee{salt: bytes32(uint256(1))}();
        eq(made.creator(), ALICE);
        bytes32 hash = keccak256(
            abi.encodePacked(bytes1(0xff), ALICE, bytes32(uint256(1)), keccak256(type(Callee).creationCode))
        );
        eq(address(made), address(uint160(uint256(hash))));
    }

    function testStartPrank() public {
        vm.startPrank(ALICE);
        eq(callee.caller(), ALICE);
        eq(callee.caller(), ALICE);
        eq(new Callee().creator(), ALICE);
        vm.stopPrank();
        eq(callee.caller(), address(this));
    }

    function testStartPrankAgain() public {
        vm.startPrank(ALICE);
        eq(callee.caller(), ALICE);
        vm.startPrank(BOB);
        eq(callee.caller(), BOB);
        vm.stopPrank();
    }

    function testStartPrankAsItself() public {
        vm.startPrank(address(this));
        eq(callee.caller(), address(this));
        vm.startPrank(ALICE);
        eq(callee.caller(), ALICE);
    }

    function testBadPrankAsItselfInPrank() public {
        vm.startPrank(address(this));
        vm.startPrank(ALICE);
    }

    function testBadPrankInPrank() public {
        vm.prank(ALICE);
        vm.prank(BOB);
    }

    function testBadPrankInStartPrank() public {
        vm.startPrank(ALICE);
        callee.caller();
        vm.prank(BOB);
    }

    function testPrankSurvivesCheatcodes() public {
        vm.prank(ALICE);
        vm.deal(BOB, 1);
        eq(callee.caller(), ALICE);
    }

    function testPrankDelegate() public {
        vm.etch(ALICE, address(callee).code);
        vm.prank(ALICE, true);
        (bool ok, bytes memory out) = address(code).delegatecall(abi.encodeWithSignature("run()"));
        require(ok, "failed");
        eq(abi.decode(out, (address)), ALICE);
        eq(vm.load(ALICE, bytes32(uint256(1))), bytes32(uint256(uint160(ALICE))));
    }

    function testPrankNoDelegate() public {
        vm.prank(ALICE);
        (bool ok, bytes memory out) = address(code).delegatecall(abi.encodeWithSignature("run()"));
        require(ok, "failed");
        eq(abi.decode(out, (address)), msg.sender);
    }

    function inner() external returns (address) {
        vm.prank(BOB);
        return callee.caller();
    }

    function testPrankInside() public {
        vm.startPrank(ALICE);
        eq(callee.caller(), ALICE);
        vm.stopPrank();
        eq(this.inner(), BOB);
    }

    function testReadCallers() public {
        (uint8 mode, address sender, address origin) = vm.readCallers();
        eq(mode, 0);
        eq(sender, origin);
        vm.startPrank(ALICE, BOB);
        (mode, sender, origin) = vm.readCallers();
        eq(mode, 4);
        eq(sender, ALICE);
        eq(origin, BOB);
    }

    function testBroadcast() public {
        vm.startBroadcast(ALICE);
        eq(callee.caller(), ALICE);
        eq(new Callee().creator(), ALICE);
        vm.stopBroadcast();
        eq(callee.caller(), address(this));
    }

    function testBadStopBroadcast() public {
        vm.stopBroadcast();
    }

    // ---- expectations

    function testExpectRevert() public {
        vm.expectRevert();
        callee.fail();
    }

    function testExpectRevertText() public {
        vm.expectRevert("no luck");
        callee.fail();
    }

    function testExpectRevertWithoutData() public {
        vm.expectRevert(bytes(""));
        callee.bare();
    }

    function testBadExpectRevertWithoutData() public {
        vm.expectRevert(bytes(""));
        callee.fail();
    }

    function testExpectRevertBytes() public {
        vm.expectRevert(bytes("no luck"));
        callee.fail();
    }

    function testBadExpectRevertOtherText() public {
        vm.expectRevert("good luck");
        callee.fail();
    }

    function testExpectRevertSelector() public {
        vm.expectRevert(Callee.Plain.selector);
        callee.plain();
    }

    function testBadExpectRevertSelectorOfMore() public {
        vm.expectRevert(Callee.Custom.selector);
        callee.custom(3);
    }

    function testExpectRevertCustom() public {
        vm.expectRevert(abi.encodeWithSelector(Callee.Custom.selector, 3));
        callee.custom(3);
    }

    function testBadExpectRevertCustom() public {
        vm.expectRevert(abi.encodeWithSelector(Callee.Custom.selector, 4));
        callee.custom(3);
    }

    function testExpectPartialRevert() public {
        vm.expectPartialRevert(Callee.Custom.selector);
        callee.custom(3);
    }

    function testExpectRevertPanic() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x12));
        callee.divide(1, 0);
    }

    function testExpectRevertInvalid() public {
        vm.expectRevert();
        callee.burn{gas: 100000}();
    }

    function testBadExpectRevertButSucceeds() public {
        vm.expectRevert();
        callee.set(1);
    }

    function testBadExpectRevertAndEnd() public {
        vm.expectRevert();
    }

    function testBadExpectRevertHere() public {
        vm.expectRevert("right here");
        revert("right here");
    }

    function testExpectRevertCreate() public {
        vm.expectRevert(bytes("picky"));
        new Picky(false);
    }

    function testBadExpectRevertCreate() public {
        vm.expectRevert(bytes("picky"));
        new Picky(true);
    }

    function testExpectRevertPrank() public {
        vm.prank(ALICE);
        vm.expectRevert();
        callee.fail();
        eq(callee.caller(), address(this));
    }

    function testExpectRevertOnce() public {
        vm.expectRevert();
        callee.fail();
        callee.set(5);
        eq(callee.number(), 5);
    }

    // ---- mocks

    function testMock() public {
        vm.mockCall(address(callee), abi.encodeWithSignature("number()"), abi.encode(77));
        eq(callee.number(), 77);
        callee.set(3);
        eq(callee.number(), 77);
        vm.clearMockedCalls();
        eq(callee.number(), 3);
    }

    function testMockNobody() public {
        vm.mockCall(BOB, abi.encodeWithSignature("number()"), abi.encode(5));
        eq(Callee(BOB).number(), 5);
    }

    function testMockArguments() public {
        vm.mockCall(address(callee), abi.encodeWithSelector(Callee.divide.selector), abi.encode(1));
        vm.mockCall(address(callee), abi.encodeWithSelector(Callee.divide.selector, 8), abi.encode(2));
        eq(callee.divide(9, 0), 1);
        eq(callee.divide(8, 0), 2);
    }

    function testMockValue() public {
        vm.mockCall(address(callee), 5, abi.encodeWithSelector(Callee.pay.selector), abi.encode(BOB));
        eq(callee.pay{value: 5}(), BOB);
        eq(callee.pay{value: 6}(), address(this));
    }

    function testMockRevert() public {
        vm.mockCallRevert(address(callee), abi.encodeWithSelector(Callee.set.selector), "mocked");
        try callee.set(1) {
            revert("did not fail");
        } catch (bytes memory reason) {
            eq(keccak256(reason), keccak256("mocked"));
        }
    }

    // ---- snapshots

    function testSnapshot() public {
        callee.set(1);
        vm.warp(100);
        uint256 id = vm.snapshotState();
        callee.set(2);
        vm.warp(200);
        vm.deal(ALICE, 4);
        Callee made = new Callee();
        require(vm.revertToState(id), "gone");
        eq(callee.number(), 1);
        eq(block.timestamp, 100);
        eq(ALICE.balance, 0);
        eq(address(made).code.length, 0);
        callee.set(3);
        require(vm.revertToStateAndDelete(id), "gone at last");
        eq(callee.number(), 1);
        require(!vm.revertToState(id), "still there");
    }

    function testSnapshotDeleted() public {
        uint256 id = vm.snapshotState();
        require(vm.deleteStateSnapshot(id), "not there");
        require(!vm.revertToState(id), "still there");
    }
}
