package fuzzer

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// This file has what is special about the project's own fuzz tests: they are seeds like
// others, of one call each, but they cost more, and may fail for no reason of the code
// that they test.

// tests is what a campaign knows of them.
type tests struct {
	passed map[input.Callable]bool // with some arguments
	// failing are failures of tests that have not passed yet: of such, nobody can say
	// whether they ever would.
	postponed []failure
	gas       [2]uint64 // that was used from seeds that are none, and from tests
}

type failure struct {
	seen      observation
	discovery discovery
}

const (
	// testShare: of the gas, tests get one part in so many, as long as something else is
	// picked in testDraws draws. One run of a test takes some ten times the gas of an ordinary
	// call. Arbitrary.
	testShare = 8
	testDraws = 16
	// testTaskGas bounds the mutants of one task of a test, by the gas that they are
	// expected to use: about a second. Arbitrary.
	testTaskGas = 1 << 27
)

// spend counts what a task used.
func (t *tests) spend(b *batch) {
	seed := b.task.seed
	switch {
	case seed == nil:
	case seed.Calls.IsTest():
		t.gas[1] += b.gas
	default:
		t.gas[0] += b.gas
	}
}

// rests reports whether a seed is a test, and tests have had their share.
func (t *tests) rests(seed *Seed) bool {
	return seed != nil && seed.Calls.IsTest() && t.gas[1] > 0 && t.gas[1]*testShare >= t.gas[0]+t.gas[1]
}

// pick chooses what is fuzzed next.
func (c *Campaign) pick() (*Seed, Energy, source) {
	seed, energy, from := c.schedule().pick(c.suite, c.rand, c.Without)
	for draws := 1; draws < testDraws && c.rests(seed); draws++ {
		seed, energy, from = c.schedule().pick(c.suite, c.rand, c.Without)
	}
	if seed.Calls.IsTest() {
		energy = min(energy, Energy(max(1, testTaskGas/max(1, seed.gas))))
	}
	return seed, energy, from
}

// postpones keeps what a test that has not passed yet is seen to do.
func (c *Campaign) postpones(seen observation, d *discovery) bool {
	if seen.oracle != oracle.FailingTest || c.passed[lastOf(d.sequence)] {
		return false
	}
	if !slices.ContainsFunc(c.postponed, func(f failure) bool { return f.seen.key() == seen.key() }) {
		c.postponed = append(c.postponed, failure{seen, *d})
	}
	return true
}

// pass notes that tests passed: those of their failures that were seen before are findings.
func (c *Campaign) pass(ctx context.Context, passed []input.Callable) {
	for _, test := range passed {
		c.passed[test] = true
	}
	if len(passed) > 0 {
		c.findFailures(ctx, func(test input.Callable) bool { return c.passed[test] })
	}
}

// failWithoutPass takes in the failures of tests that have not passed at all.
func (c *Campaign) failWithoutPass(ctx context.Context) {
	c.findFailures(ctx, func(input.Callable) bool { return true })
}

func (c *Campaign) findFailures(ctx context.Context, of func(input.Callable) bool) {
	c.postponed = slices.DeleteFunc(c.postponed, func(f failure) bool {
		if !of(lastOf(f.discovery.sequence)) {
			return false
		}
		c.find(ctx, f.seen, &f.discovery)
		return true
	})
}
