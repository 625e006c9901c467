package fuzzer

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// shorten leaves calls out of the inputs whose last calls took a branch side as the
// first, as long as these see the same: what is built on them runs faster, and how long
// they are then says how many calls it takes to come there.
func (w *worker) shorten(ctx context.Context, b *batch) {
	for i := range b.discoveries {
		d := &b.discoveries[i]
		if len(d.news.taken) == 0 {
			continue
		}
		if parent := b.task.seed; parent != nil && parent.short && samePrefix(b.task.sequence, d.sequence) {
			d.short = d.sequence
			continue
		}
		if !w.shortenOne(ctx, d, b) {
			return
		}
	}
}

// samePrefix reports whether two sequences are the same but for their last calls.
func samePrefix(a, b input.Sequence) bool {
	return len(a) == len(b) && a[:len(a)-1].Equal(b[:len(b)-1])
}

// shortenOne answers false when the task is over.
func (w *worker) shortenOne(ctx context.Context, d *discovery, b *batch) bool {
	front, last := d.sequence[:len(d.sequence)-1], d.sequence[len(d.sequence)-1]
	if len(front) == 0 {
		d.short = d.sequence
		return true
	}
	exec, ok := w.run(ctx, d.sequence, b)
	if !ok {
		return false
	}
	want := lastBranches(exec)
	keeps := func(front input.Sequence) bool {
		if !ok {
			return false
		}
		var exec *evm.Execution
		exec, ok = w.run(ctx, append(front[:len(front):len(front)], last), b)
		return ok && exec.PathID() == d.pid && slices.Equal(lastBranches(exec), want)
	}
	if keeps(nil) {
		front = nil
	}
	front = minimizer{w.space, keeps}.dropCalls(front)
	d.short = append(front[:len(front):len(front)], last)
	return ok
}

// lastBranches are the branches of the last call, whatever its number.
func lastBranches(exec *evm.Execution) []input.Branch {
	branches := input.AppendBranches(nil, exec)
	for i := range branches {
		branches[i].Call = 0
	}
	return branches
}
