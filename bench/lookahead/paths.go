package main

import (
	"context"
	"sync"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// walked is a program and the distinct paths that frames took through it.
type walked struct {
	program *bytecode.Program
	paths   []walkedPath
	entered []bool // by block
}

type walkedPath struct {
	path   bytecode.Path
	static bool
}

// maxPaths bounds the paths kept for a program. Arbitrary: beyond some thousand
// paths, prefixes repeat.
const maxPaths = 5000

// walker keeps the paths that machines report.
type walker struct {
	mu         sync.Mutex
	stop       context.CancelFunc
	executions int // still to do
	programs   map[*bytecode.Program]*walked
	order      []*walked
	seen       map[bytecode.PathID]bool
}

// watched is a machine whose paths a walker keeps.
type watched struct {
	evm.Machine
	walker *walker
}

// Run runs the sequence and keeps its frames' paths.
func (m watched) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := m.Machine.Run(seq)
	if err != nil {
		return nil, err
	}
	w := m.walker
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.executions--; w.executions == 0 {
		w.stop()
	}
	for i := range exec.Frames {
		w.keep(&exec.Frames[i])
	}
	return exec, nil
}

func (w *walker) keep(f *evm.Frame) {
	if f.Program == nil || f.Program.Code == nil || len(f.Path) == 0 {
		return
	}
	p := w.programs[f.Program]
	if p == nil {
		p = &walked{program: f.Program, entered: make([]bool, len(f.Program.Blocks))}
		w.programs[f.Program] = p
		w.order = append(w.order, p)
	}
	static := f.Kind == evm.KindStaticCall
	var h bytecode.PathHasher
	h.Add(f.Program.Key, uint64(len(f.Path)))
	for _, b := range f.Path {
		p.entered[b] = true
		h.Add(uint64(b), 0)
	}
	if id := h.Sum(); !w.seen[id] && len(p.paths) < maxPaths {
		w.seen[id] = true
		p.paths = append(p.paths, walkedPath{append(bytecode.Path(nil), f.Path...), static})
	}
}

// walk runs a campaign without lookahead on a subject, one worker, for one of
// parts of the run's time at most.
func walk(ctx context.Context, run *harness.Run, s subject, parts int) ([]*walked, error) {
	deployed, err := timetotarget.Deploy(ctx, s.name, s.outputs, nil)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	seen := &walker{stop: stop, executions: options.executions, programs: map[*bytecode.Program]*walked{}, seen: map[bytecode.PathID]bool{}}
	config := deployed.Config(fuzzer.Cutoff, fuzzer.Techniques{}, run.Seed, run.Now)
	config.Timeout = run.Share(parts) // some contracts loop until their gas is gone
	config.NewMachine = func() (evm.Machine, error) {
		m, err := deployed.NewMachine()
		if err != nil {
			return nil, err
		}
		return watched{m, seen}, nil
	}
	if _, err := (&fuzzer.Campaign{Config: config}).Run(ctx); err != nil {
		return nil, err
	}
	return seen.order, nil
}
