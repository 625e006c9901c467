package fuzzer

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// checkProperty judges the last call of a sequence when it is a property
// function: one that returns a bool fails by returning false or by reverting
// (Echidna's rule), one that returns nothing fails by reverting. Failures are the
// assertion oracle's.
func checkProperty(seq input.Sequence, exec *evm.Execution, report func(oracle.Observation)) {
	last := len(seq) - 1
	f := seq[last].Function
	if !f.Property {
		return
	}
	result := &exec.Calls[last]
	frame := &exec.Frames[result.Frames[0]]
	if frame.Program == nil {
		return
	}
	holds := result.Outcome == evm.Success
	if method, err := f.Contract.ABI.MethodById(f.Selector[:]); err == nil && len(method.Outputs) == 1 && holds {
		holds = len(result.Output) >= 32 && result.Output[31] == 1
	}
	if holds {
		return
	}
	report(oracle.Observation{
		Call:     last,
		Location: entryOf(frame, f.Selector),
		Contract: f.Contract.QualifiedName(),
		Message:  fmt.Sprintf("property %s fails", f.Name),
	})
}

// entryOf is the block that the dispatcher jumps to for a selector: the
// function's own code, wherever it fails. The frame's start when the dispatcher
// does not compare selectors.
func entryOf(f *evm.Frame, selector [4]byte) bytecode.Location {
	entry := bytecode.Location{Code: f.Program.ID}
	want := uint64(binary.BigEndian.Uint32(selector[:]))
	for _, c := range f.Comparisons {
		if c.Op != opEQ || !c.Taken || !(c.Left.IsUint64() && c.Left.Uint64() == want) || c.Left != c.Right {
			continue
		}
		for i, block := range f.Path[:max(len(f.Path)-1, 0)] {
			if block == c.Block {
				entry.PC = f.Program.Blocks[f.Path[i+1]].Start
				return entry
			}
		}
	}
	return entry
}

// propertyInterval: property functions are asked after every execution that
// showed something new and changed state, and after one in so many of the
// others. Arbitrary; asking always would halve the throughput.
const propertyInterval = 8

// checksProperties decides whether the properties are asked after this
// execution.
func (w *worker) checksProperties(exec *evm.Execution, isNew bool) bool {
	return len(w.properties) > 0 && changedState(exec) && (isNew || w.rand.IntN(propertyInterval) == 0)
}

// tryProperties appends one call of each property function to the sequence. Such
// executions are judged and may reach targets, but no path of theirs is counted:
// properties are asked, not fuzzed. It answers false when the task is over.
func (w *worker) tryProperties(ctx context.Context, seq input.Sequence, b *batch) bool {
	for _, p := range w.properties {
		probe := append(seq[:len(seq):len(seq)], input.Call{Instance: p.Instance, Function: p.Function})
		exec, ok := w.run(ctx, probe, b)
		if !ok {
			return false
		}
		var n news
		w.tracker.lookAtBlocks(exec, &n)
		if seen := w.observe(probe, exec); n.any() || len(seen) > 0 {
			b.discoveries = append(b.discoveries, discovery{sequence: probe, news: n, seen: seen, at: w.mark(b)})
		}
	}
	return true
}

// changedState tells whether the last call succeeded and wrote to storage or
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
