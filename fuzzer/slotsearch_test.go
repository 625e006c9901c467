package fuzzer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// wrote adds a storage write to the last frame; base is that of the slot itself, unless
// it is hashed.
func wrote(exec *evm.Execution, pc uint32, slot *uint256.Int, hashed bool) *evm.Execution {
	f := &exec.Frames[len(exec.Frames)-1]
	access := evm.StorageAccess{PC: pc, Write: true, Slot: *slot, Base: *slot}
	if hashed {
		access.Base = uint256.Int{}
	}
	f.Storage = append(f.Storage, access)
	return exec
}

// away is a slot so far from the marked one.
func away(n uint64) *uint256.Int {
	return new(uint256.Int).AddUint64(&oracle.MarkedSlot, n)
}

// written is a write in a sequence of executions.
type written struct {
	what   string
	slot   *uint256.Int
	hashed bool
	want   uint64 // the distance that is news; 0: none is
}

func TestTrackerKeepsTheClosestWrite(t *testing.T) {
	_, _, p := handmade()
	const pc = 4
	for _, steps := range [][]written{
		{
			{"a variable", away(5000), false, 0},
			{"the same again", away(5000), false, 0},
			{"another one, further away", away(7000), false, 7000},
			{"one closer by", away(6000), false, 6000},
			{"one not as close", away(6500), false, 0},
			{"an element", away(50), true, 0},
			{"the first again, which is closer", away(5000), false, 5000},
		},
		{
			{"an element of a mapping", away(5), true, 0},
			{"another element", away(3), true, 0},
		},
		{
			{"an element of an array", away(50_000), true, 0},
			{"one that is far beyond it", away(5000), false, 5000},
		},
	} {
		tracker := newTracker(nil, 0)
		tracker.slots = map[bytecode.Location]*writtenSlots{}
		for _, s := range steps {
			n := lookAt(tracker, wrote(ran(p, 1, true, 0), pc, s.slot, s.hashed))
			var want []approach
			if s.want > 0 {
				want = []approach{{branchSide{code: p.ID, pc: pc, taken: true}, true, *uint256.NewInt(s.want)}}
			}
			if diff := cmp.Diff(want, n.closer, cmp.AllowUnexported(approach{}, branchSide{})); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", steps[0].what, s.what, diff)
			}
		}
	}
}

func TestSlotMoved(t *testing.T) {
	at := func(n uint64, plain bool) *slotWrite {
		return &slotWrite{slot: *away(n), plain: plain}
	}
	for _, c := range []struct {
		what string
		a, b *slotWrite
		want bool
	}{
		{"a variable", at(3, true), at(3, true), false},
		{"an index, far from the array", at(3, true), at(1<<40, true), true},
		{"an index that leaves the array", at(3, false), at(1<<40, true), true},
		{"an index within the array", at(3, false), at(9, false), true},
		{"keys of a mapping", at(3, false), at(1<<40, false), false},
	} {
		if got := slotMoved(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
