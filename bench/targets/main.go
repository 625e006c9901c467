// Command targets measures the time to a target, as the lookahead paper does in
// its §6: one schedule against another, from many seeds, on targets that were
// chosen before.
//
//	main.go     what is measured, and the flags
//	cases.go    the contracts
//	run.go      one campaign toward one target
//	freeze.go   choosing the targets
//	compare.go  all campaigns of a comparison, side by side
//	tables.go   what came out
//	coverage.go what else the schedules reach
//	example.go  the paper's running example
//	targets.json  the targets
//	contracts/  contracts of ours, and harnesses around packages from npm
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer"
)

const doc = `Measures the time to a target: campaigns with one worker, each toward one target, that end
when a call which succeeds executes it, or at the target's limit. Every schedule runs from
the same seeds, in turns. The targets are those of bench/targets/targets.json, chosen by
-freeze from campaigns of A (cutoff) with other seeds, in brackets of executions.

The first schedule of -schedules is compared with each of the others: T are medians, A12 is
the probability that the first one is faster. Misses count as the limit in executions, and
in seconds as the longest campaign toward that target. The same seed takes the same number
of executions again; -seconds bounds the whole and leaves later seeds out, in rounds.

summary, of the first schedule against the second: wins and losses (p < 0.05, executions),
winsSeconds and lossesSeconds, targets, medianRatio and medianRatioSeconds (T of the second
to T of the first), analysisShare and exhaustedShare in percent.`

// options are the flags of this comparison.
var options struct {
	schedules, only, without, samples string
	parallel                          int
	freeze, example, frontier         bool
	reference, anew                   bool
	coverage                          int
	most                              uint64
}

func flags(f *flag.FlagSet) {
	f.StringVar(&options.schedules, "schedules", "lookahead,cutoff", "schedules to compare, the first with each of the others; with -samples, one is enough")
	f.StringVar(&options.only, "only", "", "cases to measure, parts of their names separated by commas; empty: all")
	f.StringVar(&options.without, "without", "", "techniques left out of all campaigns: prediction, frontier, sequences")
	f.StringVar(&options.samples, "samples", "", "file that keeps every campaign's outcome; what is in it is not run again")
	f.IntVar(&options.parallel, "parallel", runtime.NumCPU(), "campaigns at a time")
	f.Uint64Var(&options.most, "most", math.MaxUint64, "leave out targets of brackets that begin above so many executions")
	f.BoolVar(&options.freeze, "freeze", false, "choose the targets anew and write bench/targets/targets.json")
	f.BoolVar(&options.example, "example", false, "measure the paper's running example instead of the targets")
	f.BoolVar(&options.frontier, "frontier", false, "with -example: keep the closest inputs to untaken branch sides, which the paper does not have")
	f.BoolVar(&options.reference, "reference", false, "run campaigns on go-ethereum: the same executions in more time, of which the analysis takes a smaller share")
	f.BoolVar(&options.anew, "anew", false, "every campaign makes the control-flow graphs of its programs anew, as the first one does: they count for more the shorter campaigns are")
	f.IntVar(&options.coverage, "coverage", 0, "measure the instructions covered after so many executions instead of the time to targets")
}

func main() {
	harness.Main(harness.Comparison{Name: "targets", Doc: doc, Seconds: 7200, Runs: 24, Measure: measure, Flags: flags})
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	schedules, err := namedSchedules(options.schedules)
	if err != nil {
		return nil, err
	}
	without, err := fuzzer.TechniquesNamed(options.without)
	if err != nil {
		return nil, fmt.Errorf("-without: %w", err)
	}
	if options.parallel < 1 {
		return nil, fmt.Errorf("-parallel %d: want at least 1", options.parallel)
	}
	if options.reference && options.samples != "" {
		return nil, errors.New("-reference with -samples: the file does not say which machine its seconds are of")
	}
	switch {
	case options.freeze:
		return freeze(ctx, run, without)
	case options.example:
		return example(ctx, run, schedules, without)
	}
	list, err := readTargets(run)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(t frozen) bool { return !wanted(t.Case) || t.Bracket > options.most })
	if len(list) == 0 {
		return nil, fmt.Errorf("-only %s: no target is of such a case", options.only)
	}
	subjects, err := subjectsOf(ctx, run, func(name string) bool {
		return slices.ContainsFunc(list, func(t frozen) bool { return t.Case == name })
	})
	if err != nil {
		return nil, err
	}
	for _, s := range subjects {
		s.OnReference = options.reference
		if options.anew {
			s.Library = nil
		}
	}
	goals, err := locate(list, subjects)
	if err != nil {
		return nil, err
	}
	if options.coverage > 0 {
		return coverage(ctx, run, goals, schedules, without)
	}
	samples, err := race(ctx, run, goals, schedules, without)
	if err != nil {
		return nil, err
	}
	return tables(goals, schedules, samples)
}

func namedSchedules(list string) ([]*fuzzer.Schedule, error) {
	var schedules []*fuzzer.Schedule
	for name := range strings.SplitSeq(list, ",") {
		s, err := fuzzer.ScheduleNamed(name)
		if err != nil {
			return nil, err
		}
		schedules = append(schedules, s)
	}
	if len(schedules) < 2 && !options.freeze && options.samples == "" {
		return nil, errors.New("-schedules: want two at least, to be compared, or -samples")
	}
	return schedules, nil
}

// wanted reports whether -only names the case.
func wanted(name string) bool {
	return slices.ContainsFunc(strings.Split(options.only, ","), func(part string) bool { return strings.Contains(name, part) })
}
