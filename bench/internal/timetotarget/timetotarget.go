// Package timetotarget runs campaigns toward one thing each and measures how long they
// took: what the comparisons of guidance and of inputs are made of.
//
//	timetotarget.go  one campaign
//	subject.go       contracts, deployed as campaigns do
//	parallel.go      several at a time
//	samples.go       outcomes, kept in a file
package timetotarget

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Sample is the outcome of one campaign.
type Sample struct {
	Reached    bool
	Executions uint64 // when it was reached; at the limit if it was not
	Seconds    float64

	Analysis             float64 // seconds in it
	Questions, Exhausted int
}

func (s Sample) String() string {
	if !s.Reached {
		return fmt.Sprintf("missed in %d executions, %.1f s", s.Executions, s.Seconds)
	}
	return fmt.Sprintf("%d executions, %.1f s", s.Executions, s.Seconds)
}

// Goal is what a campaign is after.
type Goal struct {
	Subject *Subject
	// Reached reports whether an execution is it.
	Reached func(*evm.Execution) bool
	Limit   uint64 // of executions
}

// watch counts what the machines of a campaign run, and stops it when the goal
// is reached or the limit is. With one worker, its machine and the judge's take
// turns.
type watch struct {
	goal *Goal
	stop context.CancelFunc
	now  func() time.Time

	start      time.Time
	executions uint64
	sample     Sample
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
		m.watch.observe(exec, seq.OverridesState())
	}
	return exec, err
}

// observe counts an execution; one that overrides state reaches nothing.
func (w *watch) observe(exec *evm.Execution, overrides bool) {
	if w.executions++; w.sample.Reached || w.executions > w.goal.Limit {
		return // ending
	}
	w.sample.Executions = w.executions
	w.sample.Reached = !overrides && w.goal.Reached(exec)
	if w.sample.Reached || w.executions == w.goal.Limit {
		w.sample.Seconds = w.now().Sub(w.start).Seconds()
		w.stop()
	}
}

// Run runs one campaign of one worker toward a goal, that ends when an execution
// is it or at the limit. The machines are the subject's.
func Run(ctx context.Context, g *Goal, config fuzzer.Config) (*Sample, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	w := &watch{goal: g, stop: stop, now: config.Now, start: config.Now()}
	config.NewMachine = func() (evm.Machine, error) {
		m, err := g.Subject.NewMachine()
		return watched{m, w}, err
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(running)
	if err != nil {
		return nil, err
	}
	if err := Fault(result); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err // from outside
	}
	w.sample.Analysis = result.Stats.AnalysisSeconds
	w.sample.Questions, w.sample.Exhausted = result.Stats.Analysis.Questions, result.Stats.Analysis.Exhausted
	return &w.sample, nil
}

// Fault is what went wrong in a campaign: figures of one that had a fault say
// nothing.
func Fault(result *fuzzer.Result) error {
	if len(result.Faults) > 0 {
		return fmt.Errorf("the campaign had a fault: %s", result.Faults[0].Message)
	}
	return nil
}
