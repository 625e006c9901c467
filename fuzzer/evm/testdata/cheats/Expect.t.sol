// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// What is expected of the calls that come, and what is recorded of them.

interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    struct PotentialRevert {
        address reverter;
        bool partialMatch;
        bytes revertData;
    }

    function prank(address) external;
    function expectRevert(uint64) external;
    function expectRevert(bytes calldata, uint64) external;
    function expectRevert(address) external;
    function expectRevert(bytes calldata, address) external;
    function expectRevert(bytes4, address) external;
    function expectPartialRevert(bytes4, address) external;
    function expectEmit() external;
    function expectEmit(address) external;
    function expectEmit(uint64) external;
    function expectEmit(bool, bool, bool, bool) external;
    function expectEmit(bool, bool, bool, bool, address) external;
    function expectEmitAnonymous() external;
    function expectCall(address, bytes calldata) external;
    function expectCall(address, bytes calldata, uint64) external;
    function expectCall(address, uint256, bytes calldata) external;
    function expectCall(address, uint256, uint64, bytes calldata) external;
    function expectCallMinGas(address, uint256, uint64, bytes calldata) external;
    function expectCreate(bytes calldata, address) external;
    function expectCreate2(bytes calldata, address) external;
    function record() external;
    function stopRecord() external;
    function accesses(address) external returns (bytes32[] memory, bytes32[] memory);
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function setBlockhash(uint256, bytes32) external;
    function roll(uint256) external;
    function warp(uint256) external;
    function mockCalls(address, bytes calldata, bytes[] calldata) external;
    function mockCallRevert(address, bytes calldata, bytes calldata) external;
    function expectRevert() external;
    function expectRevert(bytes calldata) external;
}

contract Emitter {
    uint256 public stored;
    mapping(uint256 => uint256) public values;

    event Sent(address indexed from, address indexed to, uint256 amount);
    event Other(uint256 n);
    event Nameless(uint256 indexed n) anonymous;

    function send(address to, uint256 amount) external payable {
        emit Sent(msg.sender, to, amount);
    }

    function twice(address to, uint256 amount) external {
        emit Other(1);
        emit Sent(msg.sender, to, amount);
        emit Other(2);
        emit Sent(msg.sender, to, amount + 1);
    }

    function nameless(uint256 n) external {
        emit Nameless(n);
    }

    function quiet() external pure {}

    function set(uint256 n) external {
        stored = n;
        values[n] = stored + 1;
    }

    function fail(uint256 n) external pure {
        require(n == 0, "not zero");
    }

    function through(Emitter next) external pure {
        next.fail(1);
    }

    function callOther(Emitter other) external {
        other.send(address(1), 1);
    }
}

contract Small {
    uint256 public constant X = 1;
}

contract ExpectTest {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address internal constant ALICE = address(0xA11CE);
    bool public IS_TEST = true;

    Emitter internal emitter;
    Emitter internal second;

    event Sent(address indexed from, address indexed to, uint256 amount);
    event Other(uint256 n);
    event Nameless(uint256 indexed n) anonymous;

    function setUp() public {
        emitter = new Emitter();
        second = new Emitter();
    }

    function testEmit() public {
        vm.expectEmit();
        emit Sent(address(this), ALICE, 5);
        emitter.send(ALICE, 5);
    }

    function testBadEmitData() public {
        vm.expectEmit();
        emit Sent(address(this), ALICE, 5);
        emitter.send(ALICE, 6);
    }

    function testBadEmitTopic() public {
        vm.expectEmit();
        emit Sent(address(this), ALICE, 5);
        emitter.send(address(this), 5);
    }

    function testEmitChecksNothing() public {
        vm.expectEmit(false, false, false, false);
        emit Sent(ALICE, ALICE, 7);
        emitter.send(address(3), 5);
    }

    function testEmitChecksTopics() public {
        vm.expectEmit(true, true, false, false);
        emit Sent(address(this), ALICE, 7);
        emitter.send(ALICE, 5);
    }

    function testBadEmitOtherEvent() public {
        vm.expectEmit(false, false, false, false);
        emit Other(1);
        emitter.send(ALICE, 5);
    }

    function testEmitFrom() public {
        vm.expectEmit(address(emitter));
        emit Sent(address(this), ALICE, 5);
        emitter.send(ALICE, 5);
    }

    function testBadEmitFrom() public {
        vm.expectEmit(address(second));
        emit Sent(address(this), ALICE, 5);
        emitter.send(ALICE, 5);
    }

    function testEmitTwo() public {
        vm.expectEmit();
        emit Sent(address(this), ALICE, 5);
        vm.expectEmit();
        emit Sent(address(this), ALICE, 6);
        emitter.twice(ALICE, 5);
    }

    function testBadEmitTwoInOtherOrder() public {
        vm.expectEmit();
        emit Sent(address(this), ALICE, 6);
        vm.expectEmit();
        emit Sent(address(this), ALICE, 5);
        emitter.twice(ALICE, 5);
    }

    function testEmitWithPrank() public {
        vm.prank(ALICE);
        vm.expectEmit();
        emit Sent(ALICE, address(4), 5);
        emitter.send(address(4), 5);
    }

    function testBadEmitQuiet() public {
        vm.expectEmit();
        emit Sent(address(this), ALICE, 5);
        emitter.set(1);
    }

    function testBadEmitAtEnd() public {
        vm.expectEmit();
        emit Sent(address(this), ALICE, 5);
    }

    function testEmitCounted() public {
        vm.expectEmit(2);
        emit Other(1);
        emitterTwice();
    }

    function emitterTwice() internal {
        Repeater r = new Repeater();
        r.repeat(2);
    }

    function testBadEmitCounted() public {
        Repeater r = new Repeater();
        vm.expectEmit(3);
        emit Other(1);
        r.repeat(2);
    }

    function testEmitNever() public {
        vm.expectEmit(0);
        emit Other(3);
        emitter.send(ALICE, 5);
    }

    function testBadEmitNever() public {
        Repeater r = new Repeater();
        vm.expectEmit(0);
        emit Other(1);
        r.repeat(1);
    }

    function testEmitAnonymous() public {
        vm.expectEmitAnonymous();
        emit Nameless(3);
        emitter.nameless(3);
    }

    function testBadEmitAnonymous() public {
        vm.expectEmitAnonymous();
        emit Nameless(3);
        emitter.nameless(4);
    }

    function testBadEmitButReverts() public {
        vm.expectEmit();
        emit Sent(address(this), ALICE, 5);
        emitter.fail(1);
    }

    // ---- calls

    function testCall() public {
        vm.expectCall(address(emitter), abi.encodeCall(Emitter.set, (3)));
        emitter.set(3);
    }

    function testCallPrefix() public {
        vm.expectCall(address(emitter), abi.encodeWithSelector(Emitter.set.selector));
        emitter.set(9);
        emitter.set(10);
    }

    function testCallInside() public {
        vm.expectCall(address(second), abi.encodeCall(Emitter.send, (address(1), 1)));
        emitter.callOther(second);
    }

    function testBadCall() public {
        vm.expectCall(address(emitter), abi.encodeCall(Emitter.set, (3)));
        emitter.set(4);
    }

    function testBadCallTwice() public {
        vm.expectCall(address(emitter), abi.encodeCall(Emitter.set, (3)));
        vm.expectCall(address(emitter), abi.encodeCall(Emitter.set, (3)));
        emitter.set(3);
    }

    function testCallCounted() public {
        vm.expectCall(address(emitter), abi.encodeCall(Emitter.set, (3)), 2);
        emitter.set(3);
        emitter.set(3);
    }

    function testBadCallCounted() public {
        vm.expectCall(address(emitter), abi.encodeCall(Emitter.set, (3)), 1);
        emitter.set(3);
        emitter.set(3);
    }

    function testCallNever() public {
        vm.expectCall(address(emitter), abi.encodeCall(Emitter.set, (3)), 0);
        emitter.set(4);
    }

    function testCallValue() public {
        vm.expectCall(address(emitter), 0, abi.encodeCall(Emitter.set, (3)));
        emitter.set(3);
    }

    function testBadCallValue() public {
        vm.expectCall(address(emitter), 1, abi.encodeCall(Emitter.set, (3)));
        emitter.set(3);
    }

    function testCallGas() public {
        vm.expectCall(address(emitter), 0, 50000, abi.encodeCall(Emitter.quiet, ()));
        emitter.quiet{gas: 50000}();
    }

    function testBadCallGas() public {
        vm.expectCall(address(emitter), 0, 50000, abi.encodeCall(Emitter.quiet, ()));
        emitter.quiet{gas: 50001}();
    }

    function testCallMinGas() public {
        vm.expectCallMinGas(address(emitter), 0, 50000, abi.encodeCall(Emitter.quiet, ()));
        emitter.quiet{gas: 50001}();
    }

    function testBadCallMinGas() public {
        vm.expectCallMinGas(address(emitter), 0, 50000, abi.encodeCall(Emitter.quiet, ()));
        emitter.quiet{gas: 49999}();
    }

    // ---- creations

    function testCreate() public {
        vm.expectCreate(type(Small).runtimeCode, address(this));
        new Small();
    }

    function testBadCreate() public {
        vm.expectCreate(type(Small).runtimeCode, address(this));
        new Small{salt: bytes32(0)}();
    }

    function testCreate2() public {
        vm.expectCreate2(type(Small).runtimeCode, address(this));
        new Small{salt: bytes32(0)}();
    }

    function testBadCreateByOther() public {
        vm.expectCreate(type(Small).runtimeCode, ALICE);
        new Small();
    }

    function testCreateByPrank() public {
        vm.expectCreate(type(Small).runtimeCode, ALICE);
        vm.prank(ALICE);
        new Small();
    }

    // ---- reverts that are counted

    function testRevertTimes() public {
        vm.expectRevert(bytes("not zero"), 2);
        emitter.fail(1);
        emitter.fail(2);
    }

    function testBadRevertTimes() public {
        vm.expectRevert(bytes("not zero"), 2);
        emitter.fail(1);
        emitter.fail(0);
    }

    function testRevertBy() public {
        vm.expectRevert(address(emitter));
        emitter.fail(1);
    }

    function testBadRevertBy() public {
        vm.expectRevert(address(second));
        emitter.fail(1);
    }

    function testRevertByInner() public {
        vm.expectRevert(address(second));
        emitter.through(second);
    }

    function testRevertTextBy() public {
        vm.expectRevert(bytes("not zero"), address(emitter));
        emitter.fail(1);
    }

    function testMockRevertExpected() public {
        vm.mockCallRevert(address(emitter), abi.encodeWithSelector(Emitter.quiet.selector), "mocked");
        vm.expectRevert(bytes("mocked"));
        emitter.quiet();
    }

    function testMockCallsWithoutAnswers() public {
        uint256 before = emitter.stored();
        bytes[] memory answers = new bytes[](1);
        answers[0] = abi.encode(before + 1);
        vm.mockCalls(address(emitter), abi.encodeWithSignature("stored()"), answers);
        vm.mockCalls(address(emitter), abi.encodeWithSignature("stored()"), new bytes[](0));
        require(emitter.stored() == before, "not mocked");
    }

    function testMockCalls() public {
        bytes[] memory answers = new bytes[](2);
        answers[0] = abi.encode(1);
        answers[1] = abi.encode(2);
        vm.mockCalls(address(emitter), abi.encodeWithSignature("stored()"), answers);
        require(emitter.stored() == 1, "first");
        require(emitter.stored() == 2, "second");
        require(emitter.stored() == 2, "third");
    }

    // ---- records

    function testAccesses() public {
        vm.record();
        emitter.set(3);
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(emitter));
        require(writes.length == 2, "writes");
        require(reads.length == 3, "reads");
        require(writes[0] == bytes32(0), "slot");
        require(writes[1] == keccak256(abi.encode(3, 1)), "slot of the mapping");
        vm.stopRecord();
    }

    function testRecordLogs() public {
        vm.recordLogs();
        emitter.send(ALICE, 77);
        emitter.twice(ALICE, 1);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        require(logs.length == 5, "number");
        require(logs[0].topics.length == 3, "topics");
        require(logs[0].topics[0] == Sent.selector, "name");
        require(logs[0].topics[2] == bytes32(uint256(uint160(ALICE))), "to");
        require(abi.decode(logs[0].data, (uint256)) == 77, "data");
        require(logs[0].emitter == address(emitter), "emitter");
        require(vm.getRecordedLogs().length == 0, "again");
    }

    function testBlockhash() public {
        vm.roll(1000);
        vm.setBlockhash(999, keccak256("999"));
        require(blockhash(999) == keccak256("999"), "hash");
    }
}

contract Repeater {
    event Other(uint256 n);

    function repeat(uint256 n) external {
        for (uint256 i = 0; i < n; i++) {
            emit Other(1);
        }
    }
}
