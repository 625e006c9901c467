package fuzzer

import "slices"

// This file makes plans of what state fuzzing shows. A call that takes another side of a branch from a state in which one
// word differs waits for whoever writes that word: the calls that do are put before it, each at its turn, and led to the
// same element (see [keySubstitution]). Harvey only lets sequences be longer then (§5), and leaves to chance which calls
// make them so.

// plan is a sequence whose last call takes a wanted side once a variable has another value.
type plan struct {
	demandedSide
	tried int // so many of the variable's writers were
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
	maxTried      = 16  // that one plan tries
	leadsPerPlan  = 3   // for each writer: to the same element, and what it is compared with
	planGrant     = 256 // executions that plans may take at first
	planShare     = 32  // so much of the executions, at most
)

// add makes a plan of a side that was demanded.
func (p *plans) add(d demandedSide) {
	if p.of == nil {
		p.of = map[branchSide]int{}
	}
	if len(p.list) == maxPlans || p.of[d.side] == maxPlansOf {
		return
	}
	p.of[d.side]++
	p.list = append(p.list, &plan{demandedSide: d})
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
		writers := c.suite.writers[plan.key]
		if plan.tried == min(len(writers), maxTried) {
			continue
		}
		t := task{seed: plan.seed, energy: 1, source: fromPlan, seqLen: min(len(plan.seed.Calls)+maxSeqLen/8, c.maxSeqLen)}
		for plan.tried < min(len(writers), maxTried) && len(t.mappingWriters) < writersAtOnce {
			t.mappingWriters = append(t.mappingWriters, writers[plan.tried].Calls)
			plan.tried++
		}
		return t, true
	}
	return task{}, false
}
