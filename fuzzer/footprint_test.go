package fuzzer

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestWriter: what is put before a call writes what it reads.
func TestWriter(t *testing.T) {
	exec := func(outcome evm.Outcome, accesses ...evm.StorageAccess) *evm.Execution {
		return &evm.Execution{
			Calls:  []evm.CallResult{{Outcome: outcome, Frames: [2]int{0, 1}}},
			Frames: []evm.Frame{{Storage: accesses}},
		}
	}
	at := func(account byte, slot uint64, write bool) evm.StorageAccess {
		return evm.StorageAccess{Address: common.Address{account}, Base: *uint256.NewInt(slot), Write: write}
	}
	seed := func(e *evm.Execution) *Seed {
		s := &Seed{}
		f := footprint(e)
		s.reads, s.writes = f.reads, f.writes
		return s
	}
	s := newSuite()
	deposit := seed(exec(evm.Success, at(1, 0, false), at(1, 0, true), at(1, 0, true), at(1, 5, true)))
	other := seed(exec(evm.Success, at(2, 0, true)))
	failed := seed(exec(evm.Reverted, at(1, 7, true)))
	for _, w := range []*Seed{deposit, other, failed} {
		s.addWriter(w)
	}
	if len(deposit.reads) != 1 || len(deposit.writes) != 2 || !slices.IsSorted(deposit.writes) {
		t.Errorf("a footprint of %v and %v", deposit.reads, deposit.writes)
	}
	r := testRand(7)
	for name, test := range map[string]struct {
		reader *evm.Execution
		want   *Seed
	}{
		"the same variable":               {exec(evm.Reverted, at(1, 5, false)), deposit},
		"another account's":               {exec(evm.Success, at(2, 0, false)), other},
		"a variable that only fails keep": {exec(evm.Success, at(1, 7, false)), nil},
		"nothing read":                    {exec(evm.Success, at(1, 0, true)), nil},
	} {
		if got := s.writer(seed(test.reader), r); got != test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestShows: what a comparison shows of a word, whole or packed with others.
func TestShows(t *testing.T) {
	word := uint256.NewInt(0x11_22_33_00_55)
	for operand, want := range map[uint64]bool{0x1122330055: true, 0x22: true, 0x2233: true, 0x33: true, 0x23: false, 0x55: true, 0x66: false, 0: false} {
		if got := Shows(word, uint256.NewInt(operand)); got != want {
			t.Errorf("%#x: %v", operand, got)
		}
	}
	if !Shows(new(uint256.Int), new(uint256.Int)) {
		t.Error("zero does not show zero")
	}
}
