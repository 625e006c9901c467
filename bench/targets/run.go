package main

import (
	"context"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// goal is a target of a scene.
type goal struct {
	frozen
	scene  *scene
	where  string // the line, for people
	target bytecode.Target
	block  bytecode.BlockID
	others []bytecode.Target // that the campaign looks for besides
	// failing: calls that fail count too. That an assert breaks is what an assert is
	// there for; a target of the others is reached by a call that succeeds.
	failing bool
}

// sample is the outcome of one campaign.
type sample struct {
	Reached    bool
	Executions uint64 // when it was reached; at the limit if it was not
	Seconds    float64

	Analysis             float64 // seconds in it
	Questions, Exhausted int
}

// watch counts what the machines of a campaign run, and stops it when the target
// is reached or the limit is. With one worker, its machine and the judge's take
// turns.
type watch struct {
	goal  *goal
	limit uint64
	stop  context.CancelFunc
	now   func() time.Time

	start      time.Time
	executions uint64
	sample     sample
}

// watched is a machine of a campaign.
type watched struct {
	evm.Machine
	watch *watch
}

// Run runs the sequence and looks what it reached.
func (m watched) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := m.Machine.Run(seq)
	if err == nil {
		m.watch.look(exec)
	}
	return exec, err
}

func (w *watch) look(exec *evm.Execution) {
	if w.executions++; w.sample.Reached || w.executions > w.limit {
		return // ending
	}
	w.sample.Executions = w.executions
	w.sample.Reached = w.goal.reachedBy(exec)
	if w.sample.Reached || w.executions == w.limit {
		w.sample.Seconds = w.now().Sub(w.start).Seconds()
		w.stop()
	}
}

func (g *goal) reachedBy(exec *evm.Execution) bool {
	code := g.target.Entries[0].Code
	for i := range exec.Covered {
		if c := &exec.Covered[i]; c.Code == code && c.Block == g.block && (c.Kept || g.failing) {
			return true
		}
	}
	return false
}

// config is the campaign's: one worker, nothing but the target.
func (s *scene) config(schedule *fuzzer.Schedule, without fuzzer.Techniques, seed uint64, now func() time.Time) fuzzer.Config {
	return fuzzer.Config{
		World: s.world, Space: s.space, Table: s.table,
		Schedule: schedule, Without: without, Seed: seed, Workers: 1, Now: now,
	}
}

func (s *scene) newMachine() (evm.Machine, error) {
	return evm.NewReference(s.world, s.table, machineOptions...)
}

// chase runs one campaign toward a target.
func chase(ctx context.Context, g *goal, config fuzzer.Config, limit uint64) (*sample, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	w := &watch{goal: g, limit: limit, stop: stop, now: config.Now, start: config.Now()}
	config.Targets = append([]bytecode.Target{g.target}, g.others...)
	config.NewMachine = func() (evm.Machine, error) {
		m, err := g.scene.newMachine()
		return watched{m, w}, err
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(running)
	if err != nil {
		return nil, err
	}
	if err := faultOf(result); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err // from outside
	}
	w.sample.Analysis = result.Stats.AnalysisSeconds
	w.sample.Questions, w.sample.Exhausted = result.Stats.Analysis.Questions, result.Stats.Analysis.Exhausted
	return &w.sample, nil
}
