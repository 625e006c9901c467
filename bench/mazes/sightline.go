package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing/fstest"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/bench/internal/chase"
	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/frame"
	"github.com/sightline-evm/sightline/bench/internal/maze"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// compiler is the solc that the mazes are compiled with.
const compiler = "0.8.30"

// scene is a maze, deployed, and made a Foundry project when that is asked for.
type scene struct {
	maze *maze.Maze
	*chase.Scene
	modules string
	project *forge.Project
}

// open compiles and deploys a maze as campaigns do.
func open(ctx context.Context, run *frame.Run, modules string, m *maze.Maze) (*scene, error) {
	name := filepath.Join("mazes", fmt.Sprintf("%d-%d", m.Seed, m.Size))
	files := fstest.MapFS{"src/Maze.sol": {Data: []byte(m.Source(nil))}}
	b := corpus.Builder{Run: run, Modules: modules}
	outputs, err := b.Project(ctx, name, compiler, files, "src")
	if err != nil {
		return nil, err
	}
	s, err := chase.Deploy(ctx, name, outputs, nil)
	if err != nil {
		return nil, err
	}
	return &scene{maze: m, Scene: s, modules: modules}, nil
}

// attempt is what came of fuzzing a maze.
type attempt struct {
	raised map[int]bool
	effort string       // what it took, for people
	lines  map[int]bool // of the source, entered; Sightline's
}

// attempt fuzzes the maze for some time.
func (s *scene) attempt(ctx context.Context, run *frame.Run, w way, limit time.Duration) (*attempt, error) {
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
// checked, and go-ethereum as the judge. There are no targets, since steering toward
// some would say which cells matter.
func (s *scene) config(run *frame.Run, without fuzzer.Techniques) fuzzer.Config {
	config := s.Config(nil, without, run.Seed, run.Now)
	config.Oracles = oracle.All()
	config.NewJudge = func() (evm.Machine, error) { return evm.NewReference(s.World, s.Table, evm.LiftCodeSizeLimits) }
	config.NewMachine = func() (evm.Machine, error) {
		fast, err := evm.NewInterpreter(s.World, s.Table, evm.LiftCodeSizeLimits)
		if err != nil {
			return nil, err
		}
		reference, err := evm.NewReference(s.World, s.Table, evm.LiftCodeSizeLimits)
		if err != nil {
			return nil, err
		}
		return evm.NewChecked(fast, reference), nil
	}
	return config
}

// campaign runs one on one processor, and reads from replays of its findings on
// go-ethereum which assertions they raise.
func (s *scene) campaign(ctx context.Context, config fuzzer.Config) (*attempt, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	if err != nil {
		return nil, err
	}
	if err := chase.Fault(result); err != nil {
		return nil, err
	}
	judge, err := config.NewJudge()
	if err != nil {
		return nil, err
	}
	a := &attempt{
		raised: map[int]bool{}, lines: map[int]bool{},
		effort: fmt.Sprintf("%d executions, %d calls", result.Stats.Executions, result.Stats.Calls),
	}
	for _, f := range result.Findings {
		exec, err := judge.Run(s.Space.Encode(f.Sequence, nil))
		if err != nil {
			return nil, err
		}
		raised(exec, a.raised)
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
