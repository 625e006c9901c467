package fuzzer

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// fuzzTests is what a campaign knows of the project's own fuzz tests. They are seeds
// like others, of one call each, but they cost more, and may fail for reasons that have
// nothing to do with the code that they test.
type fuzzTests struct {
	passed map[input.Callable]bool // with some arguments
	// postponed are failures of tests that have not passed with any arguments yet: such
	// a test may never pass.
	postponed []failure
	gas       [2]uint64 // used from seeds that are not tests, and from tests
}

type failure struct {
	seen      observation
	discovery discovery
}

const (
	// testShare: tests get one part in so many of the gas, as long as another seed is
	// picked in testDraws draws. One run of a test takes about ten times the gas of an
	// ordinary call. Arbitrary.
	testShare = 8
	testDraws = 16
	// testShareReached is their part once every target was reached: they know what must hold
	// there. Arbitrary.
	testShareReached = 2
	// testTaskGas bounds the mutants of one task of a test, by the gas that they are
	// expected to use: about a second. Arbitrary.
	testTaskGas = 1 << 27
)

// countGas counts the gas that a task used.
func (t *fuzzTests) countGas(b *batch) {
	seed := b.task.seed
	switch {
	case seed == nil:
	case seed.Calls.IsTest():
		t.gas[1] += b.gas
	default:
		t.gas[0] += b.gas
	}
}

// skips reports whether a seed is a test, and tests have used up their share, one part in so
// many.
func (t *fuzzTests) skips(seed *Seed, share uint64) bool {
	return seed != nil && seed.Calls.IsTest() && t.gas[1] > 0 && t.gas[1]*share >= t.gas[0]+t.gas[1]
}

// postpone keeps the failure of a test that has not passed yet, and reports whether it
// did.
func (c *Campaign) postpone(seen observation, d *discovery) bool {
	if seen.oracle != oracle.FailingTest || c.passed[lastOf(d.sequence)] {
		return false
	}
	if !slices.ContainsFunc(c.postponed, func(f failure) bool { return f.seen.key() == seen.key() }) {
		c.postponed = append(c.postponed, failure{seen, *d})
	}
	return true
}

// mergePassed records that tests passed: their postponed failures become findings.
func (c *Campaign) mergePassed(ctx context.Context, passed []input.Callable) {
	for _, test := range passed {
		c.passed[test] = true
	}
	if len(passed) > 0 {
		c.confirmPostponed(ctx, func(test input.Callable) bool { return c.passed[test] })
	}
}

// reportUnpassed confirms the failures of tests that have not passed at all.
func (c *Campaign) reportUnpassed(ctx context.Context) {
	c.confirmPostponed(ctx, func(input.Callable) bool { return true })
}

// confirmPostponed confirms the postponed failures of some tests.
func (c *Campaign) confirmPostponed(ctx context.Context, of func(input.Callable) bool) {
	c.postponed = slices.DeleteFunc(c.postponed, func(f failure) bool {
		if !of(lastOf(f.discovery.sequence)) {
			return false
		}
		c.confirmFinding(ctx, f.seen, &f.discovery)
		return true
	})
}
