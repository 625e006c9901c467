package oracle

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Assertion sees failing assertions (harvey §6; SWC-110):
//
//   - a frame that reverts with Panic(0x01), Solidity's assert since 0.8.0;
//   - a frame that halts on INVALID (0xfe), Solidity's assert before 0.8.0;
//   - an event AssertionFailed, by any argument types, in a call that succeeds.
//
// The other panic codes (overflow, bounds, division …) are ordinary reverts:
// code since 0.8 relies on them. Before 0.8 solc wrote INVALID for them too; such
// checks are told from asserts by the source map, or by the code after them. INVALID
// that is written in assembly takes all gas on purpose, and asserts nothing. A
// caller that passes a callee's panic on is not reported (see [ownPanic]), an undefined
// opcode is not INVALID, an event whose topic the code does not hold is what its caller
// made of it, and code that no artifact explains is not the project's: it may be
// the fuzzer's own, as the argument of a factory. Property functions (echidna_…, property_…, invariant_…) are
// judged by the campaign, which calls them; their failures carry this oracle's id.
//
// Known false positives: in code without a source map, INVALID in hand-written assembly;
// in such code before 0.8, a value out of an enum's range and a call of an
// uninitialized internal function, which look like asserts there.
var Assertion = &Oracle{
	ID:       "assertion",
	Title:    "An assertion fails",
	SWC:      "110",
	CWE:      "670",
	Severity: High,
	Doc: "An assert statement fails (Panic 0x01, or INVALID before Solidity 0.8), an AssertionFailed event is emitted in a call that succeeds, " +
		"or a property function (echidna_…, property_…, invariant_…) fails. " +
		"Other panics (overflow, division by zero, array bounds …) are ordinary reverts. Low where the assert compares the sender, before anything is written: it checks who calls.",
	Remedy: "Run the replay: it shows the calls and the values with which the assertion fails. If the assertion is right, the state that it speaks of " +
		"must not be reachable: reject the call that leads there (require), or keep the books in step with it. If a caller's input can make it fail by right, " +
		"it is a check of input: make it a require with a reason. If it claims too much, weaken it.",
	Check:  checkAssertion,
	Places: assertionPlaces,
}

// opInvalid is EIP-141's designated invalid instruction.
const opInvalid = 0xfe

func checkAssertion(exec *evm.Execution, report func(Observation)) {
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.Contract == nil {
			continue
		}
		switch {
		case f.Outcome == evm.Reverted && bytes.Equal(f.Output, panicAssert) && ownPanic(exec, i) && f.Program.Contract.AssertsAsHarness() && len(f.Input) >= 4 && f.Program.Code != nil && f.Program.Code.Kind == bytecode.Runtime:
			// The assert itself is the library's, which all functions of all harnesses share.
			report(Observation{Call: f.Call, Location: FunctionEntry(f, selectorOf(f)), Contract: contractOf(f), Message: fmt.Sprintf("an assertion of the harness's %s fails", functionOf(f))})
		case f.Outcome == evm.Reverted && bytes.Equal(f.Output, panicAssert) && ownPanic(exec, i):
			report(failedAssert(exec, i, "Panic 0x01"))
		case f.Outcome == evm.InvalidOpcode && opAt(f) == opInvalid && isAssert(f.Program, f.LastPC):
			report(failedAssert(exec, i, "INVALID"))
		}
		if exec.Calls[f.Call].Outcome != evm.Success || f.Outcome != evm.Success {
			continue
		}
		for _, log := range f.Logs {
			if len(log.Topics) > 0 && isAssertionFailed(f.Program, log.Topics[0]) {
				report(Observation{Call: f.Call, Location: bytecode.Location{Code: f.Program.ID, PC: log.PC}, Contract: contractOf(f), Message: "AssertionFailed is emitted"})
			}
		}
	}
}

// failedAssert is what a frame says that ends at an assert. One that compares the sender before anything is done is
// a check of who calls, written so before there was require.
func failedAssert(exec *evm.Execution, frame int, how string) Observation {
	f := &exec.Frames[frame]
	o := Observation{Call: f.Call, Location: decision(f), Contract: contractOf(f), Message: fmt.Sprintf("assert fails (%s)", how)}
	if checksSender(f) && !hasWritten(exec, frame) {
		o.Severity = Low
		o.Message += ": it checks who calls"
	}
	return o
}

// checksSender reports whether a frame's last decision compared its sender with another account.
func checksSender(f *evm.Frame) bool {
	if len(f.Comparisons) == 0 || !f.Decided {
		return false
	}
	c := &f.Comparisons[len(f.Comparisons)-1]
	var sender uint256.Int
	sender.SetBytes(f.Caller[:])
	return c.PC == f.Decision && vm.OpCode(c.Op) == vm.EQ && c.Left != c.Right && (c.Left == sender || c.Right == sender)
}

// hasWritten reports whether a frame, or one that it has called, has written to storage.
func hasWritten(exec *evm.Execution, frame int) bool {
	f := &exec.Frames[frame]
	for i := frame; i < len(exec.Frames) && (i == frame || exec.Frames[i].Depth > f.Depth); i++ {
		if slices.ContainsFunc(exec.Frames[i].Storage, func(a evm.StorageAccess) bool { return a.Write }) {
			return true
		}
	}
	return false
}

// decision is the conditional jump that led the frame to its end: compilers put
// the trap itself into code shared by all assertions, but the jump belongs to
// the statement; where even the jump is shared, it is the statement's last instruction
// before. The last instruction when the frame took no decision.
func decision(f *evm.Frame) bytecode.Location {
	if f.Decided {
		return statement(f, f.Decision, last)
	}
	return statement(f, f.LastPC, last)
}

func opAt(f *evm.Frame) byte {
	if int(f.LastPC) < len(f.Program.Bytes) {
		return f.Program.Bytes[f.LastPC]
	}
	return 0
}

func contractOf(f *evm.Frame) string { return f.Program.Contract.QualifiedName() }

// assertionFailedTopics are the forms of the event that test libraries and
// Echidna's users declare; a contract's own declaration counts too.
var assertionFailedTopics = map[common.Hash]bool{
	crypto.Keccak256Hash([]byte("AssertionFailed()")):               true,
	crypto.Keccak256Hash([]byte("AssertionFailed(string)")):         true,
	crypto.Keccak256Hash([]byte("AssertionFailed(bytes)")):          true,
	crypto.Keccak256Hash([]byte("AssertionFailed(uint256)")):        true,
	crypto.Keccak256Hash([]byte("AssertionFailed(string,uint256)")): true,
}

// isAssertionFailed reports whether a topic is that of an event AssertionFailed which a
// program emits: one that test libraries or the contract itself declare, and that the code
// holds as a constant. A topic that the code gets from its caller is nothing that it asserts.
func isAssertionFailed(p *bytecode.Program, topic common.Hash) bool {
	return (assertionFailedTopics[topic] || declaresAssertionFailed(p.Contract, topic)) &&
		bytes.Contains(p.Bytes, bytes.TrimLeft(topic[:], "\x00")) // in a PUSH, or in data that CODECOPY reads
}

func declaresAssertionFailed(c *bytecode.Contract, topic common.Hash) bool {
	for _, event := range c.ABI.Events { // in any order: ids are unique
		if event.ID == topic {
			return event.RawName == "AssertionFailed"
		}
	}
	return false
}
