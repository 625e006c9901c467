package diffmap

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
)

// TestComputedConstants: code that computes a constant says nothing of the range that it
// has, and what uses the constant does.
func TestComputedConstants(t *testing.T) {
	for name, code := range map[string][]vm.OpCode{
		"2^255 - 1":          {vm.PUSH1, vm.DUP1, vm.PUSH1, vm.SHL, vm.SUB}, // solc 0.8.30, via IR
		"2^128":              {vm.PUSH1, vm.PUSH1, vm.SHL},
		"all but a few bits": {vm.PUSH1, vm.NOT},
	} {
		constants := 0
		for i, op := range code {
			if got := evidenceOf(op, &constants); got != 0 {
				t.Errorf("%s: instruction %d, %s, is evidence %b", name, i, op, got)
			}
		}
		if constants != 1 {
			t.Errorf("%s: %d constants are on the stack", name, constants)
		}
		if got := evidenceOf(vm.SLT, &constants); got != ranRange {
			t.Errorf("%s: its use is evidence %b", name, got)
		}
	}
	constants := 0
	for _, op := range []vm.OpCode{vm.PUSH1, vm.DUP2, vm.PUSH1} { // a copy of what lies below
		evidenceOf(op, &constants)
	}
	if got := evidenceOf(vm.SHL, &constants); got != ranRange {
		t.Errorf("a shift of what is unknown is evidence %b", got)
	}
}
