// Command papers measures the fuzzer on examples in the manner of those in the papers
// that it builds on.
//
//	main.go     what is measured, and the table
//	examples.go the examples: contracts of ours, and what there is to find in each
package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
)

const doc = `Measures how many executions it takes to find what is hidden in the examples of the papers
on Harvey (FSE'20) and MuFuzz (ICDE'24), in contracts of ours of the same shape, below
bench/papers/contracts. Campaigns have one worker and the product's settings, and end when
all has been found, or at four times the example's limit. Each is run twice: with no target, and with
every block of the contract as one, as if the change under test had added it. The same
seed takes the same number of executions again; -seconds bounds the whole and leaves
later seeds out, in rounds.

summary: heldShare is the percentage of examples of which at least 9 of 10 seeds find all
within the limit, both ways; heldUnaimed and heldAimed are those of either way; for each example, by its name and way,
the median of executions.`

var options struct {
	only     string
	schedule string
	without  string
	parallel int
}

func flags(f *flag.FlagSet) {
	f.StringVar(&options.only, "only", "", "examples to measure, parts of their names separated by commas; empty: all")
	f.StringVar(&options.schedule, "schedule", "lookahead", "power schedule")
	f.StringVar(&options.without, "without", "", "techniques to leave out: "+strings.Join(fuzzer.TechniqueNames(), ", "))
	f.IntVar(&options.parallel, "parallel", 2, "campaigns at a time")
}

func main() {
	harness.Main(harness.Comparison{Name: "papers", Doc: doc, Seconds: 600, Runs: 10, Measure: measure, Flags: flags})
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
	if options.parallel < 1 {
		return nil, fmt.Errorf("-parallel %d: want at least 1", options.parallel)
	}
	subjects, err := open(ctx, examples, wanted, compileFor(run))
	if err != nil {
		return nil, err
	}
	samples, err := race(ctx, run, subjects, func(s *subject, aimed bool, seed uint64) fuzzer.Config {
		return s.config(aimed, schedule, without, seed, run.Now)
	})
	if err != nil {
		return nil, err
	}
	return report(subjects, samples), nil
}

func wanted(name string) bool {
	return slices.ContainsFunc(strings.Split(options.only, ","), func(part string) bool { return strings.Contains(name, part) })
}

// compileFor compiles with compilers from npm.
func compileFor(run *harness.Run) compileFunc {
	return func(ctx context.Context, version, folder string) ([]*compile.Output, error) {
		modules, err := run.Install(ctx, "papers", harness.Packages{}.Solc(compilers...))
		if err != nil {
			return nil, err
		}
		b := corpus.Builder{Run: run, Modules: modules}
		return b.Project(ctx, "papers-"+version, version, own, folder)
	}
}

// ways are the two ways in which an example is run: without and with targets.
var ways = [...]string{"unaimed", "aimed"}

// race runs all campaigns: seed by seed, so that when time is up each example has as
// many. The samples are by example and way.
func race(ctx context.Context, run *harness.Run, subjects []*subject, config func(*subject, bool, uint64) fuzzer.Config) ([][len(ways)][]timetotarget.Sample, error) {
	samples := make([][len(ways)][]timetotarget.Sample, len(subjects))
	var mu sync.Mutex
	begun := run.Now()
	for seed := range run.Runs {
		if spent := run.Now().Sub(begun).Seconds(); seed > 0 && spent*float64(seed+1) > run.Seconds*float64(seed) {
			run.Logf("time is up after %d of %d seeds", seed, run.Runs)
			break
		}
		err := timetotarget.Parallel(ctx, len(subjects)*len(ways), options.parallel, func(i int) error {
			s, way := subjects[i/len(ways)], i%len(ways)
			number := run.Seed + uint64(seed)
			sample, err := timetotarget.Run(ctx, s.goal(), config(s, way == 1, number))
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			run.Logf("seed %d %-18s %-8s %s", number, s.name, ways[way], sample)
			mu.Lock()
			defer mu.Unlock()
			samples[i/len(ways)][way] = append(samples[i/len(ways)][way], *sample)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// most is the share of seeds that have to stay within an example's limit.
const most = 0.9

// within counts the samples that stayed within a limit.
func within(samples []timetotarget.Sample, limit uint64) (n int) {
	for _, s := range samples {
		if s.Reached && s.Executions <= limit {
			n++
		}
	}
	return n
}

func report(subjects []*subject, samples [][len(ways)][]timetotarget.Sample) *harness.Result {
	result := &harness.Result{Summary: map[string]float64{"examples": float64(len(subjects))}}
	held := make([]int, len(subjects))
	for way, name := range ways {
		table := harness.Table{Title: "examples of the papers, " + name, Columns: []string{"example", "limit", "within", "median executions", "most", "median seconds", "the paper", ""}}
		all := 0
		for i, s := range subjects {
			runs := samples[i][way]
			var executions, seconds []float64
			for _, r := range runs {
				executions, seconds = append(executions, float64(r.Executions)), append(seconds, r.Seconds)
			}
			mark := "-"
			if float64(within(runs, s.limit)) >= most*float64(len(runs)) {
				mark = "held"
				held[i]++
				all++
			}
			table.Add(s.name, harness.Number(float64(s.limit)), fmt.Sprintf("%d of %d", within(runs, s.limit), len(runs)), harness.Number(harness.Median(executions)),
				harness.Number(slices.Max(executions)), harness.Number(harness.Median(seconds)), s.paper, mark)
			result.Summary[s.name+" "+name] = harness.Median(executions)
		}
		table.Notes = append(table.Notes, fmt.Sprintf("Campaigns end at %d times the limit, at which a miss counts. Held: within the limit from at least 9 of 10 seeds.", patience))
		result.Tables = append(result.Tables, table)
		result.Summary["held"+strings.ToUpper(name[:1])+name[1:]] = 100 * float64(all) / float64(len(subjects))
	}
	both := 0
	for _, n := range held {
		if n == len(ways) {
			both++
		}
	}
	result.Summary["heldShare"] = 100 * float64(both) / float64(len(subjects))
	return result
}
