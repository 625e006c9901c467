// Command scale measures what more workers are worth: shards that know nothing of each other, and campaigns
// that exchange what they find.
//
//	main.go      what is measured, and the flags
//	shards.go    the least of n samples, exactly
//	model.go     memoryless milestones
//	machines.go  generated contracts with milestones
//	frozen.go    targets of bench/targets
//	goals.go     what campaigns are after
//	virtual.go   campaigns that take turns in one process
//	processes.go  workers that are processes, and a hub
//	race.go      all campaigns of a comparison
//	tables.go    what came out
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

const doc = `Measures how much sooner n workers reach a target than one does, in executions of each:

  shards  campaigns that know nothing of each other. The expected least of n samples, drawn
          without replacement from those of campaigns with one worker: exact, with nothing run
          again. From a file of bench/targets -samples, and from the campaigns below.
  live    campaigns that exchange inputs, in virtual time: n campaigns in one process take
          turns of -slice executions, and what one offers in a slice is there for the others
          at its end, or -latency slices later. The time is that of the campaign that is the
          first. The same seed gives the same figures, on any machine under any load.
  processes  one worker against two, as processes that a hub on this machine connects, in seconds:
          what it says depends on the machine. Each is run -runs times.
  model   memoryless milestones of equal length, of which one follows from the other.

Targets are the last milestone of contracts that are generated from seeds (-machines, -milestones), and
with -bracket those of bench/targets.
A campaign that misses its target counts as the limit; figures that rest on misses are marked:
≥ where the time of one worker is a bound from below, ~ where both times are.

Examples:

  go run ./bench/scale
  go run ./bench/scale -curves live -workers 1,16 -milestones 6 -latency 4
  go run ./bench/targets -schedules lookahead -samples samples.jsonl -most 4000 -runs 128
  go run ./bench/scale -curves shards -samples samples.jsonl
  go run ./bench/scale -curves processes -runs 6 -machines 1 -odds 20000

summary: liveN and shardsN, the medians over the targets of the speed-up on N workers, worstLiveN,
the least; overTen, how many targets 16 live workers reach at least ten times sooner; processes2, how
much sooner two processes are there.`

var options struct {
	curves, samples, keep, workers, milestones, only string
	machines, groups, latency, parallel              int
	slice, limit, odds, bracket                      uint64
	worker                                           string // the hub's address
	campaignSeed                                     uint64

	// What they are, read.
	ns, ks                  []int
	shards, live, processes bool

	near bool
}

func flags(f *flag.FlagSet) {
	f.StringVar(&options.curves, "curves", "shards,live", "what to measure, separated by commas: shards, live, processes")
	f.StringVar(&options.samples, "samples", "", "file of bench/targets -samples, for the curve of shards; empty: of the campaigns of the live curve alone")
	f.StringVar(&options.keep, "keep", "", "file that keeps the outcomes of campaigns with one worker; what is in it is not run again")
	f.BoolVar(&options.near, "near", false, "campaigns also offer inputs that come nearer to an untaken side of a branch, which the product does not")
	f.StringVar(&options.workers, "workers", "1,4,16,64", "numbers of workers of the live curve")
	f.StringVar(&options.milestones, "milestones", "3,4,6", "milestones of the generated contracts")
	f.IntVar(&options.machines, "machines", 2, "generated contracts for each number of milestones")
	f.StringVar(&options.only, "only", "", "targets to measure, parts of their names separated by commas; empty: all")
	f.IntVar(&options.groups, "groups", 9, "groups of n live campaigns for each n; campaigns with one worker are -runs")
	f.Uint64Var(&options.slice, "slice", 500, "executions of a slice of the live curve")
	f.IntVar(&options.latency, "latency", 0, "slices that an input is under way, beyond the one in which it is found")
	f.Uint64Var(&options.odds, "odds", 1_000, "a milestone of the generated contracts is passed by one in so many arguments, to four times as many")
	f.Uint64Var(&options.bracket, "bracket", 0, "measure targets of bench/targets, too: those of contracts of ours whose bracket begins at so many executions or more; 0: none")
	f.Uint64Var(&options.limit, "limit", 4_000_000, "executions after which a campaign has missed its target")
	f.StringVar(&options.worker, "worker", "", "what the curve of processes starts itself with: be a worker of the hub at this address")
	f.Uint64Var(&options.campaignSeed, "campaign-seed", 0, "with -worker: the seed of its campaign")
	f.IntVar(&options.parallel, "parallel", runtime.NumCPU(), "campaigns of one worker at a time")
}

func main() {
	harness.Main(harness.Comparison{
		Name: "scale", Doc: doc, Seconds: 3600, SecondsDoc: "length of the live curve in seconds: later groups are left out",
		Runs: 64, Measure: measure, Flags: flags,
	})
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	if err := check(); err != nil {
		return nil, err
	}
	result := &harness.Result{Summary: map[string]float64{}}
	if options.shards && options.samples != "" {
		if err := stored(result); err != nil {
			return nil, err
		}
	}
	if !options.live && !options.processes && options.worker == "" {
		return result, nil
	}
	goals, err := open(ctx, run)
	if err != nil {
		return nil, err
	}
	if options.worker != "" {
		return work(ctx, run, goals)
	}
	if options.live {
		all, err := race(ctx, run, goals)
		if err != nil {
			return nil, err
		}
		report(result, goals, all)
	}
	if options.processes {
		table, summary, err := processes(ctx, run, goals)
		if err != nil {
			return nil, err
		}
		result.Tables = append(result.Tables, table)
		maps.Copy(result.Summary, summary)
	}
	return result, nil
}

// check reads the options.
func check() error {
	for name := range strings.SplitSeq(options.curves, ",") {
		switch name {
		case "shards":
			options.shards = true
		case "live":
			options.live = true
		case "processes":
			options.processes = true
		default:
			return fmt.Errorf("-curves: %q is none: want shards, live or processes", name)
		}
	}
	if options.shards && !options.live && options.samples == "" && options.worker == "" {
		return errors.New("-curves shards: give it the -samples of bench/targets")
	}
	var err error
	if options.ns, err = numbers(options.workers, maxWorkers); err != nil {
		return fmt.Errorf("-workers: %w", err)
	}
	if options.ks, err = numbers(options.milestones, maxMilestones); err != nil {
		return fmt.Errorf("-milestones: %w", err)
	}
	if options.machines < 1 || options.groups < 1 || options.parallel < 1 || options.slice < 1 || options.limit < 1 || options.latency < 0 || options.odds < 2 {
		return errors.New("-machines, -groups, -parallel, -slice and -limit: want at least 1; -latency: not less than 0; -odds: at least 2")
	}
	return nil
}

// Bounds of what is asked for: beyond them the process would run out of memory, or of patience.
const (
	maxWorkers    = 256
	maxMilestones = 32
)

// numbers reads a list of numbers, sorted; each is at least 1.
func numbers(list string, most int) ([]int, error) {
	var all []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > most {
			return nil, fmt.Errorf("%q: want numbers from 1 to %d, separated by commas", text, most)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
