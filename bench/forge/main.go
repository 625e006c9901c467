// Command forge measures forge's fuzzing and Sightline side by side, on the same
// contracts, with the same compiler and time, one thread each.
//
//	main.go       what is measured, and the tables
//	projects.go   the examples as Foundry projects
//	published.go  contracts of npm packages, likewise
//	sightline.go  the same with the sightline binary
//	tests/        forge's tests of them
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/examples"
)

const doc = `Runs forge ` + forge.Version + ` from npm and the sightline binary on the examples: calls per second on
the base version, where nothing breaks, in invariant runs and in stateless fuzz runs, and
on three contracts of npm packages; and the time to the assert that the head version
breaks. One thread each, the same compiler settings, the same time limit, seeds one
after the other.

summary: callsPerSecondRatio and statelessRatio, Sightline to forge, the median of the
contracts; brokenShare and forgeBrokenShare, of the attempts at the assert (forge: the
best of its ways); timeToBreakA12, the probability that forge takes longer.`

func main() {
	harness.Main(harness.Comparison{Name: "forge", Doc: doc, Seconds: 900, Runs: 5, Measure: measure})
}

// A way to fuzz an example.
type way struct {
	name  string
	forge string // the test contract; empty: Sightline
	// guided switches forge's coverage guidance on, which is off by default.
	guided bool
}

// ways to look for the assert.
var ways = []way{
	{name: "forge", forge: "Plain"},
	{name: "forge, coverage-guided", forge: "Plain", guided: true},
	{name: "forge, handler", forge: "Handled"},
	{name: "forge, handler, coverage-guided", forge: "Handled", guided: true},
	{name: "sightline"},
}

// seqLen is Sightline's default.
const seqLen = 8

// limitShares is how many times the time of a rate an attempt at an assert may
// take: most end long before.
const limitShares = 4

// comparison is what measurements share.
type comparison struct {
	run   *harness.Run
	ours  *ours
	sides map[string]*forge.Project // "crowdsale/base"
	share time.Duration
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	modules, err := run.Install(ctx, "forge", packages())
	if err != nil {
		return nil, err
	}
	tool, err := run.BuildTool(ctx, modules)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(run.Cache, "forge"), 0o755); err != nil {
		return nil, err
	}
	names := examples.Names()
	perContract := 4                                  // both sides' two rates
	perExample := perContract + limitShares*len(ways) // and the attempts
	c := &comparison{run: run, ours: &ours{run, tool, map[string][]string{}}, sides: map[string]*forge.Project{}}
	c.share = run.Share(run.Runs * (len(names)*perExample + len(contracts)*perContract))
	for _, example := range names {
		for _, side := range []string{"base", "head"} {
			p, err := makeProject(run, modules, example, side)
			if err != nil {
				return nil, err
			}
			// Compiles, so that no measurement has to.
			if _, err := p.Run(ctx, "Stateless", false, time.Second, run.Seed); err != nil {
				return nil, fmt.Errorf("%s: %w", example, err)
			}
			c.sides[example+"/"+side] = p
		}
	}
	measured := slices.Clip(names)
	for i := range contracts {
		k := &contracts[i]
		p, args, err := k.makeProjects(run, modules)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		if _, err := p.Run(ctx, "Stateless", false, time.Second, run.Seed); err != nil { // compiles
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		c.sides[k.name+"/base"], c.ours.published[k.name] = p, args
		measured = append(measured, k.name)
	}
	result := &harness.Result{Summary: map[string]float64{}}
	err = errors.Join(c.rates(ctx, measured, result), c.attempts(ctx, names, result))
	return result, err
}

// rates compares calls per second on the base versions.
func (c *comparison) rates(ctx context.Context, names []string, result *harness.Result) error {
	t := harness.Table{Title: "calls per second, nothing breaks", Columns: []string{"contract", "mode", "forge", "sightline", "ratio", "test"}}
	modes := []struct {
		name, contract, summary string
		seqLen                  int
	}{
		{"invariant", "Handled", "callsPerSecondRatio", seqLen},
		{"stateless", "Stateless", "statelessRatio", 1},
	}
	ratios := map[string][]float64{}
	for _, example := range names {
		for _, mode := range modes {
			samples, err := harness.Interleave(ctx, c.run, []harness.Contender{
				{Name: "forge", Measure: func(ctx context.Context, round int) (float64, error) {
					r, err := c.sides[example+"/base"].Run(ctx, mode.contract, false, c.share, c.run.Seed+uint64(round))
					return rate(r, err)
				}},
				{Name: "sightline", Measure: func(ctx context.Context, round int) (float64, error) {
					r, err := c.ours.fuzz(ctx, example, "base", mode.seqLen, false, c.share, c.run.Seed+uint64(round))
					return rate(r, err)
				}},
			})
			if err != nil {
				return fmt.Errorf("%s, %s: %w", example, mode.name, err)
			}
			test := harness.Compare(samples[1], samples[0])
			ratios[mode.summary] = append(ratios[mode.summary], test.Ratio)
			t.Add(example, mode.name, harness.Summarize(samples[0]).String(), harness.Summarize(samples[1]).String(), harness.Number(test.Ratio), test.String())
			c.run.Logf("%s, %s: ratio %s", example, mode.name, harness.Number(test.Ratio))
		}
	}
	t.Notes = []string{"Each counts calls of the contracts under test as it reports them: forge those of its invariant runs, or runs of a test that makes one call; " +
		"Sightline all calls of its sequences, those included that the machine need not run again because the sequence before began with them."}
	result.Tables = append(result.Tables, t)
	for name, values := range ratios {
		result.Summary[name] = harness.Median(values)
	}
	return nil
}

func rate(r *forge.TestRun, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	if r.Broken {
		return 0, errors.New("an assert failed on the base version, where all hold")
	}
	return r.Calls / r.Seconds, nil
}

// attempts compares the time to the assert that the head versions break. An
// attempt that ends at the limit counts as the limit.
func (c *comparison) attempts(ctx context.Context, names []string, result *harness.Result) error {
	limit := limitShares * c.share
	t := harness.Table{Title: "time to the assert", Columns: []string{"example", "way", "broken", "seconds", "ratio", "test"},
		Notes: []string{fmt.Sprintf("Medians; an attempt is given up after %s s and counts as long. Ratios of times and tests are Sightline's to that way: A12 is the probability that the way takes longer.", harness.Number(limit.Seconds()))}}
	var oursBroken, forgeBroken, total float64
	var effects []float64
	for _, example := range names {
		broken := make([]int, len(ways))
		var contenders []harness.Contender
		for i, w := range ways {
			contenders = append(contenders, harness.Contender{Name: w.name, Measure: func(ctx context.Context, round int) (float64, error) {
				r, err := c.attempt(ctx, example, w, limit, c.run.Seed+uint64(round))
				if err != nil {
					return 0, err
				}
				if !r.Broken {
					return limit.Seconds(), nil
				}
				broken[i]++
				return min(r.Seconds, limit.Seconds()), nil
			}})
		}
		samples, err := harness.Interleave(ctx, c.run, contenders)
		if err != nil {
			return fmt.Errorf("%s: %w", example, err)
		}
		last := len(ways) - 1
		best := 0
		for i, w := range ways {
			cells := []string{example, w.name, strconv.Itoa(broken[i]) + " of " + strconv.Itoa(c.run.Runs), harness.Summarize(samples[i]).String(), "", ""}
			if i != last {
				test := harness.Compare(samples[last], samples[i])
				test.A12 = harness.A12(samples[i], samples[last])
				cells[4], cells[5] = harness.Number(test.Ratio), test.String()
				if broken[i] > broken[best] || broken[i] == broken[best] && harness.Median(samples[i]) < harness.Median(samples[best]) {
					best = i
				}
			}
			t.Add(cells...)
		}
		effects = append(effects, harness.A12(samples[best], samples[last]))
		oursBroken += float64(broken[last])
		forgeBroken += float64(broken[best])
		total += float64(c.run.Runs)
		c.run.Logf("%s: broken %d times, by forge at best %d times", example, broken[last], broken[best])
	}
	result.Tables = append(result.Tables, t)
	result.Summary["brokenShare"] = oursBroken / total
	result.Summary["forgeBrokenShare"] = forgeBroken / total
	result.Summary["timeToBreakA12"] = harness.Median(effects)
	return nil
}

// attempt looks for the assert once.
func (c *comparison) attempt(ctx context.Context, example string, w way, limit time.Duration, seed uint64) (*forge.TestRun, error) {
	if w.forge != "" {
		return c.sides[example+"/head"].Run(ctx, w.forge, w.guided, limit, seed)
	}
	return c.ours.fuzz(ctx, example, "head", seqLen, true, limit, seed)
}
