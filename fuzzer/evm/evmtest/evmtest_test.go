package evmtest

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
)

func machine(t testing.TB, w *evm.World) *gethvm.Reference {
	t.Helper()
	m, err := gethvm.New(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCoverage: random programs execute every instruction that some fork has, and
// end in every way, but mostly as they want to.
func TestCoverage(t *testing.T) {
	const cases = 1500
	seen := [256]bool{}
	outcomes := map[evm.Outcome]int{}
	frames, depth, calls := 0, 0, 0
	for seed := range uint64(cases) {
		c := Programs(seed)
		m := machine(t, c.World)
		for _, seq := range c.Sequences {
			exec, err := m.Run(seq)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			calls += len(exec.Calls)
			for i := range exec.Frames {
				f := &exec.Frames[i]
				frames++
				outcomes[f.Outcome]++
				depth = max(depth, f.Depth)
				for _, b := range f.Path {
					block := f.Program.Blocks[b]
					for _, pc := range instructions(f.Program.Bytes[block.Start:block.End]) {
						seen[f.Program.Bytes[int(block.Start)+pc]] = true
					}
				}
			}
		}
	}
	t.Logf("%d calls, %d frames, depth %d, outcomes %v", calls, frames, depth, outcomes)
	table, err := vm.LookupInstructionSet(params.Rules{IsOsaka: true})
	if err != nil {
		t.Fatal(err)
	}
	for op := range 256 {
		if table[op].HasCost() && !seen[op] {
			t.Errorf("%s was never executed", vm.OpCode(op))
		}
	}
	for o := evm.Success; o <= evm.OtherFault; o++ {
		if outcomes[o] == 0 {
			t.Errorf("nothing ended with: %s", o)
		}
	}
	if share := float64(outcomes[evm.Success]+outcomes[evm.Reverted]) / float64(frames); share < 0.35 { // the others run out of gas, mostly
		t.Errorf("only %.0f %% of the frames end as they want to", 100*share)
	}
}

// TestDeterminism: a case is a function of its seed.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(20) {
		if !reflect.DeepEqual(Programs(seed), Programs(seed)) || !reflect.DeepEqual(Mutants(seed, originals), Mutants(seed, originals)) {
			t.Fatalf("seed %d makes another case each time", seed)
		}
		if reflect.DeepEqual(Programs(seed).Sequences, Programs(seed+1).Sequences) {
			t.Fatalf("seeds %d and %d make the same calls", seed, seed+1)
		}
	}
}

// originals are codes to make mutants of: one of ours stands for real ones.
var originals = [][]byte{bytes.Repeat([]byte{byte(vm.PUSH4), 1, 2, 3, 4, byte(vm.POP)}, 10)}

func TestMutants(t *testing.T) {
	changed := 0
	for seed := range uint64(200) {
		c := Mutants(seed, originals)
		for _, a := range contracts {
			if !bytes.Equal(c.World.Accounts[a].Code, originals[0]) {
				changed++
			}
		}
		if _, d, err := c.Run(machine(t, c.World), machine(t, c.World)); d != nil || err != nil {
			t.Fatalf("seed %d: one machine twice: %v %v", seed, d, err)
		}
	}
	if changed < 400 {
		t.Errorf("%d of 800 mutants differ from the original", changed)
	}
}

// wrong is a machine on which one instruction costs one gas more.
type wrong struct{ *gethvm.Reference }

func (w wrong) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := w.Reference.Run(seq)
	if err == nil {
		for i := range exec.Frames {
			if f := &exec.Frames[i]; f.Program != nil && f.LastPC < uint32(len(f.Program.Bytes)) && vm.OpCode(f.Program.Bytes[f.LastPC]) == vm.SELFDESTRUCT {
				f.GasUsed++
			}
		}
	}
	return exec, err
}

// TestCompare: a machine that is wrong in something rare is found.
func TestCompare(t *testing.T) {
	for seed := range uint64(300) {
		c := Programs(seed)
		seq, d, err := c.Run(machine(t, c.World), wrong{machine(t, c.World)})
		if err != nil {
			t.Fatal(err)
		}
		if d != nil {
			if !strings.HasSuffix(d.Where, ".GasUsed") || len(seq) == 0 {
				t.Errorf("the difference is said to be %s", d)
			}
			return
		}
	}
	t.Error("no case shows that SELFDESTRUCT costs too much")
}
