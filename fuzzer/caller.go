package fuzzer

import (
	"context"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// callAsWanted has the base's last call made by whom its sender was compared with (see asWanted), and goes on from there. Where that is new
// and succeeds, it may have changed something, or would with other arguments, so that each function is called behind it.
func (p *pathfinder) callAsWanted() {
	seq, ok := p.asWanted(p.base.sequence, p.last)
	if !ok {
		return
	}
	exec, isNew, ok := p.try(p.ctx, seq, p.b)
	if !ok {
		p.ended = true
		return
	}
	last := len(seq) - 1
	opens := isNew && !seq[last].Function.View && exec.Calls[last].Outcome == evm.Success
	there := p.point(seq, exec)
	p.read(there, exec)
	p.rebase(there)
	if opens && !p.without.Sequences {
		p.ended = !p.callEachAfter(p.ctx, seq, p.b)
	}
}

// asWanted is a sequence whose last call is made by whom its sender was compared with, at a branch with a side that nothing has taken: that
// becomes the sender, or an earlier call names the sender in its place. False where neither can be.
func (w *worker) asWanted(seq input.Sequence, branches []input.Branch) (input.Sequence, bool) {
	last := len(seq) - 1
	word := input.Word{Call: last, Kind: input.SenderWord}
	sender, ok := w.space.Get(seq, word)
	if !ok {
		return nil, false
	}
	for i := len(branches) - 1; i >= 0; i-- {
		b := &branches[i]
		wanted := &b.Left
		if b.Left == sender {
			wanted = &b.Right
		} else if b.Right != sender {
			continue
		}
		if *wanted == sender || b.Call != last || w.tracker.decided(b.Code, &b.Comparison) {
			continue
		}
		if next, ok := w.space.With(seq, word, wanted); ok {
			return next, true
		}
		if next, ok := w.nameBefore(seq, wanted, &sender); ok {
			return next, true
		}
	}
	return nil, false
}

// nameBefore is a sequence in which the latest call before the last that names an account names another one; false where none does.
func (w *worker) nameBefore(seq input.Sequence, account, other *uint256.Int) (input.Sequence, bool) {
	for call := len(seq) - 2; call >= 0; call-- {
		for _, word := range input.AppendCallWords(nil, seq, call) {
			if t := input.WordType(seq, word); t == nil || t.Kind != input.Address {
				continue
			}
			if x, ok := w.space.Get(seq, word); ok && x == *account {
				return w.space.With(seq, word, other)
			}
		}
	}
	return nil, false
}

// callEachAfter calls each function after a sequence, by whom it asks for. It returns false when the task is
// over.
func (w *worker) callEachAfter(ctx context.Context, seq input.Sequence, b *batch) bool {
	var branches []input.Branch // of one run
	for _, next := range w.mutator.Continue(w.rand, seq) {
		if b.task.avoids(next) {
			continue
		}
		exec, _, ok := w.try(ctx, next, b)
		if !ok {
			return false
		}
		branches = input.AppendBranches(branches[:0], exec)
		if next, ok = w.asWanted(next, branches); ok {
			if _, _, ok = w.try(ctx, next, b); !ok {
				return false
			}
		}
	}
	return true
}
