// Command differential compares the interpreter with go-ethereum: what each yields
// for random programs, for mutants of real code, and for the calls of campaigns on
// real contracts.
//
//	main.go      what is run, and the tables
//	programs.go  random programs and mutants
//	calls.go     campaigns on contracts
//	mismatch.go  a disagreement, kept as a file
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const doc = `Runs everything on both machines and compares the executions field by field (paths,
comparisons, storage, events, gas, outcomes …) and the states afterwards.
-programs counts random programs and mutants of the contracts' code, half of each;
-calls counts the calls of campaigns on our examples and on contracts from npm, that
both machines run. -only-examples leaves npm out. A case with a mismatch is kept in
the cache, and its name is printed.

summary: programs, calls (of programs), campaignCalls, mismatches.
-seconds and -runs mean nothing here. Exit code 1 on a mismatch.`

// asked is what the command line asks for.
var asked struct {
	programs, calls uint64
	onlyExamples    bool
}

func main() {
	harness.Main(harness.Comparison{
		Name: "differential", Doc: doc, Seconds: 1, Runs: 1, Measure: measure,
		Flags: func(flags *flag.FlagSet) {
			flags.Uint64Var(&asked.programs, "programs", 20_000, "random programs and mutants to run")
			flags.Uint64Var(&asked.calls, "calls", 50_000, "calls of campaigns to run")
			flags.BoolVar(&asked.onlyExamples, "only-examples", false, "campaigns on the embedded examples alone")
		},
	})
}

// newOurs makes the machine that is compared with the reference. Tests have one
// that is wrong.
var newOurs = func(w *evm.World, table *bytecode.Table, options ...evm.Option) (evm.Exporter, error) {
	return interp.New(w, table, options...)
}

// machines makes the two machines that are compared. They share the table, so that
// they know the same programs.
func machines(w *evm.World, table *bytecode.Table, options ...evm.Option) (ours, reference evm.Exporter, err error) {
	if table == nil {
		table = bytecode.NewTable(nil)
	}
	if reference, err = gethvm.New(w, table, options...); err != nil {
		return nil, nil, err
	}
	ours, err = newOurs(w, table, options...)
	return ours, reference, err
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	subjects, err := subjects(ctx, run)
	if err != nil {
		return nil, err
	}
	table := harness.Table{Title: "compared", Columns: []string{"what", "programs", "calls", "mismatches"}}
	result := &harness.Result{Summary: map[string]float64{}}
	total := &tally{}
	add := func(name string, t *tally) {
		table.Add(name, harness.Number(float64(t.programs)), harness.Number(float64(t.calls)), strconv.Itoa(len(t.mismatches)))
		total.add(t)
	}
	originals := runtimeCodes(subjects)
	random := runPrograms(ctx, run, asked.programs/2, evmtest.Programs)
	add("random programs", random)
	mutants := runPrograms(ctx, run, asked.programs-asked.programs/2, func(seed uint64) *evmtest.Case { return evmtest.Mutants(seed, originals) })
	add("mutants of real code", mutants)
	result.Summary["programs"], result.Summary["calls"] = float64(total.programs), float64(total.calls)
	for i, s := range subjects {
		if ctx.Err() != nil {
			break
		}
		t, err := s.campaign(ctx, run, asked.calls/uint64(len(subjects)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		add("calls of "+s.name, t)
		run.Logf("%d of %d projects: %s calls, %d mismatches", i+1, len(subjects), harness.Number(float64(total.calls)), len(total.mismatches))
	}
	result.Summary["campaignCalls"] = float64(total.calls) - result.Summary["calls"]
	result.Summary["mismatches"] = float64(len(total.mismatches))
	result.Tables = []harness.Table{table}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	return result, errors.Join(keep(run, total.mismatches)...)
}
