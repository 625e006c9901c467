// Command soundness holds what reports say of lines against what builds execute, on random
// programs whose statements say for themselves that they run.
//
//	main.go     what is run, and the tables
//	builds.go   the ways programs are compiled
//	trial.go    a program: its reports, and calls on all of its builds
//	observe.go  what runs, by the events that programs emit
//	claims.go   what a report says, and what contradicts it
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/solgen"
)

const doc = `Makes random Solidity programs in which every statement emits an event of its own, builds
each in four ways (optimizer on and off, with and without the intermediate language), and runs
the job on every build, with the whole program as the change. Then campaigns of -calls calls
without targets run on every build, the debug builds among them; they begin with the calls that
reports show, and those that were the first to run something on one build are made on all. A
report is contradicted where

  unreachable  a line called unreachable runs, on the build that was fuzzed or on the
               release build
  no-bytecode  a line without bytecode does
  reached      a line called reached does not run when the calls that the report shows are made
               on the release build
  fuzzed       it does not on the build that was fuzzed

-programs counts programs, the seeds from -seed on; -seconds ends the run before that. Programs
that contradict a report are made smaller with at most -shrink attempts, and kept in the cache.

summary: programs, rejected (that do not compile or deploy), executions, lines, reached,
unreachable, checked (calls of a report made on another build), violations, elsewhere (lines
called unreachable that only a build runs that the report is not about: its code generator gives
the program another meaning, or its code another size. They are listed, and no violation).
-runs means nothing here. Exit code 1 on a violation.`

// asked is what the command line asks for.
var asked struct {
	programs, shrink int
	calls            uint64
}

func main() {
	harness.Main(harness.Comparison{
		Name: "soundness", Doc: doc, Seconds: 3600, Runs: 1, Measure: measure,
		Flags: func(flags *flag.FlagSet) {
			flags.IntVar(&asked.programs, "programs", 60, "programs to make")
			flags.Uint64Var(&asked.calls, "calls", 2_000, "calls of each campaign")
			flags.IntVar(&asked.shrink, "shrink", 150, "attempts to make a program with a violation smaller")
		},
	})
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	modules, err := run.Install(ctx, "soundness", harness.Packages{}.Solc(solcVersion))
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "soundness-") // below no repository: paths would be relative to it
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	// The job keeps debug builds there, of which none is of use later.
	if err := os.Setenv("XDG_CACHE_HOME", work); err != nil {
		return nil, err
	}
	b, err := newBuilder(ctx, filepath.Join(modules, "solc-"+solcVersion), work)
	if err != nil {
		return nil, err
	}
	return b.programs(ctx, run)
}

// programs tries one program after the other.
func (b *builder) programs(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	var total tally
	var rejections []string
	violations := harness.Table{Title: "violations", Columns: []string{"seed", "build", "kind", "line", "what"}}
	elsewhere := harness.Table{Title: "called unreachable, and run by another build", Columns: []string{"seed", "build", "line", "text", "run by"}}
	var failures []error
	start := run.Now()
	programs := 0
	for ; programs < asked.programs && ctx.Err() == nil && run.Now().Sub(start).Seconds() < run.Seconds; programs++ {
		seed := run.Seed + uint64(programs)
		program := solgen.New(seed)
		t, err := b.try(ctx, run, seed, program, nil)
		if err != nil {
			rejections = append(rejections, fmt.Sprintf("seed %d: %v", seed, err))
			continue
		}
		total.add(&t.tally)
		for _, n := range t.notes {
			elsewhere.Add(strconv.FormatUint(seed, 10), n.way.name, strconv.Itoa(n.line), n.text, n.build)
		}
		for _, v := range distinct(t.violations) {
			violations.Add(strconv.FormatUint(seed, 10), v.way.name, v.kind, strconv.Itoa(v.line), v.text)
			run.Logf("seed %d, %s: %s, line %d: %s", seed, v.way.name, v.kind, v.line, v.text)
			file, err := b.shrink(ctx, run, seed, program, v)
			failures = append(failures, fmt.Errorf("seed %d, %s, %s: %s (again: -seed %d -programs 1): %w", seed, v.way.name, v.kind, file, seed, errors.Join(errViolation, err)))
		}
		run.Logf("%d programs: %s executions, %d lines called reached, %d unreachable, %d violations",
			programs+1, harness.Number(float64(total.executions)), total.reached, total.unreachable, total.violated)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	table := harness.Table{Title: "claims", Columns: []string{"build", "lines", "reached", "only-reverts", "unreachable", "unreached", "others", "run elsewhere", "violations"}, Notes: rejections}
	for i, w := range b.ways {
		c := total.by[i]
		table.Add(w.name, strconv.Itoa(c.lines), strconv.Itoa(c.reached), strconv.Itoa(c.onlyReverts), strconv.Itoa(c.unreachable), strconv.Itoa(c.unreached),
			strconv.Itoa(c.others), strconv.Itoa(c.elsewhere), strconv.Itoa(c.violations))
	}
	return &harness.Result{
		Summary: map[string]float64{
			"programs": float64(programs - len(rejections)), "rejected": float64(len(rejections)), "executions": float64(total.executions),
			"lines": float64(total.lines), "reached": float64(total.reached), "unreachable": float64(total.unreachable),
			"checked": float64(total.checked), "violations": float64(total.violated), "elsewhere": float64(total.elsewhere),
		},
		Tables: []harness.Table{table, violations, elsewhere},
	}, errors.Join(failures...)
}

// errViolation is why the exit code is 1.
var errViolation = errors.New("the report is contradicted")
