// Command guards measures which conditions the fuzzer gets through, and how fast.
//
//	main.go    what is measured, and the table
//	guards.go  contracts of ours, one for each guard
package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
)

const doc = `Measures how many executions it takes to get through guards: conditions on arguments,
value, time and state that chance does not meet, each in a contract of its own below
bench/guards/contracts. Campaigns have one worker and the product's settings, and end when
the guard has been passed or at -limit. The same seed takes the same number of executions
again; -seconds bounds the whole and leaves later seeds out, in rounds.

summary: solvedShare is the percentage of guards that at least 9 of 10 seeds pass,
medianExecutions the median over the guards of their medians, guards their number.`

var options struct {
	limit    uint64
	only     string
	schedule string
	without  string
	with     string
	parallel int
}

func flags(f *flag.FlagSet) {
	f.Uint64Var(&options.limit, "limit", 10_000, "executions after which a campaign has missed its guard")
	f.StringVar(&options.only, "only", "", "guards to measure, parts of their names separated by commas; empty: all")
	f.StringVar(&options.schedule, "schedule", "lookahead", "power schedule")
	f.StringVar(&options.without, "without", "", "techniques to leave out: "+strings.Join(fuzzer.TechniqueNames(), ", "))
	f.StringVar(&options.with, "with", "", "techniques to add: "+strings.Join(fuzzer.Optional(), ", "))
	f.IntVar(&options.parallel, "parallel", 2, "campaigns at a time")
}

func main() {
	harness.Main(harness.Comparison{Name: "guards", Doc: doc, Seconds: 600, Runs: 10, Measure: measure, Flags: flags})
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	schedule, err := fuzzer.ScheduleNamed(options.schedule)
	if err != nil {
		return nil, fmt.Errorf("-schedule: %w", err)
	}
	without, err := fuzzer.TechniquesNamed(options.without)
	if err != nil {
		return nil, fmt.Errorf("-without: %w", err)
	}
	with, err := fuzzer.TechniquesNamed(options.with)
	if err != nil {
		return nil, fmt.Errorf("-with: %w", err)
	}
	if options.parallel < 1 || options.limit < 1 {
		return nil, fmt.Errorf("-parallel %d, -limit %d: want at least 1", options.parallel, options.limit)
	}
	guards, err := open(ctx, run, wanted)
	if err != nil {
		return nil, err
	}
	samples, err := race(ctx, run, guards, func(g *guard, seed uint64) fuzzer.Config {
		config := g.goal.Subject.Config(schedule, without, seed, run.Now)
		config.Targets, config.With = g.targets, with
		return config
	})
	if err != nil {
		return nil, err
	}
	return report(guards, samples), nil
}

func wanted(name string) bool {
	return slices.ContainsFunc(strings.Split(options.only, ","), func(part string) bool { return strings.Contains(name, part) })
}

// race runs all campaigns: seed by seed, so that when time is up each guard has as
// many. The samples are by guard.
func race(ctx context.Context, run *harness.Run, guards []*guard, config func(*guard, uint64) fuzzer.Config) ([][]timetotarget.Sample, error) {
	samples := make([][]timetotarget.Sample, len(guards))
	var mu sync.Mutex
	begun := run.Now()
	for seed := range run.Runs {
		if spent := run.Now().Sub(begun).Seconds(); seed > 0 && spent*float64(seed+1) > run.Seconds*float64(seed) {
			run.Logf("time is up after %d of %d seeds", seed, run.Runs)
			break
		}
		err := timetotarget.Parallel(ctx, len(guards), options.parallel, func(i int) error {
			g := guards[i]
			s, err := timetotarget.Run(ctx, g.goal, config(g, run.Seed+uint64(seed)))
			if err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
			run.Logf("seed %d %-20s %s", run.Seed+uint64(seed), g.name, s)
			mu.Lock()
			defer mu.Unlock()
			samples[i] = append(samples[i], *s)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// most is the share of seeds that have to pass a guard for it to count as solved.
const most = 0.9

func report(guards []*guard, samples [][]timetotarget.Sample) *harness.Result {
	table := harness.Table{Title: "guards", Columns: []string{"guard", "passed", "median executions", "most", "median seconds", ""}}
	var medians []float64
	var unsolved []string
	for i, g := range guards {
		passed := 0
		var executions, seconds []float64
		for _, s := range samples[i] {
			if s.Reached {
				passed++
			}
			executions, seconds = append(executions, float64(s.Executions)), append(seconds, s.Seconds)
		}
		mark := "solved"
		if float64(passed) < most*float64(len(samples[i])) {
			mark = "-"
			unsolved = append(unsolved, g.name)
		}
		medians = append(medians, harness.Median(executions))
		table.Add(g.name, fmt.Sprintf("%d of %d", passed, len(samples[i])), harness.Number(harness.Median(executions)),
			harness.Number(slices.Max(executions)), harness.Number(harness.Median(seconds)), mark)
	}
	table.Notes = append(table.Notes, fmt.Sprintf("Limit %d executions, at which a miss counts. Solved: passed from at least 9 of 10 seeds.", options.limit))
	if len(unsolved) > 0 {
		table.Notes = append(table.Notes, "Not solved: "+strings.Join(unsolved, ", ")+".")
	}
	return &harness.Result{Tables: []harness.Table{table}, Summary: map[string]float64{
		"guards": float64(len(guards)), "solvedShare": 100 * float64(len(guards)-len(unsolved)) / float64(len(guards)),
		"medianExecutions": harness.Median(medians),
	}}
}
