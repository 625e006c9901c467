package fuzzer

import "slices"

// maxTaskCalls bounds a task, so that no worker is away for long: full energy
// with sequences of 64 calls would be 65,536 calls, about 0.7 s on go-ethereum.
const maxTaskCalls = 16_384

// dispatch gives a task to an idle worker, with a share of the calls that are left.
func (c *Campaign) dispatch(t task, tasks []chan task) {
	t.calls = maxTaskCalls
	t.open, t.left, t.epoch, t.changed = slices.Clone(c.open), c.left, c.epoch, c.changed
	c.choosePrecursors()
	t.precursors = c.suite.precursors.wanted
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

// maxChains bounds the chains that one task is given. Arbitrary: most are wrong, but
// making them takes no execution.
const maxChains = 16

// contextOf picks what may be put before a seed's last call; chains only where they are
// demanded.
func (c *Campaign) contextOf(seed *Seed, demanded bool, energy Energy) (s sequenceContext) {
	if before := c.schedule().prelude(c.suite, c.rand); before != nil {
		s.prelude = before.Calls
	}
	if c.Without.RawOrder {
		return s
	}
	if before := c.suite.writer(seed, c.rand); before != nil {
		s.writer = before.Calls
		if demanded {
			for range min(int(energy), maxChains) {
				s.chains = append(s.chains, c.suite.closure(seed, c.rand, c.maxSeqLen-1))
			}
		}
	}
	if before := c.suite.accumulator(seed, c.rand); before != nil {
		s.repeated = before.Calls
		s.climbs = seed.Selected >= firstClimb && seed.Selected&(seed.Selected-1) == 0
	}
	if !c.Without.Sequences && seed.Selected&(seed.Selected-1) == 0 { // the first, second, fourth … pick
		for _, key := range seed.wants {
			if writers := c.suite.writers[key]; len(writers) > 0 {
				s.mappingWriters = append(s.mappingWriters, writers[c.rand.IntN(len(writers))].Calls)
			}
		}
	}
	return s
}
