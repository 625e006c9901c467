// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Forms of cheatcodes that the other tests leave out.

contract Partner {
    uint256 public number;

    event Told(uint256 indexed n, uint256 m);
    event Nameless(uint256 indexed n) anonymous;

    error Wrong(uint256 code);

    function who() external payable returns (address, address) {
        return (msg.sender, tx.origin);
    }

    function tell(uint256 n, uint256 m) public {
        emit Told(n, m);
    }

    function twice(uint256 n, uint256 m) external {
        tell(n, m);
        tell(n, m);
    }

    function nameless(uint256 n) external {
        emit Nameless(n);
    }

    function wrong(uint256 code) external pure {
        revert Wrong(code);
    }

    function fail() external pure {
        revert("no luck");
    }

    function set(uint256 n) external payable {
        number = n;
    }
}

contract FormsTest {
    address internal constant vm = 0x7109709ECfa91a80626fF3989D68f67F5b1DD12D;
    address internal constant A = address(0xA11CE);
    address internal constant B = address(0xB0B);
    bool public IS_TEST = true;
    Partner internal partner;
    Partner internal other;

    event Told(uint256 indexed n, uint256 m);
    event Nameless(uint256 indexed n) anonymous;

    function setUp() public {
        partner = new Partner();
        other = new Partner();
        does(abi.encodeWithSignature("deal(address,uint256)", address(this), 1 ether));
    }

    function does(bytes memory data) internal returns (bytes memory) {
        (bool ok, bytes memory out) = vm.call(data);
        if (!ok) {
            assembly {
                revert(add(out, 32), mload(out))
            }
        }
        return out;
    }

    function number(bytes memory data) internal returns (uint256) {
        return abi.decode(does(data), (uint256));
    }

    function is_(address sender, address origin) internal {
        (address s, address o) = partner.who();
        require(s == sender, "sender");
        require(o == origin, "origin");
    }

    // ---- senders

    function testPrankForms() public {
        address o = tx.origin;
        does(abi.encodeWithSignature("prank(address,address,bool)", A, B, false));
        is_(A, B);
        does(abi.encodeWithSignature("startPrank(address,bool)", A, false));
        is_(A, o);
        does(abi.encodeWithSignature("stopPrank()"));
        does(abi.encodeWithSignature("startPrank(address,address,bool)", A, B, false));
        is_(A, B);
        is_(A, B);
        does(abi.encodeWithSignature("stopPrank()"));
        is_(address(this), o);
    }

    function testBroadcastForms() public {
        address o = tx.origin;
        does(abi.encodeWithSignature("broadcast()"));
        is_(o, o);
        is_(address(this), o);
        does(abi.encodeWithSignature("broadcast(address)", B));
        is_(B, B);
        address key = abi.decode(does(abi.encodeWithSignature("addr(uint256)", 7)), (address));
        uint256 nonce = number(abi.encodeWithSignature("getNonce(address)", key));
        does(abi.encodeWithSignature("broadcast(uint256)", 7));
        is_(key, key);
        require(number(abi.encodeWithSignature("getNonce(address)", key)) == nonce + 1, "nonce");
        does(abi.encodeWithSignature("startBroadcast()"));
        is_(key, key);
        does(abi.encodeWithSignature("stopBroadcast()"));
        does(abi.encodeWithSignature("startBroadcast(uint256)", 7));
        is_(key, key);
        is_(key, key);
        does(abi.encodeWithSignature("stopBroadcast()"));
        is_(address(this), o);
    }

    // ---- environment

    function testEnvironmentForms() public {
        does(abi.encodeWithSignature("prevrandao(uint256)", 77));
        require(block.prevrandao == 77, "prevrandao");
        does(abi.encodeWithSignature("blobBaseFee(uint256)", 5));
        require(number(abi.encodeWithSignature("getBlobBaseFee()")) == 5, "blob base fee");
        require(bytes(abi.decode(does(abi.encodeWithSignature("projectRoot()")), (string))).length > 0, "root");
        bytes memory file = abi.decode(does(abi.encodeWithSignature("readFileBinary(string)", "test/data.txt")), (bytes));
        require(keccak256(file) == keccak256("one\ntwo\n"), "file");
        does(abi.encodeWithSignature("randomBytes8()"));
        does(abi.encodeWithSignature("randomInt()"));
    }

    // ---- snapshots

    function testSnapshotForms() public {
        uint256 id = number(abi.encodeWithSignature("snapshot()"));
        partner.set(1);
        require(number(abi.encodeWithSignature("revertTo(uint256)", id)) == 1, "reverted");
        require(partner.number() == 0, "number");
        partner.set(2);
        require(number(abi.encodeWithSignature("revertToAndDelete(uint256)", id)) == 1, "reverted again");
        require(partner.number() == 0, "number again");
        require(number(abi.encodeWithSignature("deleteSnapshot(uint256)", id)) == 0, "deleted");
        id = number(abi.encodeWithSignature("snapshot()"));
        does(abi.encodeWithSignature("deleteSnapshots()"));
        require(number(abi.encodeWithSignature("revertTo(uint256)", id)) == 0, "all deleted");
        id = number(abi.encodeWithSignature("snapshotState()"));
        does(abi.encodeWithSignature("deleteStateSnapshots()"));
        require(number(abi.encodeWithSignature("revertToState(uint256)", id)) == 0, "all deleted again");
    }

    // ---- mocks

    function testMockForms() public {
        does(abi.encodeWithSignature("mockCall(address,bytes4,bytes)", partner, Partner.set.selector, ""));
        partner.set(5);
        require(partner.number() == 0, "mocked");
        does(abi.encodeWithSignature("clearMockedCalls()"));
        does(abi.encodeWithSignature("mockCall(address,uint256,bytes4,bytes)", partner, 1, Partner.set.selector, ""));
        partner.set{value: 1}(5);
        require(partner.number() == 0, "mocked with its value");
        partner.set(6);
        require(partner.number() == 6, "not mocked");
        bytes[] memory answers = new bytes[](1);
        answers[0] = abi.encode(A, B);
        does(abi.encodeWithSignature("mockCalls(address,uint256,bytes,bytes[])", partner, 2, abi.encodeWithSelector(Partner.who.selector), answers));
        (address s,) = partner.who{value: 2}();
        require(s == A, "mocked sender");
    }

    function testMockRevertForms() public {
        does(abi.encodeWithSignature("mockCallRevert(address,bytes4,bytes)", partner, Partner.set.selector, bytes("x")));
        failsWith(0, "x");
        does(abi.encodeWithSignature("clearMockedCalls()"));
        does(abi.encodeWithSignature("mockCallRevert(address,uint256,bytes,bytes)", partner, 3, abi.encodeWithSelector(Partner.set.selector), bytes("y")));
        failsWith(3, "y");
        does(abi.encodeWithSignature("clearMockedCalls()"));
        does(abi.encodeWithSignature("mockCallRevert(address,uint256,bytes4,bytes)", partner, 4, Partner.set.selector, bytes("z")));
        failsWith(4, "z");
        partner.set(1);
    }

    function failsWith(uint256 value, bytes memory reason) internal {
        try partner.set{value: value}(1) {
            revert("did not fail");
        } catch (bytes memory out) {
            require(keccak256(out) == keccak256(reason), "reason");
        }
    }

    // ---- expected reverts

    function testRevertForms() public {
        does(abi.encodeWithSignature("expectRevert(address,uint64)", partner, 2));
        partner.fail();
        partner.wrong(1);
        does(abi.encodeWithSignature("expectRevert(bytes,address,uint64)", bytes("no luck"), partner, 1));
        partner.fail();
        does(abi.encodeWithSignature("expectRevert(uint64)", 2));
        partner.fail();
        partner.fail();
        does(abi.encodeWithSignature("expectPartialRevert(bytes4,address)", Partner.Wrong.selector, partner));
        partner.wrong(1);
    }

    function testBadRevertSelectorBy() public {
        does(abi.encodeWithSignature("expectRevert(bytes4,address)", Partner.Wrong.selector, partner));
        partner.wrong(1);
    }

    function testBadRevertSelectorTimes() public {
        does(abi.encodeWithSignature("expectRevert(bytes4,uint64)", Partner.Wrong.selector, 1));
        partner.wrong(1);
    }

    function testBadRevertSelectorByTimes() public {
        does(abi.encodeWithSignature("expectRevert(bytes4,address,uint64)", Partner.Wrong.selector, partner, 1));
        partner.wrong(1);
    }

    function testBadCheatcodeRevertSelector() public {
        does(abi.encodeWithSignature("_expectCheatcodeRevert(bytes4)", bytes4(0x12345678)));
        does(abi.encodeWithSignature("addr(uint256)", 0));
    }

    // ---- expected events

    function testEmitForms() public {
        does(abi.encodeWithSignature("expectEmit(address,uint64)", partner, 2));
        emit Told(1, 2);
        partner.twice(1, 2);
        does(abi.encodeWithSignature("expectEmit(bool,bool,bool,bool,address)", true, true, true, false, partner));
        emit Told(1, 3);
        partner.tell(1, 2);
        does(abi.encodeWithSignature("expectEmit(bool,bool,bool,bool,uint64)", true, true, true, true, 2));
        emit Told(1, 2);
        partner.twice(1, 2);
        does(abi.encodeWithSignature("expectEmit(bool,bool,bool,bool,address,uint64)", false, true, true, false, partner, 2));
        emit Told(9, 9);
        partner.twice(1, 2);
        does(abi.encodeWithSignature("expectEmitAnonymous(address)", partner));
        emit Nameless(3);
        partner.nameless(3);
        does(abi.encodeWithSignature("expectEmitAnonymous(bool,bool,bool,bool,bool)", true, false, false, false, false));
        emit Nameless(3);
        partner.nameless(3);
        does(abi.encodeWithSignature("expectEmitAnonymous(bool,bool,bool,bool,bool,address)", false, false, false, false, false, partner));
        emit Nameless(3);
        partner.nameless(4);
    }

    function testBadEmitAnonymousTopic() public {
        does(abi.encodeWithSignature("expectEmitAnonymous(bool,bool,bool,bool,bool)", true, false, false, false, false));
        emit Nameless(3);
        partner.nameless(4);
    }

    function testBadEmitTimesFrom() public {
        does(abi.encodeWithSignature("expectEmit(address,uint64)", other, 2));
        emit Told(1, 2);
        partner.twice(1, 2);
    }

    // ---- expected calls

    function testCallForms() public {
        bytes memory data = abi.encodeCall(Partner.set, (1));
        does(abi.encodeWithSignature("expectCall(address,uint256,bytes,uint64)", partner, 1, data, 1));
        partner.set{value: 1}(1);
        data = abi.encodeCall(Partner.set, (2));
        does(abi.encodeWithSignature("expectCall(address,uint256,uint64,bytes,uint64)", partner, 0, 60000, data, 1));
        partner.set{gas: 60000}(2);
        data = abi.encodeCall(Partner.set, (3));
        does(abi.encodeWithSignature("expectCallMinGas(address,uint256,uint64,bytes,uint64)", partner, 0, 60000, data, 1));
        partner.set{gas: 70000}(3);
    }

    function testBadCallValueTimes() public {
        does(abi.encodeWithSignature("expectCall(address,uint256,bytes,uint64)", partner, 1, abi.encodeCall(Partner.set, (1)), 1));
        partner.set{value: 2}(1);
    }

    // ---- what does not count

    struct PotentialRevert {
        address reverter;
        bool partialMatch;
        bytes revertData;
    }

    function testAssumed() public {
        does(abi.encodeWithSignature("assumeNoRevert()"));
        partner.set(1);
        does(abi.encodeWithSignature("assumeNoRevert((address,bool,bytes))", PotentialRevert(address(0), false, "")));
        partner.set(1);
        PotentialRevert[] memory several = new PotentialRevert[](2);
        several[0] = PotentialRevert(address(partner), true, abi.encodeWithSelector(Partner.Wrong.selector));
        several[1] = PotentialRevert(address(0), false, abi.encodeWithSignature("Error(string)", "x"));
        does(abi.encodeWithSignature("assumeNoRevert((address,bool,bytes)[])", several));
        partner.set(1);
    }

    function testAssumedReason() public {
        does(abi.encodeWithSignature("assumeNoRevert((address,bool,bytes))", PotentialRevert(address(0), true, abi.encodeWithSelector(Partner.Wrong.selector))));
        (bool ok, bytes memory out) = address(partner).call(abi.encodeCall(Partner.wrong, (1)));
        require(!ok && keccak256(out) == keccak256("FOUNDRY::ASSUME"), "excused");
    }

    function testAssumedOtherReason() public {
        does(abi.encodeWithSignature("assumeNoRevert((address,bool,bytes))", PotentialRevert(address(0), true, abi.encodeWithSelector(Partner.Wrong.selector))));
        (bool ok, bytes memory out) = address(partner).call(abi.encodeCall(Partner.fail, ()));
        require(!ok && keccak256(out) != keccak256("FOUNDRY::ASSUME"), "not excused");
    }

    function testSkipNot() public {
        does(abi.encodeWithSignature("skip(bool)", false));
        does(abi.encodeWithSignature("skip(bool,string)", false, "why"));
        (bool ok, bytes memory out) = vm.call(abi.encodeWithSignature("skip(bool,string)", true, "why"));
        require(!ok && keccak256(out) == keccak256("FOUNDRY::SKIPwhy"), "skipped");
    }
}
