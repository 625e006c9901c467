package fuzzer

import (
	"context"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

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
		within := w.space.Recast(p, seq)
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

// withinScope is a sequence that ends with a failing assertion of a handler, or of a tester, without the
// calls outside the scope of the handler's test, or the tester's own; nil where there is none such, or all of
// it is in scope.
func (w *worker) withinScope(seq input.Sequence, exec *evm.Execution) input.Sequence {
	test, ok := w.space.Tested(seq)
	if !ok {
		test, ok = w.space.Tester(seq)
	}
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
