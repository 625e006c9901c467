package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// This file makes plans of what state fuzzing shows. A call that takes another side of a branch from a state in which one
// word differs waits for whoever writes that word: the calls that do are put before it, each at its turn, and led to the
// same element (see [keySubstitution]). Harvey only lets sequences be longer then (§5), and leaves to chance which calls
// make them so.

// plan is a sequence whose last call takes a wanted side once a variable has another value.
type plan struct {
	demandedSide
	tried map[*Seed]bool          // of the variable's writers
	of    map[input.Callable]bool // functions of which some were

	// exhausted is how many writers there were when none was left to try, and latest the last of them.
	exhausted int
	latest    *Seed
}

// plans are those of the sides that nothing has taken.
type plans struct {
	list []*plan
	of   map[branchSide]int // how many were made
	next int                // whose turn it is
}

// Bounds of plans. All arbitrary: most sides need one variable, and few seeds write it.
const (
	maxPlans      = 256 // at once
	maxPlansOf    = 2   // of one side, by different sequences
	writersAtOnce = 8   // that one task tries
	maxTried      = 16  // that one plan tries, but for the first of each function
	leadsPerPlan  = 3   // for each writer: to the same element, and what it is compared with
	planGrant     = 256 // executions that plans may take at first
	planShare     = 32  // so much of the executions, at most
)

// plan makes a plan of a side that was demanded. It takes the place of one for an instance that another one stands for: what a proxy runs has no state that
// anything writes, and what waits for it waits for good.
func (c *Campaign) plan(d demandedSide) {
	p := &c.suite.plans
	if p.of == nil {
		p.of = map[branchSide]int{}
	}
	c.suite.precursors.stale = true
	switch {
	case p.of[d.side] == maxPlansOf:
		i := slices.IndexFunc(p.list, func(known *plan) bool { return known.side == d.side && c.isSpare(known.function) })
		if i >= 0 && !c.isSpare(d.function) {
			p.list[i] = newPlan(d)
		}
	case len(p.list) < maxPlans:
		p.of[d.side]++
		p.list = append(p.list, newPlan(d))
	}
}

func newPlan(d demandedSide) *plan {
	return &plan{demandedSide: d, tried: map[*Seed]bool{}, of: map[input.Callable]bool{}}
}

// isExhausted reports whether no writer is left to try. Plans are asked before every task, and writers seldom change.
func (p *plan) isExhausted(writers []*Seed) bool {
	if len(writers) == 0 {
		return true
	}
	latest := writers[len(writers)-1]
	if p.exhausted == len(writers) && p.latest == latest {
		return true
	}
	if len(p.untried(writers)) > 0 {
		return false
	}
	p.exhausted, p.latest = len(writers), latest
	return true
}

// untried lists the writers that are tried next: what writes a variable first is not what writes it as is wanted, so that each function has its turn.
func (p *plan) untried(writers []*Seed) (list []*Seed) {
	left := maxTried - len(p.tried)
	for _, w := range spread(writers) {
		first := !p.of[w.Calls.Last()] && !slices.ContainsFunc(list, func(l *Seed) bool { return l.Calls.Last() == w.Calls.Last() })
		if !p.tried[w] && (left > 0 || first) {
			list = append(list, w)
			left--
		}
	}
	return list
}

// isSpare reports whether another instance stands for that of a function.
func (c *Campaign) isSpare(function input.Callable) bool {
	return c.Space.Instances[function.Instance].Spare
}

// planningTask puts writers of a variable before a call that waits for them; false when there is nothing to try.
func (c *Campaign) planningTask() (task, bool) {
	p := &c.suite.plans
	if c.Without.RawOrder || c.suite.spent[fromPlan]*planShare > planGrant*planShare+c.result.Stats.Executions {
		return task{}, false
	}
	p.list = slices.DeleteFunc(p.list, func(plan *plan) bool { return c.taken[plan.side] })
	for range p.list {
		p.next = (p.next + 1) % len(p.list)
		plan := p.list[p.next]
		known := c.suite.writers[plan.key]
		if plan.isExhausted(known) {
			continue
		}
		writers := plan.untried(known)
		t := task{seed: plan.seed, energy: 1, source: fromPlan, seqLen: min(len(plan.seed.Calls)+maxSeqLen/8, c.maxSeqLen)}
		for _, w := range writers[:min(len(writers), writersAtOnce)] {
			t.mappingWriters = append(t.mappingWriters, w.Calls)
			plan.tried[w], plan.of[w.Calls.Last()] = true, true
		}
		c.suite.precursors.stale = true
		return t, true
	}
	return task{}, false
}
