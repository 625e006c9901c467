package fuzzer

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

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
		continues := b.task.seed != nil && b.task.seed.short && d.sequence[:len(d.sequence)-1].Equal(b.task.sequence)
		if !w.shortenOne(ctx, d, continues, b) {
			return
		}
	}
}

// samePrefix reports whether two sequences are the same but for their last calls.
func samePrefix(a, b input.Sequence) bool {
	return len(a) == len(b) && a[:len(a)-1].Equal(b[:len(b)-1])
}

// shortenOne shortens one input. Where it continues one that cannot be shortened, and reads what that one's last call wrote, nor can
// it be. It returns false when the task is over.
func (w *worker) shortenOne(ctx context.Context, d *discovery, continues bool, b *batch) bool {
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
	fed := feeders(exec)
	if continues && fed[len(front)-1] {
		d.short = seq
		return true
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
	needed := slices.Clone(front)
	for i := len(front) - 1; i >= 0; i-- {
		if !fed[i] {
			needed = slices.Delete(needed, i, i+1)
		}
	}
	switch {
	case keeps(nil):
		front = nil
	case len(needed) < len(front) && keeps(needed):
		front = needed
	}
	front = minimizer{w.space, keeps}.dropCalls(front)
	d.short = append(front[:len(front):len(front)], last)
	return ok
}

// feeders tells of each call but the last whether that one reads a word of storage that it wrote, or a call does that the last one reads
// one of, and so on.
func feeders(exec *evm.Execution) []bool {
	last := len(exec.Calls) - 1
	fed := make([]bool, last)
	type word struct {
		account common.Address
		slot    uint256.Int
	}
	wanted := map[word]bool{}
	for call := last; call >= 0; call-- {
		frames := exec.Frames[exec.Calls[call].Frames[0]:exec.Calls[call].Frames[1]]
		for i := range frames {
			for j := range frames[i].Storage {
				a := &frames[i].Storage[j]
				if call < last && a.Write && wanted[word{a.Address, a.Slot}] {
					fed[call] = true
				}
			}
		}
		for i := range frames {
			for j := range frames[i].Storage {
				if a := &frames[i].Storage[j]; (call == last || fed[call]) && !a.Write {
					wanted[word{a.Address, a.Slot}] = true
				}
			}
		}
	}
	return fed
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
