package oracle

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// FailingTest sees a Foundry fuzz test of the project fail: a function test… with
// parameters of a test contract, which is an execution's only call, deployments apart, and
//
//   - reverts, or ends in another way than by succeeding (forge's rule: any revert that
//     the test does not expect fails it), or
//   - succeeds after an assertion in the way of ds-test noted that it failed, in the
//     storage of the cheatcodes' account (HEVM_ADDRESS, slot "failed").
//
// Arguments that vm.assume rejects, and vm.skip, are neither success nor failure. Runs are
// inconclusive, and not reported, when anything ran out of gas, since forge gives tests
// 2^30; when a cheatcode other than an assertion failed, since forge may have done what
// was asked; when they called a cheatcode that does nothing here; when the system address
// (EIP-4788) sent wei, which forge moves and go-ethereum does not; when the test itself
// reverted as it expected a call to (forge's allow_internal_expect_revert); or when not
// everything was recorded.
var FailingTest = &Oracle{
	ID:       "failing-test",
	Title:    "A fuzz test of the project fails",
	Severity: High,
	Doc: "A fuzz test of the project's own (a function test… with parameters of a Foundry test that sets up the World) fails with some arguments: it reverts, or one of its assertions does not hold. " +
		"It runs as in forge: alone, in the state that forge has after setUp(). Where forge is installed, the test is run under it with the same arguments before it is reported.",
	Remedy: "Run the test with the arguments that the finding names: forge fails on them, too. A test that is right shows what to mend in the contract. " +
		"One that is wrong about such arguments should exclude them, with bound or vm.assume.",
	Check: checkTest,
}

func checkTest(exec *evm.Execution, report func(Observation)) {
	last := len(exec.Calls) - 1
	test := testOf(exec)
	if test == nil || exec.Truncated || Passes(exec) || rejected(exec) || doubtful(exec, last) {
		return
	}
	f := &exec.Frames[exec.Calls[last].Frames[0]]
	report(Observation{Call: last, Location: FunctionEntry(f, [4]byte(test.ID)), Contract: contractOf(f), Message: "fuzz test " + test.RawName + " fails"})
}

// testOf is the fuzz test that an execution is a run of; nil when it is none.
func testOf(exec *evm.Execution) *abi.Method {
	last := len(exec.Calls) - 1
	for i := range last {
		if f := &exec.Frames[exec.Calls[i].Frames[0]]; f.Program == nil || f.Program.Code.Kind != bytecode.Creation {
			return nil
		}
	}
	f := &exec.Frames[exec.Calls[last].Frames[0]]
	if f.Program == nil || f.Program.Contract == nil || len(f.Input) < 4 || !isTest(f.Program.Contract) {
		return nil
	}
	m, err := f.Program.Contract.ABI.MethodById(f.Input)
	if err != nil || len(m.Inputs) == 0 || !strings.HasPrefix(m.RawName, "test") || strings.HasPrefix(m.RawName, "testFail") {
		return nil
	}
	return m
}

// isTest reports whether a contract is a test by forge's own libraries.
func isTest(c *bytecode.Contract) bool {
	_, says := c.ABI.Methods["IS_TEST"]
	return says || slices.Contains(c.Implements, "Test") || slices.Contains(c.Implements, "DSTest")
}

// Passes reports whether a run of a fuzz test passed.
func Passes(exec *evm.Execution) bool {
	last := &exec.Calls[len(exec.Calls)-1]
	return last.Outcome == evm.Success && !notedFailure(exec, last)
}

// rejected reports whether the test did not want its arguments, or to be run.
func rejected(exec *evm.Execution) bool {
	call := &exec.Calls[len(exec.Calls)-1]
	return call.Outcome == evm.Reverted && (bytes.Equal(call.Output, cheatcode.Assume) || bytes.HasPrefix(call.Output, cheatcode.Skip))
}

var (
	storeSelector = crypto.Keccak256([]byte("store(address,bytes32,bytes32)"))[:4]
	// failedWord are the first two arguments with which ds-test notes a failure.
	failedWord = append(common.LeftPadBytes(cheatcode.Address[:], 32), common.RightPadBytes([]byte("failed"), 32)...)
)

// notedFailure reports whether an assertion of a call noted that it failed, and no revert
// undid it.
func notedFailure(exec *evm.Execution, call *evm.CallResult) bool {
	_, noted := noteOfFailure(exec, call)
	return noted
}

// noteOfFailure is the first frame of a call that notes that an assertion failed, and that no
// revert undid.
func noteOfFailure(exec *evm.Execution, call *evm.CallResult) (frame int, noted bool) {
	for i := call.Frames[0]; i < call.Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.CodeAddress == cheatcode.Address && len(f.Input) == 4+3*32 && bytes.Equal(f.Input[:4], storeSelector) &&
			bytes.Equal(f.Input[4:4+2*32], failedWord) && !isZero(f.Input[4+2*32:]) && lasts(exec, i) {
			return i, true
		}
	}
	return 0, false
}

func isZero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }

// doubtful reports whether forge may have done something else in a call.
func doubtful(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		switch {
		case f.Outcome == evm.OutOfGas, f.CodeAddress == cheatcode.Address && !cheatcode.AsInForge(f.Input, f.Outcome == evm.Success):
			return true
		case f.Caller == params.SystemAddress && !f.Value.IsZero():
			return true // go-ethereum does not move the value of such calls; forge does, where a test pranks
		}
	}
	return revertsAsExpected(exec, frames)
}

// revertsAsExpected reports whether a call's own code reverted while it expected the next
// call to. Functions of libraries are part of it; forge takes their reverts for those that are
// expected, if a test's configuration says so.
func revertsAsExpected(exec *evm.Execution, frames [2]int) bool {
	own := &exec.Frames[frames[0]]
	expects := false
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		switch {
		case f.Parent != frames[0]:
		case f.Outcome != evm.Success && bytes.Equal(f.Output, own.Output):
			return false // handed on
		case f.CodeAddress != cheatcode.Address:
			expects = expects && f.CodeAddress == cheatcode.Console
		case cheatcode.ExpectsRevert(f.Input):
			expects = true
		}
	}
	return expects && own.Outcome != evm.Success
}

// RevertsElsewhere reports whether the last call reverts because of a revert that no caller
// caught, in a contract other than the called one and the cheatcodes' account.
func RevertsElsewhere(exec *evm.Execution) bool {
	last := &exec.Calls[len(exec.Calls)-1]
	if last.Outcome != evm.Reverted {
		return false
	}
	at := last.Frames[0]
	for i := last.Frames[1] - 1; i > at; i-- { // of several that failed alike the last one
		f := &exec.Frames[i]
		if f.Parent == at && f.Outcome != evm.Success && bytes.Equal(f.Output, last.Output) {
			at, i = i, last.Frames[1]
		}
	}
	first := &exec.Frames[at]
	return first.Self != exec.Frames[last.Frames[0]].Self && first.CodeAddress != cheatcode.Address
}
