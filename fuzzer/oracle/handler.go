package oracle

import (
	"bytes"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
)

// FailsAssertion reports whether a call of an invariants' handler fails by an assertion, as
// forge 1.7.1 has it, whatever fail_on_revert says: it reverts with Panic(0x01) or halts on
// INVALID, or with the text "assertion failed" of a vm.assert…, or an assertion noted that it
// failed. Other reverts, and assertions with a text of their own, say that the handler's
// arguments were wrong. A panic that a contract under test hands on is that contract's.
func FailsAssertion(exec *evm.Execution, call int) bool {
	result := &exec.Calls[call]
	outermost := result.Frames[0]
	fails := false
	switch f := &exec.Frames[outermost]; result.Outcome {
	case evm.Success:
		fails = notedFailure(exec, result)
	case evm.InvalidOpcode:
		fails = f.Program != nil && opAt(f) == opInvalid && !isCheck(f.Program, f.LastPC)
	case evm.Reverted:
		fails = bytes.Equal(result.Output, panicAssert) && ownPanic(exec, outermost) || assertReverted(exec, result)
	}
	return fails && !exec.Truncated && !doubtful(exec, call)
}

// assertReverted reports whether a call hands on the revert of a vm.assert….
func assertReverted(exec *evm.Execution, result *evm.CallResult) bool {
	if text, ok := cheatcode.Reason(result.Output); !ok || !strings.HasPrefix(text, "assertion failed") {
		return false
	}
	for i := result.Frames[0]; i < result.Frames[1]; i++ {
		if f := &exec.Frames[i]; f.CodeAddress == cheatcode.Address && f.Outcome != evm.Success && bytes.Equal(f.Output, result.Output) {
			return true
		}
	}
	return false
}
