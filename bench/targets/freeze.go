package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// frozen is a target as it is kept.
type frozen struct {
	Case     string  `json:"case"`
	Contract string  `json:"contract"`
	PC       uint32  `json:"pc"`       // where a basic block of the runtime code begins
	Code     string  `json:"code"`     // hash of the contract's name and code
	Bracket  uint64  `json:"bracket"`  // the baseline takes more executions than this, and at most four times as many
	Baseline float64 `json:"baseline"` // its median, executions
}

func (f *frozen) name() string { return fmt.Sprintf("%s %s:%#x", f.Case, f.Contract, f.PC) }

// brackets of executions, the most difficult first, as the paper has them in
// minutes: each ends where the next begins, at four times its start.
var brackets = []uint64{64_000, 16_000, 4_000, 1_000}

// Bounds of a campaign toward a target and of a baseline's: a target's limit is
// twice the end of its bracket, so that a baseline's median is far from it.
const (
	bracketFactor = 4
	limitFactor   = 2
)

func (f *frozen) limit() uint64 { return f.Bracket * bracketFactor * limitFactor }

// The baseline: campaigns of A from seeds that no comparison starts from by
// default.
const (
	baselineSeed = 1_000_001
	baselineRuns = 5
)

// evmBlock is a basic block.
type evmBlock struct {
	code  bytecode.CodeID
	block bytecode.BlockID
}

// freeze chooses the targets: of each case at most one from each bracket, at
// random among the blocks whose median in the baseline is there.
func freeze(ctx context.Context, run *harness.Run, without fuzzer.Techniques) (*harness.Result, error) {
	subjects, err := subjectsOf(ctx, run, wanted)
	if err != nil {
		return nil, err
	}
	var jobs []baseline
	for _, s := range subjects {
		for i := range baselineRuns {
			jobs = append(jobs, baseline{subject: s, seed: baselineSeed + uint64(i)})
		}
	}
	slices.SortFunc(jobs, func(a, b baseline) int {
		return cmp.Or(cmp.Compare(a.seed, b.seed), cmp.Compare(a.subject.Name, b.subject.Name))
	})
	err = timetotarget.Parallel(ctx, len(jobs), options.parallel, func(i int) error {
		run.Logf("baseline of %s, seed %d", jobs[i].subject.Name, jobs[i].seed)
		return jobs[i].measure(ctx, run, without)
	})
	if err != nil {
		return nil, err
	}
	old, err := readTargets(run)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	list := slices.DeleteFunc(old, func(t frozen) bool { return wanted(t.Case) })
	for _, s := range subjects {
		list = append(list, choose(s, jobs)...)
	}
	slices.SortFunc(list, func(a, b frozen) int { return cmp.Or(cmp.Compare(a.Case, b.Case), cmp.Compare(a.Bracket, b.Bracket)) })
	table := harness.Table{Title: "targets", Columns: []string{"target", "bracket", "baseline"}}
	for _, t := range list {
		table.Add(t.name(), fmt.Sprint(t.Bracket), harness.Number(t.Baseline))
	}
	return &harness.Result{Summary: map[string]float64{"targets": float64(len(list))}, Tables: []harness.Table{table}}, writeTargets(run, list)
}

// baseline is one campaign without targets.
type baseline struct {
	subject *timetotarget.Subject
	seed    uint64
	first   map[bytecode.Location]uint64
}

// recorder notes when blocks are first entered.
type recorder struct {
	evm.Machine
	b     *baseline
	table *bytecode.Table
	count *uint64
	stop  context.CancelFunc
	known map[evmBlock]bool
}

// Run runs the sequence and notes the blocks that are new.
func (r recorder) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := r.Machine.Run(seq)
	if err != nil {
		return nil, err
	}
	if *r.count++; *r.count == brackets[0]*bracketFactor {
		r.stop()
	}
	for _, c := range exec.Covered {
		if ref := (evmBlock{c.Code, c.Block}); c.Kept && !r.known[ref] {
			r.known[ref] = true
			if p := r.table.Program(c.Code); p != nil && p.Code != nil && p.Code.Kind == bytecode.Runtime {
				r.b.first[bytecode.Location{Code: c.Code, PC: p.Blocks[c.Block].Start}] = *r.count
			}
		}
	}
	return exec, nil
}

func (b *baseline) measure(ctx context.Context, run *harness.Run, without fuzzer.Techniques) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	b.first = map[bytecode.Location]uint64{}
	known, count := map[evmBlock]bool{}, uint64(0)
	config := b.subject.Config(fuzzer.Cutoff, without, b.seed, run.Now)
	config.NewMachine = func() (evm.Machine, error) {
		m, err := b.subject.NewMachine()
		return recorder{m, b, b.subject.Table, &count, stop, known}, err
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(running)
	if err != nil {
		return err
	}
	if err := timetotarget.Fault(result); err != nil {
		return err
	}
	return ctx.Err()
}

// choose picks a subject's targets.
func choose(s *timetotarget.Subject, jobs []baseline) []frozen {
	times := map[bytecode.Location][]float64{}
	for _, j := range jobs {
		if j.subject == s {
			for l, at := range j.first {
				times[l] = append(times[l], float64(at))
			}
		}
	}
	candidates := map[uint64][]frozen{}
	for l, t := range times { // sorted below
		for len(t) < baselineRuns {
			t = append(t, float64(brackets[0]*bracketFactor)+1)
		}
		median := harness.Median(t)
		for _, start := range brackets {
			if median > float64(start) && median <= float64(start*bracketFactor) {
				p := s.Table.Program(l.Code)
				candidates[start] = append(candidates[start], frozen{s.Name, p.Contract.QualifiedName(), l.PC, fmt.Sprintf("%016x", p.Key), start, median})
			}
		}
	}
	r := rand.New(rand.NewPCG(baselineSeed, 0))
	var chosen []frozen
	for _, start := range brackets {
		if c := candidates[start]; len(c) > 0 {
			slices.SortFunc(c, func(a, b frozen) int { return cmp.Or(cmp.Compare(a.Contract, b.Contract), cmp.Compare(a.PC, b.PC)) })
			chosen = append(chosen, c[r.IntN(len(c))])
		}
	}
	return chosen
}

func targetsFile(run *harness.Run) string {
	return filepath.Join(run.Root, "bench", "targets", "targets.json")
}

func readTargets(run *harness.Run) ([]frozen, error) {
	text, err := os.ReadFile(targetsFile(run))
	if err != nil {
		return nil, fmt.Errorf("targets are chosen by -freeze: %w", err)
	}
	var list []frozen
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", targetsFile(run), err)
	}
	return list, nil
}

func writeTargets(run *harness.Run, list []frozen) error {
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(targetsFile(run), append(text, '\n'), 0o644) //nolint:gosec // a source file
}

// locate finds the targets in the subjects.
func locate(list []frozen, subjects map[string]*timetotarget.Subject) ([]*goal, error) {
	var goals []*goal
	for _, f := range list {
		s := subjects[f.Case]
		if s == nil {
			return nil, fmt.Errorf("%s: there is no such case: choose the targets anew with -freeze", f.name())
		}
		g, err := goalAt(s, f.Contract, f.PC)
		if err != nil {
			return nil, err
		}
		if key := s.Table.Program(g.target.Entries[0].Code).Key; fmt.Sprintf("%016x", key) != f.Code {
			return nil, fmt.Errorf("%s: the contract's code is another than when the targets were chosen: restore it, or choose them anew with -freeze", f.name())
		}
		g.frozen = f
		if at, ok := s.Positions.At(g.target.Entries[0]); ok {
			g.where = at.String()
		}
		goals = append(goals, g)
	}
	return goals, nil
}

// goalAt is the block of a contract's runtime code that starts at a pc.
func goalAt(s *timetotarget.Subject, contract string, pc uint32) (*goal, error) {
	for _, c := range s.Table.Contracts() {
		if c.QualifiedName() != contract || c.Runtime == nil {
			continue
		}
		block, ok := s.Table.Program(c.Runtime.ID).StartsAt(uint64(pc))
		if !ok {
			break
		}
		location := bytecode.Location{Code: c.Runtime.ID, PC: pc}
		return &goal{subject: s, block: block, target: bytecode.Target{Contract: contract, Entries: []bytecode.Location{location}}}, nil
	}
	return nil, fmt.Errorf("%s: no block of %s begins at %#x: choose the targets anew with -freeze", s.Name, contract, pc)
}
