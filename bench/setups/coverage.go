package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/forge"
)

// fuzzRuns are the runs of each test with arguments, where a project does not have its
// own number: forge's default of 256 takes four times as long for a few lines more.
const fuzzRuns = 64

// invariants bounds forge's runs of invariants, some of which take hours as the projects ask
// for them.
var invariants = []string{"FOUNDRY_INVARIANT_RUNS=8", "FOUNDRY_INVARIANT_DEPTH=32"}

// coverage runs forge's tests, and keeps what they reach of the contracts under test.
func (p *project) coverage(ctx context.Context, program, folder string, environment []string) (*forge.Coverage, error) {
	c, err := forge.Cover(ctx, program, folder, slices.Concat(environment, invariants), "--fuzz-runs", strconv.Itoa(cmp.Or(p.fuzzRuns, fuzzRuns)), "--fuzz-seed", "1")
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(c.Hits, func(at forge.Place, _ int) bool { return !p.underTest(at.File) })
	if len(files(c)) == 0 {
		return nil, errNoTests
	}
	return c, nil
}

// files are those with a line that the tests reach.
func files(c *forge.Coverage) []string {
	found := map[string]bool{}
	for at, n := range c.Hits {
		if n > 0 {
			found[at.File] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
