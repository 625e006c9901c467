package fuzzer

import (
	"slices"
)

// schedule is the campaign's, as long as there is a target to steer to.
func (c *Campaign) schedule() *Schedule {
	switch {
	case c.left > 0:
		return c.Schedule
	case c.Schedule.directed:
		return afterTargets
	}
	return Cutoff
}

// pick chooses the seed that is fuzzed next (PickInput).
func (c *Campaign) pick() (*Seed, source) {
	seed, from := c.schedule().pick(c.suite, c.rand, c.Without)
	for draws := 1; draws < testDraws && c.skips(seed); draws++ {
		seed, from = c.schedule().pick(c.suite, c.rand, c.Without)
	}
	if c.avoids(seed) {
		if other := c.affordable(); other != nil {
			return other, fromSuite
		}
	}
	return seed, from
}

// assignEnergy is the energy of a picked seed (LookaheadAssignEnergy), less for tests and for
// seeds with heavy calls.
func (c *Campaign) assignEnergy(seed *Seed, from source) Energy {
	energy := c.schedule().assignEnergy(c.suite, seed, from)
	if seed.Calls.IsTest() {
		energy = min(energy, Energy(max(1, testTaskGas/max(1, seed.gas))))
	}
	if seed.work >= heavyWork {
		energy = min(energy, Energy(max(1, maxTaskHeavy/seed.work)))
	}
	return energy
}

// fuzzingTask is the task to fuzz a seed with its energy; or to analyze the seed's path
// again first, if its LID is stale.
func (c *Campaign) fuzzingTask(seed *Seed, energy Energy, from source) task {
	if from != fromFrontier && c.isStale(seed) {
		return task{seed: seed, reanalyze: true}
	}
	seed.Selected++
	t := task{seed: seed, energy: energy, source: from, seqLen: c.seqLen}
	t.demanded = c.suite.demands.get(seed.Calls.Last())
	t.sequenceContext = c.contextOf(seed, t.demanded.wanted > 0, energy)
	return t
}

// isStale reports whether a seed's path must be analyzed again: targets fell, a call led
// somewhere new, or an instruction that may be ahead of it changed state for the first
// time.
func (c *Campaign) isStale(seed *Seed) bool {
	return seed.lid != nil && (seed.epoch != c.epoch || seed.lid.opens && seed.changed != c.changed) && c.affordsQuestions()
}

// maxTaskCalls bounds a task, so that no worker is away for long: full energy
// with sequences of 64 calls would be 65,536 calls, about 0.7 s on go-ethereum.
const maxTaskCalls = 16_384

// dispatch gives a task to an idle worker, with a share of the calls that are left.
func (c *Campaign) dispatch(t task, tasks []chan task) {
	t.calls = maxTaskCalls
	t.open, t.left, t.epoch, t.changed = slices.Clone(c.open), c.left, c.epoch, c.changed
	if t.seed != nil && !t.seed.Calls.HasAny(c.avoided) { // otherwise there is nothing else to call
		t.avoided = c.avoided
	}
	if c.MaxCalls > 0 {
		left := c.MaxCalls - c.result.Stats.Calls - c.reserved - c.owes()
		t.calls = min(t.calls, left)
	}
	c.reserved += t.calls
	id := c.idle[len(c.idle)-1]
	c.idle = c.idle[:len(c.idle)-1]
	c.busy++
	tasks[id] <- t
}
