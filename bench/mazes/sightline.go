package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/maze"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// compiler is the solc that the mazes are compiled with.
const compiler = "0.8.30"

// subject is a maze, deployed, and made a Foundry project when that is asked for.
type subject struct {
	maze *maze.Maze
	*timetotarget.Subject
	modules string
	project *forge.Project
}

// open compiles and deploys a maze as campaigns do.
func open(ctx context.Context, run *harness.Run, modules string, m *maze.Maze) (*subject, error) {
	name := filepath.Join("mazes", fmt.Sprintf("%d-%d", m.Seed, m.Size))
	files := fstest.MapFS{"src/Maze.sol": {Data: []byte(m.Source(nil))}}
	b := corpus.Builder{Run: run, Modules: modules}
	outputs, err := b.Project(ctx, name, compiler, files, "src")
	if err != nil {
		return nil, err
	}
	s, err := timetotarget.Deploy(ctx, name, outputs, nil)
	if err != nil {
		return nil, err
	}
	return &subject{maze: m, Subject: s, modules: modules}, nil
}

// attempt is what came of fuzzing a maze.
type attempt struct {
	raised map[int]bool
	effort string         // what it took, for people
	lines  map[int]bool   // of the source, entered; Sightline's
	calls  map[int]uint64 // by assertion, after how many calls it was raised; Sightline's
}

// attempt fuzzes the maze for some time.
func (s *subject) attempt(ctx context.Context, run *harness.Run, w way, limit time.Duration) (*attempt, error) {
	if w.forge {
		return s.forge(ctx, run, w.guided, limit)
	}
	config := s.config(run, w.without)
	if config.Timeout = limit; options.calls > 0 {
		config.Timeout, config.MaxCalls = 0, options.calls
	}
	return s.campaign(ctx, config)
}

// config is a campaign's with the product's settings: all oracles, machines that are
// checked, and go-ethereum as the judge. Targets are only those that were asked for, since
// steering toward some would say which cells matter.
func (s *subject) config(run *harness.Run, without fuzzer.Techniques) fuzzer.Config {
	config := s.Config(nil, without, run.Seed, run.Now)
	config.Targets = s.targets()
	config.Oracles = oracle.All()
	config.NewMachine, config.NewJudge = s.Deployment.NewMachine, s.Deployment.NewJudge
	return config
}

// targets are the lines that -targets names: those that raise assertions, all that have code, or none.
func (s *subject) targets() []bytecode.Target {
	lines := strings.Split(s.maze.Source(nil), "\n")
	byLine := map[int]*bytecode.Target{}
	for _, c := range s.Table.Contracts() {
		if c.Runtime == nil {
			continue
		}
		p := s.Table.Program(c.Runtime.ID)
		for _, b := range p.Blocks {
			at := bytecode.Location{Code: p.ID, PC: b.Start}
			position, ok := s.Positions.At(at)
			if !ok || options.targets == targetsNone || options.targets == targetsAsserts && !strings.Contains(lines[position.Line-1], "emit ") {
				continue
			}
			if byLine[position.Line] == nil {
				byLine[position.Line] = &bytecode.Target{Position: position, Contract: p.Contract.QualifiedName()}
			}
			byLine[position.Line].Entries = append(byLine[position.Line].Entries, at)
		}
	}
	var targets []bytecode.Target
	for _, line := range slices.Sorted(maps.Keys(byLine)) {
		targets = append(targets, *byLine[line])
	}
	return targets
}

// campaign runs one on one processor, and reads from replays of its findings on
// go-ethereum which assertions they raise.
func (s *subject) campaign(ctx context.Context, config fuzzer.Config) (*attempt, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	if err != nil {
		return nil, err
	}
	if err := timetotarget.Fault(result); err != nil {
		return nil, err
	}
	judge, err := config.NewJudge()
	if err != nil {
		return nil, err
	}
	a := &attempt{
		raised: map[int]bool{}, lines: map[int]bool{}, calls: map[int]uint64{},
		effort: fmt.Sprintf("%d executions, %d calls", result.Stats.Executions, result.Stats.Calls),
	}
	for _, f := range result.Findings {
		exec, err := judge.Run(s.Space.Encode(f.Sequence, nil))
		if err != nil {
			return nil, err
		}
		also := map[int]bool{}
		raised(exec, also)
		for id := range also {
			a.raised[id] = true
			if at, known := a.calls[id]; !known || f.First.Calls < at {
				a.calls[id] = f.First.Calls
			}
		}
	}
	for _, at := range result.Entered {
		if p, ok := s.Positions.At(at); ok {
			a.lines[p.Line] = true
		}
	}
	return a, nil
}

// raised notes the assertions that calls which succeed raise.
func raised(exec *evm.Execution, ids map[int]bool) {
	topic := crypto.Keccak256Hash([]byte(maze.Event))
	for i := range exec.Frames {
		f := &exec.Frames[i]
		for _, log := range f.Logs {
			if exec.Calls[f.Call].Outcome == evm.Success && len(log.Topics) == 1 && log.Topics[0] == topic {
				ids[int(new(uint256.Int).SetBytes(log.Data).Uint64())] = true
			}
		}
	}
}
