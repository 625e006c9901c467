package fuzzer

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Bounds of climbing. Arbitrary.
const (
	// maxClimb is the most calls that are added, where nothing demands a longer sequence.
	maxClimb = 16
	// firstClimb is the pick of a seed with which climbing begins: most seeds need none.
	firstClimb = 4
	// maxFruitless: a function whose repetitions found no numbers so often in a row is not repeated so by this worker any more.
	maxFruitless = 4
	// maxFlips is how many checks of one call are passed, one after the other.
	maxFlips = 6
)

// climb repeats a call that accumulates, each time with the numbers with which it succeeds then, and makes the seed's own last
// call after each: bids have to be higher each time, and steps to be taken in order. Copies of the call would fail, and chance
// does not find a dozen numbers one after the other. It ends where the same numbers do, since copies are tried anyway, and where none
// are found. It returns false when the task is over.
func (w *worker) climb(ctx context.Context, t *task, b *batch) bool {
	if t.repeated == nil || !t.climbs || w.without.Solving || w.without.Prediction || w.without.Sequences || input.IsTest(t.sequence) {
		return true
	}
	function := t.repeated.Last()
	p := w.newPathfinder(ctx, b)
	if p.fruitless[function] >= maxFruitless {
		return true
	}
	last := t.sequence[len(t.sequence)-1:]
	own := lastOf(t.sequence) == function
	seq := t.repeated.Unpack()
	if at := p.lastCallOf(t.sequence[:len(t.sequence)-1], function); at >= 0 {
		seq = t.sequence[:at+1]
	} else if own {
		seq = t.sequence
	}
	most := min(w.maxSeqLen-1, len(seq)+max(maxClimb, t.demanded.length))
	for repeated := 0; len(seq) < most; repeated++ {
		next, changed := p.again(seq)
		if p.ended {
			return false
		}
		if next == nil || !changed {
			if repeated == 0 {
				p.fruitless[function]++
			}
			break
		}
		p.fruitless[function] = 0
		seq = next
		if own {
			continue
		}
		if _, _, ok := w.try(ctx, append(slices.Clone(seq), last...), b); !ok {
			return false
		}
	}
	return true
}

// lastCallOf is the index of the last call of a function; −1 where there is none.
func (p *pathfinder) lastCallOf(seq input.Sequence, function input.Callable) int {
	for i := len(seq) - 1; i >= 0; i-- {
		if lastOf(seq[:i+1]) == function {
			return i
		}
	}
	return -1
}

// again repeats a sequence's last call after it, with other numbers where it would fail. Nil where none are found, or the task
// is over.
func (p *pathfinder) again(seq input.Sequence) (next input.Sequence, changed bool) {
	next = append(slices.Clone(seq), seq[len(seq)-1])
	for range maxFlips {
		exec, _, ok := p.try(p.ctx, next, p.b)
		if !ok {
			p.ended = true
			return nil, false
		}
		if exec.Calls[len(exec.Calls)-1].Outcome == evm.Success {
			return next, changed
		}
		there := p.point(next, exec)
		p.read(there, exec)
		p.release(there)
		if there.formulas == nil {
			return nil, false
		}
		decisions := there.formulas.Decisions()
		at := len(decisions) - 1
		for at >= 0 && !decisions[at].Moves {
			at--
		}
		if at < 0 {
			return nil, false
		}
		outcome := there.formulas.Satisfy(p.rand, at, firstTrials)
		p.b.trials += uint64(outcome.Trials)
		if outcome.Sequence == nil {
			return nil, false
		}
		next, changed = outcome.Sequence, true
	}
	return nil, false
}
