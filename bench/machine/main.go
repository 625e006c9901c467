// Command machine measures the machines that run sequences, alone and as part
// of a campaign, on the same contracts and the same calls.
//
//	main.go       what is measured, and the tables
//	workloads.go  contracts, the World they are deployed in, random sequences
//	measures.go   one measurement each
//	untraced.go   go-ethereum without feedback
//	forge.go      forge's invariant runs on the ERC-20
package main

import (
	"context"
	"fmt"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const doc = `Measures the machines that run sequences: calls per second of random sequences on an
ERC-20, an ERC-4626 vault and a crowdsale, with path, coverage and comparisons
recorded, and with nothing recorded; calls per second of whole campaigns
on the ERC-20 (generation, execution and path check), and of forge's invariant runs on
it, where forge can be installed; nanoseconds per instruction of an arithmetic loop.

summary, of the machine that campaigns use: callsPerSecond, its ratioToGethHooks, and
loopCallsPerSecond of campaigns with their ratios loopRatioToGethHooks (go-ethereum
with hooks alone, on the ERC-20) and loopRatioToForge; nsPerOp, allocsPerCall;
twoWorkerRatio, calls per second of processor time with two workers to one.`

func main() {
	harness.Main(harness.Comparison{Name: "machine", Doc: doc, Seconds: 60, Runs: 10, Measure: measure})
}

// executor is a machine to measure.
type executor struct {
	name string
	make func(*evm.World, *bytecode.Table) (evm.Machine, error)
	// bare executors record nothing, so that no campaign can be run with them.
	bare bool
}

// executors lists the machines, the reference first: ratios are to it. The
// summary is about the last one, which campaigns use.
func executors() []executor {
	return []executor{
		{name: "go-ethereum", make: func(w *evm.World, t *bytecode.Table) (evm.Machine, error) {
			return gethvm.New(w, t, evm.LiftCodeSizeLimits)
		}},
		{name: "go-ethereum, no feedback", bare: true, make: func(w *evm.World, _ *bytecode.Table) (evm.Machine, error) {
			return newUntraced(w), nil
		}},
		{name: "interpreter, no feedback", bare: true, make: func(w *evm.World, t *bytecode.Table) (evm.Machine, error) {
			return interp.New(w, t, evm.LiftCodeSizeLimits, evm.WithoutFeedback)
		}},
		{name: "interpreter", make: func(w *evm.World, t *bytecode.Table) (evm.Machine, error) {
			return interp.New(w, t, evm.LiftCodeSizeLimits)
		}},
	}
}

// bench is everything measurements share.
type bench struct {
	run       *harness.Run
	deployed  *deployed
	workloads []workload
	loop      *arithmetic
	table     *bytecode.Table
	modules   string // folder of installed packages
}

// sampled is one row of measurements of one executor.
type sampled struct {
	executor int
	what     string
	values   []float64
}

// The measurements besides the workloads' calls per second.
const (
	campaignRate = "campaign on the ERC-20"
	forgeRate    = "forge on the ERC-20"
	loopTime     = "loop"
	allocations  = "allocations"
	oneWorker    = "one worker"
	twoWorkers   = "two workers"
)

// forgeExecutor stands for forge among the executors of a sample.
const forgeExecutor = -1

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	modules, err := install(ctx, run)
	if err != nil {
		return nil, err
	}
	table, err := compileContracts(ctx, run, modules)
	if err != nil {
		return nil, err
	}
	b := &bench{run: run, table: table, modules: modules}
	if b.deployed, err = deployContracts(table); err != nil {
		return nil, err
	}
	if b.workloads, err = b.deployed.workloads(run.Seed); err != nil {
		return nil, err
	}
	if b.loop, err = newArithmetic(); err != nil {
		return nil, err
	}
	all := executors()
	var rows []sampled
	var contenders []harness.Contender
	share := run.Share(run.Runs * len(all) * (len(b.workloads) + 5))
	if forge, err := b.newForge(ctx); err != nil {
		run.Logf("forge is left out: %v", err)
	} else {
		rows = append(rows, sampled{executor: forgeExecutor, what: forgeRate})
		contenders = append(contenders, harness.Contender{Name: "forge", Measure: func(ctx context.Context, round int) (float64, error) {
			return forge.rate(ctx, share, run.Seed+uint64(round))
		}})
	}
	for i, e := range all {
		measures, err := b.measures(e, share)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		for _, m := range measures {
			rows = append(rows, sampled{executor: i, what: m.Name})
			contenders = append(contenders, harness.Contender{Name: e.name + ", " + m.Name, Measure: m.Measure})
		}
	}
	samples, err := harness.Interleave(ctx, run, contenders)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].values = samples[i]
	}
	return b.report(all, rows)
}

// samples are the measurements by executor and name.
type samples []sampled

func (s samples) find(executor int, what string) []float64 {
	for _, r := range s {
		if r.executor == executor && r.what == what {
			return r.values
		}
	}
	return nil
}

// report makes the tables: one line per measurement and executor.
func (b *bench) report(all []executor, rows samples) (*harness.Result, error) {
	rates := harness.Table{Title: "calls per second", Columns: []string{"workload", "executor", "calls/s", "ns/call", "ratio", "test"},
		Notes: []string{"Medians with 95 % confidence intervals; the ratio is to go-ethereum with hooks."}}
	var names []string
	for _, w := range b.workloads {
		names = append(names, w.name)
	}
	for _, what := range append(names, campaignRate) {
		for i, e := range all {
			values := rows.find(i, what)
			if values == nil {
				continue
			}
			test := harness.Compare(values, rows.find(0, what))
			cells := []string{what, e.name, harness.Summarize(values).String(), harness.Number(1e9 / harness.Median(values)), harness.Number(test.Ratio), ""}
			if i > 0 {
				cells[5] = test.String()
			}
			rates.Add(cells...)
		}
	}
	forge := rows.find(forgeExecutor, forgeRate)
	if forge != nil {
		test := harness.Compare(forge, rows.find(0, campaignRate))
		rates.Add(campaignRate, "forge, invariant runs", harness.Summarize(forge).String(), harness.Number(1e9/harness.Median(forge)), harness.Number(test.Ratio), test.String())
	}
	costs := harness.Table{Title: "cost", Columns: []string{"executor", "ns/op, arithmetic loop", "allocations/call"}}
	for i, e := range all {
		costs.Add(e.name, harness.Summarize(rows.find(i, loopTime)).String(), harness.Summarize(rows.find(i, allocations)).String())
	}
	profile, err := b.profile(all[0])
	if err != nil {
		return nil, err
	}
	return &harness.Result{Summary: b.summary(rows, len(all)-1), Tables: []harness.Table{rates, costs, profile}}, nil
}

// summary is about one executor.
func (b *bench) summary(rows samples, executor int) map[string]float64 {
	median := func(executor int, what string) float64 { return harness.Median(rows.find(executor, what)) }
	loop := median(executor, campaignRate)
	s := map[string]float64{
		"callsPerSecond":       median(executor, mixed),
		"ratioToGethHooks":     median(executor, mixed) / median(0, mixed),
		"loopCallsPerSecond":   loop,
		"loopRatioToGethHooks": loop / median(0, token),
		"nsPerOp":              median(executor, loopTime),
		"allocsPerCall":        median(executor, allocations),
	}
	if one := median(executor, oneWorker); one > 0 {
		s["twoWorkerRatio"] = median(executor, twoWorkers) / one
	}
	if forge := rows.find(forgeExecutor, forgeRate); forge != nil {
		s["loopRatioToForge"] = loop / harness.Median(forge)
	}
	return s
}

// profile says what the workloads consist of.
func (b *bench) profile(e executor) (harness.Table, error) {
	t := harness.Table{Title: "workloads", Columns: []string{"workload", "sequences", "calls", "reverting", "instructions/call"}}
	for _, w := range b.workloads {
		machine, err := e.make(b.deployed.world, b.table)
		if err != nil {
			return t, err
		}
		p, err := profileOf(machine, w.sequences)
		if err != nil {
			return t, err
		}
		t.Add(w.name, harness.Number(float64(len(w.sequences))), harness.Number(p.calls),
			harness.Percent(p.reverting/p.calls), harness.Number(p.instructions/p.calls))
	}
	return t, nil
}
