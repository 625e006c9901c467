package fuzzer

import (
	"context"
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

// propertyInterval: property functions are called after every execution that showed
// something new and changed state, and after one in propertyInterval of the others that
// changed state. Arbitrary; calling them always would halve the throughput.
const propertyInterval = 8

// checksProperties decides whether the properties are called after this execution.
func (w *worker) checksProperties(exec *evm.Execution, isNew bool) bool {
	return len(w.properties) > 0 && changedState(exec) && (isNew || w.rand.IntN(propertyInterval) == 0)
}

// tryProperties appends one call of each property function to the sequence. Such
// executions are judged and may reach targets, but their paths are not counted:
// properties are checked, not fuzzed. It returns false when the task is over.
func (w *worker) tryProperties(ctx context.Context, seq input.Sequence, b *batch) bool {
	for _, p := range w.properties {
		if b.task.avoided[p.Function] {
			continue
		}
		within := w.space.Within(p, seq)
		if len(within) == 0 && len(seq) > 0 {
			continue
		}
		probe := append(within[:len(within):len(within)], input.Call{Instance: p.Instance, Function: p.Function})
		if !w.tryProperty(ctx, probe, b) {
			return false
		}
		if noted := w.space.Instances[p.Instance].Noted; noted != nil {
			if !w.tryProperty(ctx, append(probe, input.Call{Instance: p.Instance, Function: noted}), b) {
				return false
			}
		}
	}
	return true
}

// withinScope is a sequence that ends with a failing assertion of a handler without the
// calls outside the scope of the handler's test; nil where there is none such, or all of
// it is in scope.
func (w *worker) withinScope(seq input.Sequence, exec *evm.Execution) input.Sequence {
	test, ok := w.space.Tested(seq)
	if !ok || !oracle.FailsAssertion(exec, len(seq)-1) {
		return nil
	}
	if within := w.space.Within(test, seq); len(within) < len(seq) {
		return within
	}
	return nil
}

// tryProperty runs a sequence that ends with a property, or a handler's call.
func (w *worker) tryProperty(ctx context.Context, probe input.Sequence, b *batch) bool {
	exec, ok := w.run(ctx, probe, b)
	if !ok {
		return false
	}
	var n news
	w.tracker.trackBlocks(exec, &n)
	if seen := w.observe(probe, exec); n.any() || len(seen) > 0 {
		b.discoveries = append(b.discoveries, discovery{sequence: probe, news: n, seen: seen, at: w.mark(b)})
	}
	return true
}

// changedState reports whether the last call succeeded and wrote to storage or
// deployed something.
func changedState(exec *evm.Execution) bool {
	last := &exec.Calls[len(exec.Calls)-1]
	if last.Outcome != evm.Success {
		return false
	}
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		if k := exec.Frames[i].Kind; k == evm.KindCreate || k == evm.KindCreate2 {
			return true
		}
		for _, access := range exec.Frames[i].Storage {
			if access.Write {
				return true
			}
		}
	}
	return false
}
