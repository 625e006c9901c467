// Command machine measures the machines that run sequences, alone and as part
// of a campaign, on the same contracts and the same calls.
//
//	main.go      what is measured, and the tables
//	scene.go     contracts, the World they are deployed in, random sequences
//	measures.go  one measurement each
package main

import (
	"context"
	"fmt"

	"github.com/sightline-evm/sightline/bench/internal/frame"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const doc = `Measures the machines that run sequences: calls per second of random sequences on an
ERC-20, an ERC-4626 vault and a crowdsale, with path, coverage and comparisons
recorded; calls per second of whole campaigns with one worker (generation,
execution and path check); nanoseconds per instruction of an arithmetic loop.

summary: callsPerSecond, loopCallsPerSecond, nsPerOp and allocsPerCall of the
machine that campaigns use.`

func main() {
	frame.Main(frame.Comparison{Name: "machine", Doc: doc, Seconds: 60, Runs: 10, Measure: measure})
}

// executor is a machine to measure.
type executor struct {
	name string
	make func(*evm.World, *bytecode.Table) (evm.Machine, error)
}

// executors lists the machines, the reference first: ratios are to it. The
// summary is about the last one, which campaigns use.
func executors() []executor {
	return []executor{
		{"go-ethereum", func(w *evm.World, t *bytecode.Table) (evm.Machine, error) {
			return evm.NewReference(w, t, evm.LiftCodeSizeLimits)
		}},
	}
}

// bench is everything measurements share.
type bench struct {
	run       *frame.Run
	scene     *scene
	workloads []workload
	loop      *arithmetic
	table     *bytecode.Table
}

// sampled is one row of measurements of one executor.
type sampled struct {
	executor int
	what     string
	values   []float64
}

// The measurements besides the workloads' calls per second.
const (
	campaignRate = "campaign"
	loopTime     = "loop"
	allocations  = "allocations"
)

func measure(ctx context.Context, run *frame.Run) (*frame.Result, error) {
	table, err := compile(ctx, run)
	if err != nil {
		return nil, err
	}
	b := &bench{run: run, table: table}
	if b.scene, err = newScene(table); err != nil {
		return nil, err
	}
	if b.workloads, err = b.scene.workloads(run.Seed); err != nil {
		return nil, err
	}
	if b.loop, err = newArithmetic(); err != nil {
		return nil, err
	}
	all := executors()
	var rows []sampled
	var contenders []frame.Contender
	for i, e := range all {
		measures, err := b.measures(e, run.Share(run.Runs*len(all)*(len(b.workloads)+3)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		for _, m := range measures {
			rows = append(rows, sampled{executor: i, what: m.Name})
			contenders = append(contenders, frame.Contender{Name: e.name + ", " + m.Name, Measure: m.Measure})
		}
	}
	samples, err := frame.Interleave(ctx, run, contenders)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].values = samples[i]
	}
	return b.report(all, rows)
}

// report makes the tables: one line per measurement and executor.
func (b *bench) report(all []executor, rows []sampled) (*frame.Result, error) {
	find := func(executor int, what string) []float64 {
		for _, r := range rows {
			if r.executor == executor && r.what == what {
				return r.values
			}
		}
		return nil
	}
	rates := frame.Table{Title: "calls per second", Columns: []string{"workload", "executor", "calls/s", "ns/call", "ratio", "test"},
		Notes: []string{"Medians with 95 % confidence intervals; the ratio is to go-ethereum."}}
	var names []string
	for _, w := range b.workloads {
		names = append(names, w.name)
	}
	for _, what := range append(names, campaignRate) {
		for i, e := range all {
			values := find(i, what)
			test := frame.Compare(values, find(0, what))
			cells := []string{what, e.name, frame.Summarize(values).String(), frame.Number(1e9 / frame.Median(values)), frame.Number(test.Ratio), ""}
			if i > 0 {
				cells[5] = test.String()
			}
			rates.Add(cells...)
		}
	}
	costs := frame.Table{Title: "cost", Columns: []string{"executor", "ns/op, arithmetic loop", "allocations/call"}}
	for i, e := range all {
		costs.Add(e.name, frame.Summarize(find(i, loopTime)).String(), frame.Summarize(find(i, allocations)).String())
	}
	profile, err := b.profile(all[0])
	if err != nil {
		return nil, err
	}
	last := len(all) - 1
	return &frame.Result{
		Summary: map[string]float64{
			"callsPerSecond":     frame.Median(find(last, mixed)),
			"loopCallsPerSecond": frame.Median(find(last, campaignRate)),
			"nsPerOp":            frame.Median(find(last, loopTime)),
			"allocsPerCall":      frame.Median(find(last, allocations)),
		},
		Tables: []frame.Table{rates, costs, profile},
	}, nil
}

// profile says what the workloads consist of.
func (b *bench) profile(e executor) (frame.Table, error) {
	t := frame.Table{Title: "workloads", Columns: []string{"workload", "sequences", "calls", "reverting", "instructions/call"}}
	for _, w := range b.workloads {
		machine, err := e.make(b.scene.world, b.table)
		if err != nil {
			return t, err
		}
		p, err := profileOf(machine, w.sequences)
		if err != nil {
			return t, err
		}
		t.Add(w.name, frame.Number(float64(len(w.sequences))), frame.Number(p.calls),
			frame.Percent(p.reverting/p.calls), frame.Number(p.instructions/p.calls))
	}
	return t, nil
}
