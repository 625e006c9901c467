package lookahead_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/long"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// project is contracts that are deployed together.
type project struct {
	name      string
	contracts []*bytecode.Contract
}

// projects are our examples, and the contract of bench/lookahead under solc's code generators: the
// oldest and the newest, with and without intermediate representation and
// optimizer.
func projects(t *testing.T) []project {
	t.Helper()
	var all []project
	outputs, err := filepath.Glob("../../examples/*/build/head.output.json")
	if err != nil || len(outputs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range outputs {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		contracts, err := testsolc.Read(raw)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, project{filepath.Base(filepath.Dir(filepath.Dir(name))), contracts})
	}
	source, err := os.ReadFile("../../bench/lookahead/contracts/plain/Ledger.sol")
	if err != nil {
		t.Fatal(err)
	}
	for name, settings := range map[string]testsolc.Settings{
		"solc 0.5.17":           {Package: "solc-0.5.17"},
		"solc 0.7.6":            {Package: "solc-0.7.6"},
		"solc 0.8.30":           {},
		"solc 0.8.30 optimized": {Optimize: true},
		"solc 0.8.30 via-IR":    {ViaIR: true},
		"solc 0.8.30 shipped":   {ViaIR: true, Optimize: true},
	} {
		all = append(all, project{name, testsolc.Compile(t, string(source), settings)})
	}
	return all
}

// TestSoundnessOnContracts: the same on real contracts and random sequences of
// calls.
func TestSoundnessOnContracts(t *testing.T) {
	for _, p := range projects(t) {
		t.Run(p.name, func(t *testing.T) {
			executions := long.Pick(150, 20_000)
			table := bytecode.NewTable(p.contracts)
			w, _, err := world.Auto(context.Background(), table, world.Options{Machine: []evm.Option{evm.LiftCodeSizeLimits}})
			if err != nil {
				t.Fatal(err)
			}
			space, err := input.NewSpace(w, input.SpaceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			machine, err := gethvm.New(w, table, evm.LiftCodeSizeLimits)
			if err != nil {
				t.Fatal(err)
			}
			var programs []*bytecode.Program
			for id := bytecode.CodeID(1); table.Program(id) != nil; id++ {
				programs = append(programs, table.Program(id))
			}
			mutator := input.NewMutator(space, input.NewDictionary(programs), input.Options{})
			rng := rand.New(rand.NewPCG(uint64(len(p.name)), 12))
			j := newJudge(t, rng)
			for range executions {
				seq := space.Encode(mutator.GenerateSequence(rng), nil)
				for i := range seq {
					seq[i].Gas = 1_000_000 // enough for all but endless loops
				}
				exec, err := machine.Run(seq)
				if err != nil {
					t.Fatal(err)
				}
				j.check(exec)
			}
			t.Logf("%d executions, %d frames, %d prefixes proved, %d of them shorter than the path", j.executions, j.frames, j.proved, j.early)
			if j.early == 0 {
				t.Error("nothing was proved: the test shows nothing")
			}
		})
	}
}

// TestJumpsAreResolved: of the code that solc writes every jump is known, and most
// blocks that nothing reaches are proved so.
func TestJumpsAreResolved(t *testing.T) {
	for _, p := range projects(t) {
		table := bytecode.NewTable(p.contracts)
		for id := bytecode.CodeID(1); table.Program(id) != nil; id++ {
			program := table.Program(id)
			a := lookahead.New(program, lookahead.Options{})
			if reason, pc := a.Opaque(); reason != lookahead.NoTargetAhead {
				t.Errorf("%s, %s %v: %v at pc %d (%s)", p.name, program.Contract.Name, program.Code.Kind, reason, pc, a.Describe())
			}
		}
	}
}
