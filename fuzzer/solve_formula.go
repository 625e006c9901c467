package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
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

// within is a branch side in one of the contexts in which its code is called, see [input.Decision].
type within struct {
	branchSide
	context uint64
}

// maxContexts bounds the sides in contexts that a worker remembers. When there are as many, all are forgotten. Arbitrary.
const maxContexts = 1 << 16

// read reads the formulas of a run, which must be the latest, and notes in which contexts its jumps went which way.
func (p *pathfinder) read(there *point, exec *evm.Execution) {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	if frames[0] == frames[1] || exec.Frames[frames[0]].Program == nil {
		return
	}
	there.failed = exec.Calls[len(exec.Calls)-1].Outcome != evm.Success
	if !p.without.Callbacks {
		there.spelled, _ = p.space.Spelled(there.sequence, exec)
	}
	var ok bool
	if there.formulas, ok = p.space.Formulas(there.sequence, p.encoded, exec, &p.notes); !ok {
		there.formulas = nil
		return
	}
	if p.contexts == nil || len(p.contexts) >= maxContexts {
		p.contexts = map[within]int{}
	}
	for _, d := range there.formulas.Decisions() {
		if side := sideWithin(&d, d.Taken); d.Moves && p.contexts[side] <= maxResisted {
			p.contexts[side] = taken
		}
	}
}

// taken is what worker.contexts has of sides that were taken; of others, it is how many searches did not solve them.
const taken = maxResisted + 1

func sideWithin(d *input.Decision, taken bool) within {
	return within{branchSide{code: d.Code, pc: d.PC, taken: taken}, d.Context}
}

// solveByFormulas solves for branches of the base by formulas. It reports whether a run
// that got through one reached new undecided ones: that is the next base.
func (p *pathfinder) solveByFormulas(targets []int) bool {
	for _, target := range targets {
		b := &p.last[target]
		side := p.tracker.sideOf(b)
		if !p.tracker.isOpen(b) || p.resisted[side] >= maxResisted {
			continue
		}
		next := p.satisfy(target, firstTrials)
		if p.ended {
			return false
		}
		if next == nil {
			if !p.refuted[side] {
				p.resisted[side]++
			}
			continue
		}
		if p.leadsOn(next) {
			p.rebase(next)
			return true
		}
	}
	return p.solveWithin()
}

// leadsOn reports whether a run passes undecided branches that the base does not, or failed where it may go on.
func (p *pathfinder) leadsOn(next *point) bool {
	return p.failedWithin(next) >= 0 || slices.ContainsFunc(next.branches, func(b input.Branch) bool {
		return p.tracker.isOpen(&b) && !p.passes(&b)
	})
}

// failedWithin is the number of a run's last decision, where the call failed behind it, and the other side is not known in
// this context: code that functions share, such as checks for overflow, has gone both ways elsewhere. −1: there is none.
func (p *pathfinder) failedWithin(there *point) int {
	if !there.failed || there.formulas == nil {
		return -1
	}
	all := there.formulas.Decisions()
	for i := len(all) - 1; i >= 0; i-- {
		if d := &all[i]; d.Moves {
			if p.contexts[sideWithin(d, !d.Taken)] < maxResisted {
				return i
			}
			break
		}
	}
	return -1
}

// solveWithin solves for the other side of the jump behind which the base failed, where that side is new in its context.
func (p *pathfinder) solveWithin() bool {
	at := p.failedWithin(p.base)
	if at < 0 {
		return false
	}
	d := p.base.formulas.Decisions()[at]
	next, _ := p.satisfyAt(at, firstTrials)
	if p.ended {
		return false
	}
	if side := sideWithin(&d, !d.Taken); next == nil {
		p.contexts[side]++
		return false
	}
	if !p.leadsOn(next) {
		return false
	}
	p.rebase(next)
	return true
}

// passes reports whether the base passes a jump.
func (p *pathfinder) passes(b *input.Branch) bool {
	return slices.ContainsFunc(p.last, func(own input.Branch) bool { return own.Code == b.Code && own.PC == b.PC })
}

// searched reports whether formulas tell all about a branch of the base: then runs show no more than that.
func (p *pathfinder) searched(target int) bool {
	return p.complete[p.tracker.sideOf(&p.last[target])]
}

// satisfy searches for a way through a branch in the formulas that the base's
// instructions compute, without running them. Nil when there is none, or when the run of
// the solution does not take the branch.
func (p *pathfinder) satisfy(target, most int) *point {
	b := p.last[target]
	if !p.readBase() {
		return nil
	}
	at := p.base.formulas.Of(&b)
	if at < 0 {
		delete(p.complete, p.tracker.sideOf(&b))
		return nil
	}
	if p.base.formulas.Behind(at) != at {
		return p.satisfyBehind(&b, most)
	}
	next, outcome := p.satisfyAt(at, most)
	side := p.tracker.sideOf(&b)
	p.complete[side] = outcome.Complete
	switch {
	case outcome.Refuted:
		p.refuted[side] = true
		if d := &p.base.formulas.Decisions()[at]; d.Stored || d.Fed {
			p.noteMovable(side) // by calls before this one
		}
	case outcome.Turns:
		p.noteMovable(side)
	case outcome.Trials > 0 && !p.moved[side]:
		p.moved[side] = false // for example, masking an argument to its type changes nothing
	}
	if next == nil && !p.ended {
		next = p.satisfySpelled(&b, most)
	}
	return next
}

// satisfyBehind gets through a jump on whether a call succeeded that failed: through one check of the called contract after the other, which direct calls
// may have passed before.
func (p *pathfinder) satisfyBehind(b *input.Branch, most int) *point {
	base, last := p.base, p.last
	defer func() { p.base, p.last = base, last }()
	for range maxRebases {
		at := p.base.formulas.Of(b)
		if at < 0 {
			return nil
		}
		if at = p.base.formulas.Behind(at); at < 0 {
			return nil
		}
		next, _ := p.satisfyAt(at, most)
		if next == nil {
			return nil
		}
		if slices.ContainsFunc(next.branches, func(there input.Branch) bool {
			return there.Frame == b.Frame && there.Code == b.Code && there.PC == b.PC && there.Taken != b.Taken
		}) {
			return next
		}
		p.base, p.last = next, next.branches
	}
	return nil
}

// satisfySpelled searches for a way through a branch with what the attacker's contract answered among the numbers.
func (p *pathfinder) satisfySpelled(b *input.Branch, most int) *point {
	side := p.tracker.sideOf(b)
	if p.base.spelled == nil || p.spelled[side] >= maxResisted {
		return nil
	}
	p.spelled[side]++
	exec, _, ok := p.try(p.ctx, p.base.spelled, p.b)
	if !ok {
		p.ended = true
		return nil
	}
	there := p.point(p.base.spelled, exec)
	p.read(there, exec)
	if there.formulas == nil {
		return nil
	}
	at := there.formulas.Of(b)
	if at < 0 {
		return nil
	}
	base, last := p.base, p.last
	defer func() { p.base, p.last = base, last }()
	p.base, p.last = there, there.branches
	next, outcome := p.satisfyAt(at, most)
	if outcome.Turns {
		p.noteMovable(side)
	}
	return next
}

// readBase sees to it that the base's formulas are read, if they can be.
func (p *pathfinder) readBase() bool {
	if p.base.formulas == nil && !p.base.unreadable {
		exec, ok := p.run(p.ctx, p.base.sequence, p.b)
		if !ok {
			p.ended = true
			return false
		}
		p.read(p.base, exec)
		p.base.unreadable = p.base.formulas == nil
	}
	return p.base.formulas != nil
}

// satisfyAt searches for the other side of a decision of the base. next is nil where no run took it.
func (p *pathfinder) satisfyAt(at, most int) (next *point, outcome input.Outcome) {
	outcome = p.base.formulas.Satisfy(p.rand, at, most)
	p.b.trials += uint64(outcome.Trials)
	if outcome.Sequence == nil {
		return nil, outcome
	}
	exec, _, ok := p.try(p.ctx, outcome.Sequence, p.b)
	if !ok {
		p.ended = true
		return nil, outcome
	}
	d := p.base.formulas.Decisions()[at]
	if next = p.beyond(&d, outcome.Sequence, exec); next == nil {
		next = p.agreeing(&d, outcome.Sequence, exec)
	}
	return next, outcome
}

// beyond is a run, the latest, if it takes the other side of a decision; nil if it does not.
func (p *pathfinder) beyond(d *input.Decision, seq input.Sequence, exec *evm.Execution) *point {
	there := p.point(seq, exec)
	p.read(there, exec)
	if there.formulas == nil || !slices.ContainsFunc(there.formulas.Decisions(), func(other input.Decision) bool {
		return other.Code == d.Code && other.PC == d.PC && other.Context == d.Context && other.Taken != d.Taken
	}) {
		return nil
	}
	return there
}

// agreeing is a run that takes the other side of a decision where one failed with the numbers for it, since its last call reads other elements of
// mappings with them: the call that wrote those of before gets the keys, or names what the last one names now, see [keySubstitution]. What was
// attested has to be delivered, and both name the amount. nil: none.
func (p *pathfinder) agreeing(d *input.Decision, seq input.Sequence, exec *evm.Execution) *point {
	last := len(seq) - 1
	if last == 0 || exec.Calls[last].Outcome != evm.Reverted || p.without.Sequences {
		return nil
	}
	p.tried.forget()
	p.step.begin(nil, lead{sequence: seq, joined: true}, exec, false, maxSubstitutions)
	for _, l := range p.keySubstitution.toward(p.step, last) {
		if !l.sequence[last].Equal(&seq[last]) || !l.agreed && l.substituted == nil {
			continue
		}
		exec, _, ok := p.try(p.ctx, l.sequence, p.b)
		if !ok {
			p.ended = true
			return nil
		}
		if there := p.beyond(d, l.sequence, exec); there != nil {
			return there
		}
	}
	return nil
}
