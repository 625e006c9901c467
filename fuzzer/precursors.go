package fuzzer

import "github.com/sightline-evm/sightline/fuzzer/input"

// This file looks for what plans wait for. A variable has to have a value that no known writer gives it, and a target is behind the check that asks
// for that:
//
//	function dispute(uint256 id) external {
//		require(deals[id].status == Status.Delivered);
//		…                                              // a target
//	}
//
//	function deliver(uint256 id) external {
//		require(deals[id].status == Status.Active && deals[id].contractor == msg.sender);
//		deals[id].status = Status.Delivered;
//	}
//
// No target is in deliver, so that nothing leads into it, and as long as all of its calls fail it has written nothing. It has read the variable, though: what changes a
// state mostly asks for it first. Such functions are precursors: they have sides of their own where they fail (barrier.go) until they succeed once. Of a variable
// that nothing has written, whatever has not succeeded may be what writes it first.

// maxPrecursors bounds them. Arbitrary: each has sides of its own, which take turns with all others.
const maxPrecursors = 6

// choosePrecursors chooses again which functions plans wait for.
func (c *Campaign) choosePrecursors() {
	p := &c.suite.precursors
	if !p.stale {
		return
	}
	p.stale = false
	wanted := map[input.Callable]bool{}
	for _, plan := range c.suite.plans.list {
		if c.taken[plan.side] || c.isSpare(plan.function) || !plan.isExhausted(c.suite.writers[plan.key]) || !c.suite.leadsToTarget(plan) {
			continue
		}
		likely := p.readers[plan.key]
		if len(c.suite.writers[plan.key]) == 0 {
			likely = p.failing
		}
		for _, f := range likely {
			if f.Instance == plan.function.Instance && f != plan.function && !p.succeeded[f] && len(wanted) < maxPrecursors {
				wanted[f] = true
			}
		}
	}
	p.wanted = wanted
}

// leadsToTarget reports whether a target is ahead of the side that a plan is for.
func (s *Suite) leadsToTarget(plan *plan) bool {
	own := plan.side
	own.by, own.barrier = plan.function, true
	return s.frontier[frontierSide{plan.side, true}] != nil || s.frontier[frontierSide{own, true}] != nil
}
