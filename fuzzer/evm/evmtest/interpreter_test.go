package evmtest

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// agree runs a case on the interpreter and on the reference.
func agree(t testing.TB, name string, seed uint64, c *Case) {
	t.Helper()
	table := bytecode.NewTable(nil)
	reference, err := gethvm.New(c.World, table)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := interp.New(c.World, table)
	if err != nil {
		t.Fatal(err)
	}
	if _, d, err := c.Run(ours, reference); err != nil || d != nil {
		t.Fatalf("%s, seed %d: %v %v", name, seed, d, err)
	}
}

// mutated are codes that the mutants are made of: programs, whose jumps a mutant
// mostly keeps.
func mutated() [][]byte {
	var list [][]byte
	for seed := range uint64(20) {
		for _, a := range contracts {
			list = append(list, Programs(seed).World.Accounts[a].Code)
		}
	}
	return list
}

// TestInterpreter is what bench/differential does at length.
func TestInterpreter(t *testing.T) {
	originals := mutated()
	for seed := range uint64(400) {
		agree(t, "programs", seed, Programs(seed))
		agree(t, "mutants", seed, Mutants(seed, originals))
	}
}

// FuzzInterpreter lets coverage of the interpreter choose the seeds.
func FuzzInterpreter(f *testing.F) {
	originals := mutated()
	f.Add(uint64(1), false)
	f.Add(uint64(2), true)
	f.Fuzz(func(t *testing.T, seed uint64, mutants bool) {
		if mutants {
			agree(t, "mutants", seed, Mutants(seed, originals))
			return
		}
		agree(t, "programs", seed, Programs(seed))
	})
}
