package evm_test

import (
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestAppendWrites: a frame that writes around a call to another one, which also writes, and to one that is undone.
func TestAppendWrites(t *testing.T) {
	access := func(order uint32, write bool) evm.StorageAccess {
		return evm.StorageAccess{Order: order, Write: write, Value: *uint256.NewInt(uint64(order))}
	}
	e := &evm.Execution{Frames: []evm.Frame{
		{Parent: -1, Storage: []evm.StorageAccess{access(0, false), access(1, true), access(5, true)}},
		{Parent: 0, Storage: []evm.StorageAccess{access(2, true), access(3, true)}},
		{Parent: 0, Outcome: evm.Reverted, Storage: []evm.StorageAccess{access(4, true)}},
		{Parent: -1, Storage: []evm.StorageAccess{access(6, true)}},
	}}
	writes := e.AppendWrites([]evm.Write{{Frame: 9}}, 0, 3, e.Lasting())
	want := []evm.Write{{Frame: 9}, {Frame: 0}, {Frame: 1}, {Frame: 1}, {Frame: 0}}
	if len(writes) != len(want) {
		t.Fatalf("%d writes, want %d", len(writes), len(want))
	}
	for i, order := range []uint32{0, 1, 2, 3, 5} {
		if w := writes[i]; w.Frame != want[i].Frame || i > 0 && w.Order != order {
			t.Errorf("write %d is of frame %d, in place %v, want frame %d in place %d", i, w.Frame, w.StorageAccess, want[i].Frame, order)
		}
	}
}
