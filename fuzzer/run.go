package fuzzer

import (
	"context"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// runner runs sequences within the budget of a task, and counts what that takes.
type runner struct {
	*tools
	machine checkedMachine
	meter   meter          // of the current task
	current input.Sequence // what runs now, for fault reports
	encoded evm.Sequence   // likewise
}

// stateOverride is the word of the last call's state that is overridden.
type stateOverride struct {
	overwrites [1]evm.Overwrite
	gas        uint64 // of the call
}

// run executes a sequence within the task's budget.
func (r *runner) run(ctx context.Context, seq input.Sequence, b *batch) (*evm.Execution, bool) {
	return r.runFrom(ctx, seq, nil, b)
}

// runFrom is run with a state override before the last call, if from is not nil.
func (r *runner) runFrom(ctx context.Context, seq input.Sequence, from *stateOverride, b *batch) (*evm.Execution, bool) {
	if !r.affords(seq, b) || ctx.Err() != nil {
		return nil, false
	}
	r.current = seq
	r.encoded = r.space.Encode(seq, r.encoded)
	if from != nil {
		last := &r.encoded[len(seq)-1]
		last.Overwrites, last.Gas = from.overwrites[:], from.gas
	}
	exec, err := r.machine.Run(r.encoded)
	r.runs++
	r.tools.calls += len(seq)
	b.executions++
	b.calls += uint64(len(seq))
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine failed: %v", err), seq.Clone(), nil}
		return nil, false
	}
	b.gas += gasOf(exec)
	r.meter.count(seq, exec, b)
	b.mismatches = append(b.mismatches, r.machine.faults(seq)...)
	return exec, true
}

// affords reports whether the task has enough calls left for a sequence, and work for heavy
// calls.
func (r *runner) affords(seq input.Sequence, b *batch) bool {
	return b.calls+uint64(len(seq)) <= b.task.calls && (b.heavyWork < maxTaskHeavy || b.task.seed == nil)
}

// mark is the present moment of a task.
func (r *runner) mark(b *batch) Mark { return Mark{b.executions, b.calls, r.seconds()} }

// soundingGas is what the last call of a sequence gets that is sounded: a sixteenth of
// what it has otherwise. Arbitrary.
const soundingGas = evm.CallGas / 16

// sound reports whether a sequence's last call ends with little gas. The run feeds
// nothing, since no call of a sequence has so little: what ends is run again, and what does not
// counts as what it would cost with all gas. ok is false when the task is over.
func (r *runner) sound(ctx context.Context, seq input.Sequence, b *batch) (ends, ok bool) {
	if !r.affords(seq, b) || ctx.Err() != nil {
		return false, false
	}
	r.current = seq
	r.encoded = r.space.Encode(seq, r.encoded)
	r.encoded[len(seq)-1].Gas = soundingGas
	exec, err := r.machine.Run(r.encoded)
	b.executions++
	b.calls += uint64(len(seq))
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine failed: %v", err), seq.Clone(), nil}
		return false, false
	}
	b.mismatches = append(b.mismatches, r.machine.faults(seq)...)
	last := &exec.Calls[len(exec.Calls)-1]
	b.work += overheadWork + last.Work()
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		if exec.Frames[i].Outcome == evm.OutOfGas {
			f := lastOf(seq).Function
			r.meter.add(f, cost{calls: 1, work: max(heavyWork, last.Work()*(evm.CallGas/soundingGas))})
			b.countHeavy(f, cost{1, last.Work(), 1})
			return false, true
		}
	}
	return true, true
}
