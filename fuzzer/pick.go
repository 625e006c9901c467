package fuzzer

import "github.com/sightline-evm/sightline/fuzzer/input"

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

// assignEnergy is the energy of a picked seed (LookaheadAssignEnergy), less for tests, for
// constructors and for seeds with heavy calls.
func (c *Campaign) assignEnergy(seed *Seed, from source) Energy {
	energy := c.schedule().assignEnergy(c.suite, seed, from)
	energy = c.constructorEnergy(seed, energy)
	if seed.Calls.IsTest() {
		energy = min(energy, Energy(max(1, testTaskGas/max(1, seed.gas))))
	}
	if seed.work >= heavyWork {
		energy = min(energy, Energy(max(1, maxTaskHeavy/seed.work)))
	}
	return energy
}

// constructorEnergy is less than the energy of a seed that ends with a constructor, by as much as its executions take longer than the
// mean. Energy is a number of executions, and constructors, which take several times as long as most calls, used up half of the time of
// small contracts. Other calls that take long are often those that matter.
func (c *Campaign) constructorEnergy(seed *Seed, energy Energy) Energy {
	mean, own := c.ration.lastWork/max(1, c.result.Stats.Executions), overheadWork+seed.lastWork
	if own <= mean || seed.Calls.Last().Function.Kind != input.Constructor {
		return energy
	}
	return max(1, Energy(uint64(energy)*mean/own))
}

// skips reports whether a seed is not picked: it is a test, and tests have used up their
// share, or it calls what is avoided.
func (c *Campaign) skips(seed *Seed) bool {
	share := uint64(testShare)
	if c.left == 0 {
		share = testShareReached
	}
	return c.fuzzTests.skips(seed, share) || c.avoids(seed)
}

// avoids reports whether a seed calls what is avoided.
func (c *Campaign) avoids(seed *Seed) bool {
	return seed != nil && len(c.avoided) > 0 && seed.Calls.HasAny(c.avoided)
}

// affordable is a seed that is not skipped, from a random one on; nil when all are.
func (c *Campaign) affordable() *Seed {
	n := len(c.suite.Seeds)
	first := c.rand.IntN(n)
	for i := range n {
		if seed := c.suite.Seeds[(first+i)%n]; !c.skips(seed) {
			return seed
		}
	}
	return nil
}
