package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// coverage is the paper's RQ5: how many instructions a campaign toward all targets
// of a case has covered after so many executions.
func coverage(ctx context.Context, run *harness.Run, goals []*goal, schedules []*fuzzer.Schedule, without fuzzer.Techniques) (*harness.Result, error) {
	var order []*timetotarget.Subject
	targets := map[*timetotarget.Subject][]bytecode.Target{}
	for _, g := range goals {
		if targets[g.subject] == nil {
			order = append(order, g.subject)
		}
		targets[g.subject] = append(targets[g.subject], g.target)
	}
	type place struct{ subject, schedule int }
	covered := map[place][]float64{}
	var mu sync.Mutex
	round := len(order) * len(schedules)
	err := timetotarget.Parallel(ctx, run.Runs*round, options.parallel, func(i int) error {
		at := place{i % round / len(schedules), i % len(schedules)}
		s := order[at.subject]
		config := s.Config(schedules[at.schedule], without, run.Seed+uint64(i/round), run.Now)
		config.Targets = targets[s]
		n, err := instructions(ctx, s, config)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		run.Logf("%3d/%d %-9s %s: %d instructions", i+1, run.Runs*round, schedules[at.schedule].Name, s.Name, n)
		mu.Lock()
		defer mu.Unlock()
		covered[at] = append(covered[at], float64(n))
		return nil
	})
	if err != nil {
		return nil, err
	}
	table := harness.Table{
		Title: fmt.Sprintf("instructions covered after %d executions", options.coverage), Columns: []string{"case"},
		Notes: []string{"Medians, in code of the case's contracts; all targets of a case at once. The test compares the first two schedules."},
	}
	for _, sc := range schedules {
		table.Columns = append(table.Columns, sc.Name)
	}
	table.Columns = append(table.Columns, "test")
	var ratios []float64
	for i, s := range order {
		cells := []string{s.Name}
		for n := range schedules {
			cells = append(cells, harness.Number(harness.Median(covered[place{i, n}])))
		}
		test := harness.Compare(covered[place{i, 0}], covered[place{i, 1}])
		ratios = append(ratios, test.Ratio)
		table.Add(append(cells, test.String())...)
	}
	return &harness.Result{Tables: []harness.Table{table}, Summary: map[string]float64{"medianCoverageRatio": harness.Median(ratios)}}, nil
}

// counted is a machine that stops a campaign after so many executions.
type counted struct {
	evm.Machine
	left *int
	stop context.CancelFunc
}

// Run runs the sequence.
func (m counted) Run(seq evm.Sequence) (*evm.Execution, error) {
	if *m.left--; *m.left == 0 {
		m.stop()
	}
	return m.Machine.Run(seq)
}

// instructions runs a campaign and counts the instructions of the blocks that it
// entered.
func instructions(ctx context.Context, s *timetotarget.Subject, config fuzzer.Config) (int, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	left := options.coverage
	config.NewMachine = func() (evm.Machine, error) {
		m, err := s.NewMachine()
		return counted{m, &left, stop}, err
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(running)
	if err != nil {
		return 0, err
	}
	if err := timetotarget.Fault(result); err != nil {
		return 0, err
	}
	n := 0
	for _, l := range result.Entered {
		p := s.Table.Program(l.Code)
		if p.Code == nil || p.Code.Kind != bytecode.Runtime {
			continue
		}
		if b, ok := p.BlockOf(l.PC); ok {
			bytecode.Instructions(p.Bytes[p.Blocks[b].Start:p.Blocks[b].End], func(uint32) bool {
				n++
				return true
			})
		}
	}
	return n, ctx.Err()
}
