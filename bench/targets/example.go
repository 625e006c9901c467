package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maze is the paper's running example (Fig. 2) in words of our own. Before solc
// 0.8 a broken assert is an INVALID of its own, as in the paper.
var maze = caseOf{name: "maze", compiler: "0.7.6", folder: "contracts/example"}

// exampleLimit is the limit of a campaign in medians of the first schedule.
const exampleLimit = 50

// exampleBound ends campaigns of the first schedule, whose median the limit is
// made of: a hundred times what it takes.
const exampleBound = 5_000_000

// openMaze deploys the example. Its targets are the three asserts; the last is
// the one that breaks.
func openMaze(ctx context.Context, run *harness.Run) (*goal, error) {
	outputs, err := maze.compile(ctx, run)
	if err != nil {
		return nil, err
	}
	s, err := timetotarget.Deploy(ctx, maze.name, outputs, nil)
	if err != nil {
		return nil, err
	}
	code := s.World.Instances[0].Contract.Runtime
	var asserts []*goal
	previous := byte(0)
	for pc := range s.Table.Program(code.ID).Instructions {
		op := code.Bytes[pc]
		if op == opINVALID && previous == opJUMPI && !slices.Contains(code.Checks, pc) {
			g, err := goalAt(s, s.World.Instances[0].Contract.QualifiedName(), pc)
			if err != nil {
				return nil, err
			}
			asserts = append(asserts, g)
		}
		previous = op
	}
	if len(asserts) != 3 || !code.ChecksKnown {
		return nil, fmt.Errorf("the example has %d asserts, want 3", len(asserts))
	}
	g := asserts[2]
	g.Case, g.failing = "maze", true
	g.others = []bytecode.Target{asserts[0].target, asserts[1].target}
	return g, nil
}

// Opcodes (yellow paper, appendix H.2).
const (
	opJUMPI   = 0x57
	opINVALID = 0xfe
)

// example measures the running example.
func example(ctx context.Context, run *harness.Run, schedules []*fuzzer.Schedule, without fuzzer.Techniques) (*harness.Result, error) {
	g, err := openMaze(ctx, run)
	if err != nil {
		return nil, err
	}
	// One call, mutants of one word, and nothing but the schedule, as in the paper.
	without.Prediction, without.Sequences, without.Frontier = true, true, !options.frontier
	first, err := exampleRuns(ctx, run, g, schedules[0], without, exampleBound)
	if err != nil {
		return nil, err
	}
	limit := uint64(exampleLimit * math.Ceil(harness.Median(executions(first))))
	for i := range first {
		limitTo(&first[i], limit)
	}
	table := harness.Table{
		Title:   "the running example",
		Columns: []string{"schedule", "median executions", "missed", "median seconds", "executions/s", "test against " + schedules[0].Name},
		Notes:   []string{fmt.Sprintf("%d seeds, limit %d executions.", run.Runs, limit)},
	}
	summary := map[string]float64{"exampleMissed": float64(missed(first)), "exampleMedian": harness.Median(executions(first))}
	for n, sc := range schedules {
		list := first
		if n > 0 {
			if list, err = exampleRuns(ctx, run, g, sc, without, limit); err != nil {
				return nil, err
			}
		}
		all := samples{[][]timetotarget.Sample{list}}
		sum, _ := spending(sc.Name, all, 0)
		test := ""
		if n > 0 {
			t := harness.Compare(executions(list), executions(first))
			test = t.String()
			if n == 1 {
				summary["exampleA12"], summary["exampleP"] = t.A12, t.P
			}
		}
		table.Add(sc.Name, harness.Number(harness.Median(executions(list))), fmt.Sprint(missed(list)), harness.Number(harness.Median(seconds(list, 0))),
			harness.Number(sum.executions/sum.seconds), test)
	}
	return &harness.Result{Tables: []harness.Table{table}, Summary: summary}, nil
}

// limitTo makes a miss of what took longer than the limit.
func limitTo(s *timetotarget.Sample, limit uint64) {
	if s.Executions > limit {
		s.Reached, s.Executions = false, limit
	}
}

// exampleRuns runs a schedule's campaigns on the example.
func exampleRuns(ctx context.Context, run *harness.Run, g *goal, sc *fuzzer.Schedule, without fuzzer.Techniques, limit uint64) ([]timetotarget.Sample, error) {
	list := make([]timetotarget.Sample, run.Runs)
	var mu sync.Mutex
	err := timetotarget.Parallel(ctx, run.Runs, options.parallel, func(i int) error {
		config := g.subject.Config(sc, without, run.Seed+uint64(i), run.Now)
		config.SeqLen = 1
		s, err := pursue(ctx, g, config, limit)
		if err != nil {
			return err
		}
		run.Logf("%-9s seed %d: %s", sc.Name, config.Seed, s)
		mu.Lock()
		defer mu.Unlock()
		list[i] = *s
		return nil
	})
	return list, err
}
