package main

import (
	"context"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// sample is what one campaign did.
type sample struct {
	found      bool    // the target was reached, or the assertion found
	executions float64 // until then; the limit when it was not
	seconds    float64 // likewise, all that the campaign took

	instructions float64
	sides        []moment // when each branch side was first taken, in order
}

// moment is a point in a campaign.
type moment struct{ executions, seconds float64 }

// side is an outcome of a conditional jump.
type side struct {
	code  bytecode.CodeID
	pc    uint32
	taken bool
}

// watch looks at what a campaign's machines run, and stops it at the limit.
type watch struct {
	subject *subject
	now     func() time.Time
	stop    context.CancelFunc
	begun   time.Time

	executions uint64
	taken      map[side]bool
	blocks     map[bytecode.Location]bool
	sample     sample
}

// watched is a machine of a campaign. The judge's is not counted: what it runs is the
// price of a finding, not of finding it.
type watched struct {
	evm.Machine
	*watch
}

// Run runs the sequence and notes what it covered.
func (m watched) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := m.Machine.Run(seq)
	if err == nil && m.executions < options.limit {
		m.observe(exec, seq.OverridesState())
	}
	return exec, err
}

func (w *watch) at() moment {
	return moment{float64(w.executions), w.now().Sub(w.begun).Seconds()}
}

// observe notes what is new in an execution; one that overrides state covers and reaches nothing.
func (w *watch) observe(exec *evm.Execution, overrides bool) {
	w.executions++
	switch {
	case overrides:
	case w.subject.kind == covering:
		w.cover(exec)
	case w.subject.kind == reaching && !w.sample.found && w.reaches(exec):
		w.find()
	}
	if w.executions == options.limit {
		w.stop()
	}
}

// find notes that the campaign is done.
func (w *watch) find() {
	at := w.at()
	w.sample.found, w.sample.executions, w.sample.seconds = true, at.executions, at.seconds
	w.stop()
}

// reaches reports whether a call that succeeds enters the subject's target.
func (w *watch) reaches(exec *evm.Execution) bool {
	entry := w.subject.target.Entries[0]
	block, _ := w.subject.deployed.Table.Program(entry.Code).StartsAt(uint64(entry.PC))
	for i := range exec.Covered {
		if c := &exec.Covered[i]; c.Code == entry.Code && c.Block == block && c.Kept {
			return true
		}
	}
	return false
}

// cover counts branch sides and instructions of the contracts' runtime code.
func (w *watch) cover(exec *evm.Execution) {
	table := w.subject.deployed.Table
	for i := range exec.Covered {
		c := &exec.Covered[i]
		p := table.Program(c.Code)
		if !isOurs(p) {
			continue
		}
		b := p.Blocks[c.Block]
		if at := (bytecode.Location{Code: c.Code, PC: b.Start}); !w.blocks[at] {
			w.blocks[at] = true
			bytecode.Instructions(p.Bytes[b.Start:b.End], func(uint32) bool {
				w.sample.instructions++
				return true
			})
		}
	}
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if !isOurs(f.Program) {
			continue
		}
		for j := range f.Comparisons {
			c := &f.Comparisons[j]
			if s := (side{f.Program.ID, c.PC, c.Taken}); !w.taken[s] {
				w.taken[s] = true
				w.sample.sides = append(w.sample.sides, w.at())
			}
		}
	}
}

func isOurs(p *bytecode.Program) bool {
	return p != nil && p.Code != nil && p.Code.Kind == bytecode.Runtime
}

// run runs one campaign on the subject.
func (s *subject) run(ctx context.Context, run *harness.Run, c *contender, seed uint64) (*sample, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	w := &watch{subject: s, now: run.Now, stop: stop, begun: run.Now(), taken: map[side]bool{}, blocks: map[bytecode.Location]bool{}}
	config := s.deployed.Config(fuzzer.Lookahead, c.without, seed, run.Now)
	config.With = c.with
	config.NewJudge = s.deployed.NewMachine
	config.NewMachine = func() (evm.Machine, error) {
		m, err := s.deployed.NewMachine()
		return watched{m, w}, err
	}
	switch s.kind {
	case reaching:
		config.Targets = []bytecode.Target{s.target}
	case asserting:
		config.Oracles = oracle.All()
		config.Progress = func(e fuzzer.Event) {
			if e.Found != nil && e.Found.Oracle.ID == "assertion" && !w.sample.found {
				w.sample.found, w.sample.executions, w.sample.seconds = true, float64(e.Found.First.Executions), e.Found.First.Seconds
				stop()
			}
		}
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(running)
	if err != nil {
		return nil, err
	}
	if err := timetotarget.Fault(result); err != nil {
		return nil, err
	}
	if !w.sample.found {
		at := w.at()
		w.sample.executions, w.sample.seconds = float64(options.limit), at.seconds
	}
	return &w.sample, ctx.Err()
}
