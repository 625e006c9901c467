package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

const (
	// trialWork is the work of a trial of a search in formulas, in the unit of calls' (measured: 0.5 to 1 µs;
	// see overheadWork).
	trialWork = 128
	// firstTrials is how many trials a search has at first; each time that a branch side
	// resists, the number doubles, at most doublings times. Arbitrary.
	firstTrials = 4000
	doublings   = 5
	// maxResisted: a side that so many searches did not solve waits for a task of its own.
	maxResisted = 3
)

// trialsAsExecutions is how many of the campaign's executions so far are as much work as trials of searches in formulas: where
// calls are many or long, searching before running is cheap.
func (c *Campaign) trialsAsExecutions(trials uint64) uint64 {
	return trials * trialWork * max(1, c.result.Stats.Executions) / max(trialWork, c.ration.work)
}

// solveByFormulas solves for branches of the base by formulas. It reports whether a run
// that got through one reached new undecided ones: that is the next base.
func (p *pathfinder) solveByFormulas(targets []int) bool {
	for _, target := range targets {
		b := &p.last[target]
		side := sideOf(b)
		if p.tracker.decided(b.Code, &b.Comparison) || p.resisted[side] >= maxResisted {
			continue
		}
		next := p.satisfy(target, firstTrials)
		if p.ended {
			return false
		}
		if next == nil {
			p.resisted[side]++
			continue
		}
		if slices.ContainsFunc(next.branches, func(b input.Branch) bool { return !p.tracker.decided(b.Code, &b.Comparison) && !p.passes(&b) }) {
			p.rebase(next)
			return true
		}
	}
	return false
}

// passes reports whether the base passes a jump.
func (p *pathfinder) passes(b *input.Branch) bool {
	return slices.ContainsFunc(p.last, func(own input.Branch) bool { return own.Code == b.Code && own.PC == b.PC })
}

// satisfy searches for a way through a branch in the formulas that the base's
// instructions compute, without running them. Nil when there is none, or when the run of
// the solution does not take the branch.
func (p *pathfinder) satisfy(target, most int) *point {
	b := p.last[target]
	if b.Frame != 0 {
		return nil
	}
	if p.formulas == nil {
		exec, ok := p.run(p.ctx, p.base.sequence, p.b)
		if !ok {
			p.ended = true
			return nil
		}
		if p.formulas, ok = p.space.Formulas(p.base.sequence, p.encoded, exec, &p.factors); !ok {
			return nil
		}
	}
	seq, trials, can := p.formulas.Satisfy(p.rand, b.PC, !b.Taken, most)
	p.b.trials += uint64(trials)
	if can {
		p.noteMovable(sideOf(&b))
	} else if trials > 0 && !p.moved[sideOf(&b)] {
		p.moved[sideOf(&b)] = false // for example, masking an argument to its type changes nothing
	}
	if seq == nil {
		return nil
	}
	exec, _, ok := p.try(p.ctx, seq, p.b)
	if !ok {
		p.ended = true
		return nil
	}
	if b.Taken = !b.Taken; !p.tracker.took(b.Code, &b.Comparison) {
		return nil
	}
	return p.point(seq, exec)
}
