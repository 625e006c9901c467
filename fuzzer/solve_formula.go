package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

const (
	// trialsPerExecution: a search in formulas has so many trials in the time of one
	// execution. Measured: a trial takes some 0.5 µs, an execution of one call of an ERC-20 4 to 10.
	trialsPerExecution = 16
	// firstTrials is how many trials a search has at first; each time that a branch side
	// resists it is given twice as many, up to so many times. Arbitrary.
	firstTrials = 4000
	// maxResisted: what so many searches on the way did not solve waits for its turn.
	maxResisted = 3
	doublings   = 5
)

// reckon solves for the branches of the base by formulas. It reports whether a run that got
// through one came to others: that is the next base.
func (p *pathfinder) reckon(targets []int) bool {
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
		if slices.ContainsFunc(next.branches, func(b input.Branch) bool { return !p.tracker.decided(b.Code, &b.Comparison) && !p.comesTo(&b) }) {
			p.rebase(next)
			return true
		}
	}
	return false
}

// comesTo reports whether the base comes to a jump.
func (p *pathfinder) comesTo(b *input.Branch) bool {
	return slices.ContainsFunc(p.last, func(own input.Branch) bool { return own.Code == b.Code && own.PC == b.PC })
}

// satisfy looks for a way through a branch in what the base's instructions compute, without
// running them. Nil when there is none, or the run of what was found does something else.
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
		if p.formulas, ok = p.space.Formulas(p.base.sequence, p.encoded, exec); !ok {
			return nil
		}
	}
	seq, trials, can := p.formulas.Satisfy(p.rand, b.PC, !b.Taken, most)
	p.b.trials += uint64(trials)
	if can {
		p.yields(sideOf(&b))
	} else if trials > 0 && !p.moved[sideOf(&b)] {
		p.moved[sideOf(&b)] = false // what an argument's type leaves of a word is the word, say
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
