package fuzzer

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// shorten removes calls from the inputs that took a branch side for the first time, as
// long as the last call's branches stay the same: inputs built on them run faster, and
// their length then says how many calls the branch side needs.
func (w *worker) shorten(ctx context.Context, b *batch) {
	for i := range b.discoveries {
		d := &b.discoveries[i]
		if len(d.news.taken) == 0 {
			continue
		}
		if parent := b.task.seed; parent != nil && parent.short && samePrefix(b.task.sequence, d.sequence) && !w.space.HasContract(d.sequence) {
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

// shortenOne shortens one input. It returns false when the task is over.
func (w *worker) shortenOne(ctx context.Context, d *discovery, b *batch) bool {
	seq, ok := w.byAccount(ctx, d, b)
	if !ok {
		return false
	}
	front, last := seq[:len(seq)-1], seq[len(seq)-1]
	if len(front) == 0 {
		d.short = seq
		return true
	}
	exec, ok := w.run(ctx, seq, b)
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

// byAccount is the sequence of a discovery with an account in the place of the attacker's contract, where the path is the same
// with it: calls that are put before or behind it later are mostly of accounts, and what a contract keeps for one caller is of no
// use to another. It returns false when the task is over.
func (w *worker) byAccount(ctx context.Context, d *discovery, b *batch) (input.Sequence, bool) {
	seq, changed := w.space.ByAccount(d.sequence)
	if !changed {
		return d.sequence, true
	}
	exec, ok := w.run(ctx, seq, b)
	if !ok || exec.PathID() != d.pid {
		return d.sequence, ok
	}
	return seq, true
}

// lastBranches are the branches of the last call, whatever its number.
func lastBranches(exec *evm.Execution) []input.Branch {
	branches := input.AppendBranches(nil, exec)
	for i := range branches {
		branches[i].Call = 0
	}
	return branches
}
