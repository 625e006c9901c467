package fuzzer

import (
	"context"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// run executes a sequence within the task's budget.
func (w *worker) run(ctx context.Context, seq input.Sequence, b *batch) (*evm.Execution, bool) {
	if !w.affords(seq, b) || ctx.Err() != nil {
		return nil, false
	}
	w.current = seq
	w.encoded = w.space.Encode(seq, w.encoded)
	if w.override != nil {
		last := &w.encoded[len(seq)-1]
		last.Overwrites, last.Gas = w.override.overwrites[:], w.override.gas
	}
	exec, err := w.machine.Run(w.encoded)
	w.runs++
	b.executions++
	b.calls += uint64(len(seq))
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine failed: %v", err), seq.Clone(), nil}
		return nil, false
	}
	b.gas += gasOf(exec)
	w.meter.count(seq, exec, b)
	b.mismatches = append(b.mismatches, w.machine.faults(seq)...)
	return exec, true
}

// verify compares the latest execution, with its path, with the reference's, and returns the one to
// believe.
func (w *worker) verify(exec *evm.Execution, pid bytecode.PathID, seq input.Sequence, b *batch) (*evm.Execution, bytecode.PathID, bool) {
	seen := exec
	exec, err := w.machine.Verify(w.encoded, exec)
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine failed: %v", err), seq.Clone(), nil}
		return nil, pid, false
	}
	b.mismatches = append(b.mismatches, w.machine.faults(seq)...)
	if exec == seen {
		return exec, pid, true
	}
	pid, ok := w.runOther(seq, exec, b)
	return exec, pid, ok
}

// affords reports whether the task has enough calls left for a sequence, and work for heavy
// calls.
func (w *worker) affords(seq input.Sequence, b *batch) bool {
	return b.calls+uint64(len(seq)) <= b.task.calls && (b.heavyWork < maxTaskHeavy || b.task.seed == nil)
}

func (w *worker) mark(b *batch) Mark { return Mark{b.executions, b.calls, w.seconds()} }

// soundingGas is what the last call of a sequence gets that is sounded: a sixteenth of
// what it has otherwise. Arbitrary.
const soundingGas = evm.CallGas / 16

// sound reports whether a sequence's last call ends with little gas. The run feeds
// nothing, since no call of a sequence has so little: what ends is run again, and what does not
// counts as what it would cost with all gas. ok is false when the task is over.
func (w *worker) sound(ctx context.Context, seq input.Sequence, b *batch) (ends, ok bool) {
	if !w.affords(seq, b) || ctx.Err() != nil {
		return false, false
	}
	w.current = seq
	w.encoded = w.space.Encode(seq, w.encoded)
	w.encoded[len(seq)-1].Gas = soundingGas
	exec, err := w.machine.Run(w.encoded)
	b.executions++
	b.calls += uint64(len(seq))
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine failed: %v", err), seq.Clone(), nil}
		return false, false
	}
	b.mismatches = append(b.mismatches, w.machine.faults(seq)...)
	last := &exec.Calls[len(exec.Calls)-1]
	b.work += overheadWork + last.Work()
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		if exec.Frames[i].Outcome == evm.OutOfGas {
			f := lastOf(seq).Function
			w.meter.add(f, cost{calls: 1, work: max(heavyWork, last.Work()*(evm.CallGas/soundingGas))})
			b.countHeavy(f, cost{1, last.Work(), 1})
			return false, true
		}
	}
	return true, true
}

// runOther runs a sequence on the other version as well, if there is one, and returns the
// path of both: an input whose pair of paths is new, or that makes the versions differ in a
// new way, is as good as one whose path is new (the path diversity of NEZHA, Petsios and
// others, S&P 2017, section 3). What the other version compares is worth trying here: the
// change may have removed it.
func (w *worker) runOther(seq input.Sequence, exec *evm.Execution, b *batch) (bytecode.PathID, bool) {
	pid := exec.PathID()
	w.there = nil
	if w.other == nil || input.IsTest(seq) {
		return pid, true
	}
	there, way, err := w.other.Run(seq, exec)
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine of the other version failed: %v", err), seq.Clone(), nil}
		return pid, false
	}
	if there == nil {
		return pid, true
	}
	w.there = there
	return pid.With(there.PathID(), way), true
}
