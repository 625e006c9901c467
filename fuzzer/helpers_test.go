package fuzzer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// built is the one build of all sources below testdata: starting the compiler
// takes longer than compiling them.
var built struct {
	once    sync.Once
	project *testbuild.Project
	texts   map[string]string
}

// buildAll compiles testdata/*/*.sol.
func buildAll(t testing.TB) (*testbuild.Project, map[string]string) {
	t.Helper()
	built.once.Do(func() {
		paths, err := filepath.Glob("testdata/*/*.sol")
		if err != nil || len(paths) == 0 {
			t.Fatal("no sources below testdata", err)
		}
		texts := map[string]string{}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[strings.TrimPrefix(filepath.ToSlash(path), "testdata/")] = string(text)
		}
		built.texts = texts
		built.project = testbuild.Compile(t, "0.8.30", texts)
	})
	if built.project == nil {
		t.Fatal("the sources below testdata do not compile, see the first test that failed")
	}
	return built.project, built.texts
}

// project is a source, deployed, with what a campaign needs to know of it.
type project struct {
	text      string
	table     *bytecode.Table
	targets   []bytecode.Target
	positions *diffmap.Positions
	world     *evm.World
	setup     *world.Report
	space     *input.Space
}

// open deploys the contracts of a source below testdata. The lines that it marks
// with a comment "// target …" are the targets, in order.
func open(t testing.TB, source string) *project {
	t.Helper()
	all, texts := buildAll(t)
	text, known := texts[source]
	if !known {
		t.Fatalf("no source testdata/%s", source)
	}
	var targets []string
	for _, line := range targetLines(text) {
		targets = append(targets, fmt.Sprintf("%s:%d", source, line))
	}
	p := deploy(t, []*compile.Output{all.Output}, all.Contracts(source), targets)
	p.text = text
	return p
}

// deploy makes the World of contracts, by the same steps as the command.
func deploy(t testing.TB, outputs []*compile.Output, contracts []*bytecode.Contract, targets []string) *project {
	t.Helper()
	p := &project{table: bytecode.NewTable(contracts)}
	mapping, err := diffmap.ResolveTargets(outputs, p.table, targets, diffmap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.targets = mapping.Targets
	p.table.Cut(mapping.Entries())
	p.positions = diffmap.NewPositions(outputs, p.table, diffmap.Options{})
	p.world, p.setup, err = world.Auto(context.Background(), p.table, world.Options{Machine: []evm.Option{evm.LiftCodeSizeLimits}})
	if err != nil {
		t.Fatal(err)
	}
	p.space, err = input.NewSpace(p.world, input.SpaceOptions{Constructors: p.constructors()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// constructors are the contracts with targets in their creation code.
func (p *project) constructors() []input.Deployment {
	var deployments []input.Deployment
	for _, d := range p.setup.Deployments {
		for _, target := range p.targets {
			if d.Contract.Creation != nil && target.Entries[0].Code == d.Contract.Creation.ID {
				deployments = append(deployments, input.Deployment{Contract: d.Contract, Code: d.Code})
				break
			}
		}
	}
	return deployments
}

// newMachine makes a reference machine.
func (p *project) newMachine() (evm.Machine, error) {
	return gethvm.New(p.world, p.table, evm.LiftCodeSizeLimits)
}

// config is a campaign of one worker, limited in calls.
func (p *project) config(seed, calls uint64) Config {
	return Config{
		World: p.world, Space: p.space, Table: p.table, Targets: p.targets,
		Oracles: oracle.All(), NewMachine: p.newMachine,
		Seed: seed, Workers: 1, MaxCalls: calls,
		Now: time.Now,
	}
}

// line is the source line of a location.
func (p *project) line(at bytecode.Location) int {
	position, _ := p.positions.At(at)
	return position.Line
}

// targetLines are the lines of a source that are marked as targets.
func targetLines(text string) []int {
	var lines []int
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "// target") {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// mustRun runs a campaign that must be possible.
func mustRun(t testing.TB, config Config) *Result {
	t.Helper()
	result, err := (&Campaign{Config: config}).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// noFaults fails the test when the tool had faults.
func noFaults(t testing.TB, r *Result) {
	t.Helper()
	for _, f := range r.Faults {
		t.Errorf("fault: %s", f.Message)
	}
}

// parse reads a sequence, calls separated by "; ", in the corpus' text form.
func parse(t testing.TB, space *input.Space, calls string) input.Sequence {
	t.Helper()
	seq, err := input.Parse(space, "sightline-sequence v1\n"+strings.ReplaceAll(calls, "; ", "\n")+"\n")
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// format is the inverse of parse.
func format(space *input.Space, seq input.Sequence) string {
	lines := strings.Split(strings.TrimSuffix(input.Format(space, seq), "\n"), "\n")
	return strings.Join(lines[1:], "; ")
}

func testRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// scripted is a source of random numbers that a test dictates: the numbers that
// IntN gives, and the coins that Uint64 throws.
type scripted struct {
	t     testing.TB
	ints  []int
	coins []uint64
}

func (s *scripted) IntN(n int) int {
	s.t.Helper()
	if len(s.ints) == 0 {
		s.t.Fatal("more random numbers are taken than the test dictates")
	}
	x := s.ints[0]
	s.ints = s.ints[1:]
	if x >= n {
		s.t.Fatalf("the test dictates %d, below %d is wanted", x, n)
	}
	return x
}

func (s *scripted) Uint64() uint64 {
	s.t.Helper()
	if len(s.coins) == 0 {
		s.t.Fatal("more coins are thrown than the test dictates")
	}
	x := s.coins[0]
	s.coins = s.coins[1:]
	return x
}

func (s *scripted) Uint64N(n uint64) uint64 { return uint64(s.IntN(int(n))) }

// pidOf makes path identifiers for tests.
func pidOf(n byte) bytecode.PathID { return bytecode.PathID{n} }

// sorted is a copy of s in order.
func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// seedOf is an entry for a sequence of which nothing else is known.
func seedOf(seq input.Sequence) *Seed { return &Seed{Calls: input.Pack(seq, nil)} }
