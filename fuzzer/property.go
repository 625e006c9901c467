package fuzzer

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// checkProperty judges the last call of a sequence when it is a property function: one
// that returns a bool fails by returning false or by reverting (Echidna's rule; one named
// echidna_revert_… fails unless it reverts), one that returns nothing fails by reverting, or if failed() of the same test returns true
// afterwards (ds-test's rule: its assertions record failures and continue). Failures are
// the assertion oracle's. A property is about the calls in its scope only.
func checkProperty(space *input.Space, seq input.Sequence, exec *evm.Execution, report func(oracle.Observation)) {
	last := len(seq) - 1
	asked := last
	if noted := last > 0 && seq[last].Function.Noted && seq[last-1].Instance == seq[last].Instance; noted {
		asked--
	}
	f := seq[asked].Function
	if !f.Property || len(space.Within(input.Callable{Instance: seq[last].Instance, Function: f}, seq)) < len(seq) {
		return
	}
	frame := &exec.Frames[exec.Calls[asked].Frames[0]]
	if frame.Program == nil || keeps(f, &exec.Calls[asked]) && (asked == last || !answersTrue(&exec.Calls[last])) {
		return
	}
	message := fmt.Sprintf("property %s fails", f.Name)
	if asked == 0 {
		message += " before any call, in the World as it was made: a step of its set-up may be missing"
	}
	report(oracle.Observation{
		Call:     last,
		Location: oracle.FunctionEntry(frame, f.Selector),
		Contract: f.Contract.QualifiedName(),
		Message:  message,
	})
}

// checkHandler judges the last call of a sequence when it is one of a handler, through
// which an invariant test calls contracts: the handler's assertions are the test's, and
// are about the calls in that test's scope only.
func checkHandler(space *input.Space, seq input.Sequence, exec *evm.Execution, report func(oracle.Observation)) {
	last := len(seq) - 1
	test, ok := space.Tested(seq)
	if !ok || len(space.Within(test, seq)) < len(seq) || !oracle.FailsAssertion(exec, last) {
		return
	}
	f := seq[last].Function
	frame := &exec.Frames[exec.Calls[last].Frames[0]]
	if frame.Program == nil {
		return
	}
	report(oracle.Observation{
		Call:     last,
		Location: oracle.FunctionEntry(frame, f.Selector),
		Contract: f.Contract.QualifiedName(),
		Message:  fmt.Sprintf("an assertion of the handler's %s fails", f.Name),
	})
}

// keeps reports whether a property's own answer is that it holds.
func keeps(f *input.Function, result *evm.CallResult) bool {
	switch {
	case f.Reverts:
		return result.Outcome == evm.Reverted
	case f.AnswersBool():
		return answersTrue(result)
	}
	return result.Outcome == evm.Success
}

func answersTrue(result *evm.CallResult) bool {
	return result.Outcome == evm.Success && len(result.Output) >= 32 && result.Output[31] == 1
}
