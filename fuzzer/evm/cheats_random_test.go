package evm_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
)

// randomTests is how many random test functions forge and our machines are compared on.
var randomSeed = flag.Uint64("random-seed", 1, "of the random test functions")

var randomTests = flag.Int("random-tests", 60, "random test functions that forge is compared on")

// author writes random test functions in Solidity. Each notes what it sees of callers,
// results and the block, and tells it at its end.
type author struct {
	rng    *rand.Rand
	b      strings.Builder
	nested int // functions that may be called from here
}

func (a *author) pick(of ...string) string { return of[a.rng.IntN(len(of))] }

func (a *author) account() string {
	return a.pick("A", "A", "B", "address(callee)", "address(other)", "address(this)")
}

// call is calldata for a callee.
func (a *author) call() string {
	return a.pick(`abi.encodeWithSignature("who()")`, `abi.encodeWithSignature("who()")`, `abi.encodeWithSignature("who()")`, `abi.encodeWithSignature("through(address)", other)`,
		fmt.Sprintf(`abi.encodeWithSignature("set(uint256)", %d)`, a.rng.IntN(3)), `abi.encodeWithSignature("fail()")`, `abi.encodeWithSignature("fail()")`, `abi.encodeWithSignature("number()")`,
		`abi.encodeWithSignature("inner(address)", other)`, `abi.encodeWithSignature("make(bool)", true)`, `abi.encodeWithSignature("make(bool)", false)`, `""`)
}

// cheat is calldata for the cheatcodes' account.
func (a *author) cheat() string {
	return a.pick(
		`"prank(address)", `+a.account(), `"prank(address)", `+a.account(), `"prank(address,address)", `+a.account()+`, `+a.account(), `"prank(address,bool)", `+a.account()+`, true`,
		`"startPrank(address)", `+a.account(), `"startPrank(address,address)", `+a.account()+`, `+a.account(), `"stopPrank()"`, `"stopPrank()"`, `"readCallers()"`,
		`"startBroadcast(address)", A`, `"stopBroadcast()"`, `"broadcast(address)", B`,
		`"expectRevert()"`, `"expectRevert()"`, `"expectRevert(bytes)", bytes("no luck")`, `"expectRevert(bytes)", bytes("luck")`, `"expectRevert(bytes4)", bytes4(0x08c379a0)`, `"expectPartialRevert(bytes4)", bytes4(0x08c379a0)`,
		`"expectRevert(address)", address(other)`, fmt.Sprintf(`"expectRevert(uint64)", %d`, a.rng.IntN(3)),
		`"mockCall(address,bytes,bytes)", callee, `+a.call()+`, abi.encode(77)`, `"mockCall(address,uint256,bytes,bytes)", callee, 1, `+a.call()+`, abi.encode(78)`,
		`"mockCallRevert(address,bytes,bytes)", other, `+a.call()+`, bytes("mocked")`, `"clearMockedCalls()"`,
		`"warp(uint256)", `+fmt.Sprint(a.rng.IntN(1000)), `"roll(uint256)", `+fmt.Sprint(a.rng.IntN(1000)), `"chainId(uint256)", `+fmt.Sprint(1+a.rng.IntN(9)), `"fee(uint256)", 7`,
		`"store(address,bytes32,bytes32)", callee, bytes32(0), bytes32(uint256(9))`, `"etch(address,bytes)", A, address(callee).code`, `"load(address,bytes32)", callee, bytes32(0)`,
		`"snapshotState()"`, `"revertToState(uint256)", 0`, `"revertToState(uint256)", 1`, `"revertToStateAndDelete(uint256)", 0`, `"deleteStateSnapshot(uint256)", 0`,
		`"getNonce(address)", `+a.account(), `"recordLogs()"`, `"getRecordedLogs()"`, `"record()"`, `"accesses(address)", callee`,
		`"expectCall(address,bytes)", callee, `+a.call(), `"assumeNoRevert()"`, `"expectEmit()"`, `"getLabel(address)", A`, `"label(address,string)", A, "a"`)
}

func (a *author) statement() {
	switch a.rng.IntN(12) {
	case 0, 1, 2, 3, 4:
		fmt.Fprintf(&a.b, "        cheat(abi.encodeWithSignature(%s));\n", a.cheat())
	case 5, 6, 7:
		fmt.Fprintf(&a.b, "        plain(%s, %s);\n", a.pick("callee", "callee", "other", "A"), a.call())
	case 8:
		fmt.Fprintf(&a.b, "        delegate(callee, %s);\n", a.call())
	case 9:
		if a.nested > 0 {
			fmt.Fprintf(&a.b, "        plain(address(this), abi.encodeWithSignature(\"nested%d()\"));\n", a.rng.IntN(a.nested))
		}
	case 10:
		a.b.WriteString(a.pick("        make(true);\n", "        make(false);\n", "        emit Seen(1);\n", "        emit Seen(2);\n"))
	case 11:
		a.b.WriteString("        look();\n")
	}
}

// stage is what random tests play on.
const stage = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Made {
    address public by = msg.sender;

    constructor(bool ok) {
        require(ok, "not made");
    }
}

contract Callee {
    uint256 public number;

    event Seen(uint256 n);

    function who() external view returns (address, address) {
        return (msg.sender, tx.origin);
    }

    function through(Callee other) external view returns (address, address) {
        return other.who();
    }

    function set(uint256 n) external {
        number = n;
        emit Seen(n);
    }

    function fail() external pure {
        revert("no luck");
    }

    function inner(Callee other) external {
        other.fail();
    }

    function make(bool ok) external returns (address) {
        return new Made(ok).by();
    }

    receive() external payable {}
}

contract RandomTest {
    address internal constant vm = 0x7109709ECfa91a80626fF3989D68f67F5b1DD12D;
    address internal constant A = address(0xA11CE);
    address internal constant B = address(0xB0B);
    bool public IS_TEST = true;

    address internal callee;
    address internal other;
    bytes internal trail;

    event log_bytes(bytes);
    event Seen(uint256 n);

    function setUp() public {
        callee = address(new Callee());
        other = address(new Callee());
    }

    // note writes down where it stands and, of what was returned, whether it failed, how long it is, and
    // what it begins with: addresses differ between forge and us, and are told by who they are.
    function note(bytes1 what, bool ok, bytes memory out) internal {
        trail = bytes.concat(trail, what, ok ? bytes1("+") : bytes1("-"), bytes2(uint16(out.length)));
        for (uint256 i = 32; i <= out.length && i <= 128; i += 32) {
            uint256 word;
            assembly {
                word := mload(add(out, i))
            }
            trail = bytes.concat(trail, person(word));
        }
    }

    function person(uint256 word) internal view returns (bytes2) {
        if (word == uint160(A)) return "AA";
        if (word == uint160(B)) return "BB";
        if (word == uint160(callee)) return "CC";
        if (word == uint160(other)) return "OO";
        if (word == uint160(address(this))) return "TT";
        if (word == uint160(msg.sender)) return "SS";
        if (word > type(uint128).max) return "??";
        return bytes2(uint16(word));
    }

    function cheat(bytes memory data) internal {
        (bool ok, bytes memory out) = vm.call(data);
        note("v", ok, ok ? out : bytes(""));
    }

    function plain(address to, bytes memory data) internal {
        (bool ok, bytes memory out) = to.call(data);
        note("c", ok, out);
    }

    function delegate(address to, bytes memory data) internal {
        (bool ok, bytes memory out) = to.delegatecall(data);
        note("d", ok, out);
    }

    function make(bool ok) internal {
        try new Made(ok) returns (Made made) {
            note("n", true, address(made).code.length == 0 ? bytes("") : abi.encode(made.by()));
        } catch {
            note("n", false, ""); // what it says is lost here where it was expected to fail
        }
    }

    function look() internal {
        note("l", true, abi.encode(block.timestamp, block.number, block.chainid, block.basefee));
        note("L", true, abi.encode(tx.origin, msg.sender, A.code.length));
    }
`

// randomContract is the stage with so many tests.
func randomContract(seed uint64, tests int) string {
	a := &author{rng: rand.New(rand.NewPCG(seed, 0))}
	a.b.WriteString(stage)
	for i := range 8 {
		a.nested = i
		fmt.Fprintf(&a.b, "\n    function nested%d() external {\n", i)
		for range 1 + a.rng.IntN(4) {
			a.statement()
		}
		if a.rng.IntN(3) == 0 {
			a.b.WriteString("        revert(\"nested\");\n")
		}
		a.b.WriteString("    }\n")
	}
	a.nested = 8
	for i := range tests {
		fmt.Fprintf(&a.b, "\n    function test%d() public {\n", i)
		for range 3 + a.rng.IntN(10) {
			a.statement()
		}
		a.b.WriteString("        emit log_bytes(trail);\n    }\n")
	}
	a.b.WriteString("}\n")
	return a.b.String()
}

// TestForgeOnRandomTests: of random test functions forge and our machines see the same,
// step by step.
func TestForgeOnRandomTests(t *testing.T) {
	source := randomContract(*randomSeed, *randomTests)
	file := filepath.Join(t.TempDir(), "Random.t.sol")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	suite, contract := newCheatSuite(t, file)
	theirs := testforge.Test(t, map[string][]byte{"Random.t.sol": []byte(source)})["test/Random.t.sol:RandomTest"]
	if len(theirs) != *randomTests {
		t.Fatalf("forge ran %d tests of %d", len(theirs), *randomTests)
	}
	for name, their := range theirs {
		call := evm.Call{From: testSender, To: testAddress, Data: contract.ABI.Methods[strings.TrimSuffix(name, "()")].ID, Gas: 1 << 28}
		exec := suite.run(t, evm.Sequence{call})
		passed := exec.Calls[0].Outcome == evm.Success
		if passed != (their.Status == "Success") {
			t.Errorf("%s: passed %t %s; forge: %s %s\n%s", name, passed, exec.Calls[0].Reason(), their.Status, their.Reason, body(source, name))
			continue
		}
		var logs []string
		for _, l := range exec.Frames[0].Logs {
			if values, err := (abi.Arguments{{Type: mustType(t, "bytes")}}).Unpack(l.Data); err == nil && l.Topics[0] == contract.ABI.Events["log_bytes"].ID {
				logs = append(logs, fmt.Sprintf("0x%x", values[0]))
			}
		}
		if !slices.Equal(logs, their.Logs) {
			t.Errorf("%s:\nwe    %q\nforge %q\n%s", name, logs, their.Logs, body(source, name))
		}
	}
}

func mustType(t *testing.T, name string) abi.Type {
	t.Helper()
	made, err := abi.NewType(name, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// body is a function of the source.
func body(source, name string) string {
	_, rest, _ := strings.Cut(source, "function "+name)
	text, _, _ := strings.Cut(rest, "\n    }\n")
	return text
}
