package main

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestArithmetic: the loop runs as many instructions as the time is divided by.
// Its gas tells, since every instruction's cost is known.
func TestArithmetic(t *testing.T) {
	a, err := newArithmetic()
	if err != nil {
		t.Fatal(err)
	}
	costs := map[vm.OpCode]uint64{vm.JUMPDEST: 1, vm.MUL: 5, vm.JUMPI: 10, vm.STOP: 0} // yellow paper, appendix G
	cost := func(code []byte) (gas uint64, instructions float64) {
		for pc := 0; pc < len(code); pc += 1 + int(bytecode.PushSize(code[pc])) {
			instructions++
			if c, ok := costs[vm.OpCode(code[pc])]; ok {
				gas += c
			} else {
				gas += 3 // very low: pushes, copies, swaps, additions
			}
		}
		return gas, instructions
	}
	var code []byte
	for _, account := range a.world.Accounts {
		if len(account.Code) > 0 {
			code = account.Code
		}
	}
	const head = 6 // bytes before the loop
	before, n := cost(code[:head])
	body, m := cost(code[head : len(code)-1])
	if want := n + iterations*m + 1; a.instructions != want {
		t.Errorf("%v instructions are said to run, %v do", a.instructions, want)
	}
	machine, err := gethvm.New(a.world, a.table)
	if err != nil {
		t.Fatal(err)
	}
	for _, seq := range a.sequences[:2] {
		exec, err := machine.Run(seq)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := exec.Calls[0].GasUsed, before+iterations*body; got != want {
			t.Errorf("the loop used %d gas, want %d", got, want)
		}
	}
}

func TestArithmeticSequencesDiffer(t *testing.T) {
	a, err := newArithmetic()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]bool{}
	for _, seq := range a.sequences {
		seen[seq[0].TimeAdvance] = true
	}
	if len(seen) != len(a.sequences) || len(seen) < 2 {
		t.Errorf("%d of %d sequences are distinct: a machine may answer from what it ran before", len(seen), len(a.sequences))
	}
}

// TestBare: machines that record nothing do the same as those that do.
func TestBare(t *testing.T) {
	a, err := newArithmetic()
	if err != nil {
		t.Fatal(err)
	}
	reference, err := gethvm.New(a.world, a.table)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range executors() {
		if !e.bare {
			continue
		}
		bare, err := e.make(a.world, a.table)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(e.name, func(t *testing.T) { compareBare(t, a, reference, bare) })
	}
}

func compareBare(t *testing.T, a *arithmetic, reference, bare evm.Machine) {
	for _, seq := range a.sequences[:3] {
		seq = append(seq, evm.Call{From: seq[0].From, To: seq[0].To, Value: *uint256.NewInt(7)})
		want, err := reference.Run(seq)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bare.Run(seq)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Calls {
			w, g := &want.Calls[i], &got.Calls[i]
			if w.Outcome != g.Outcome || w.GasUsed != g.GasUsed || w.GasUsed == 0 {
				t.Errorf("call %d: %v with %d gas, want %v with %d", i, g.Outcome, g.GasUsed, w.Outcome, w.GasUsed)
			}
		}
		if len(got.Covered) > 0 || slices.ContainsFunc(got.Frames, func(f evm.Frame) bool { return len(f.Path)+len(f.Comparisons) > 0 }) {
			t.Error("something was recorded")
		}
	}
}
