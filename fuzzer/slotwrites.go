package fuzzer

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// slotWrite is a storage write of an execution's last call, the first at its instruction
// in a frame. Its cost is the distance of its slot from the marked one (harvey §4.3,
// "Memory accesses").
type slotWrite struct {
	frame int // within the call
	at    bytecode.Location
	slot  uint256.Int
	in    *bytecode.Contract
	plain bool // the slot is not an element of a mapping or array, as far as the frame's hashes tell
}

// maxWrites bounds the writes that are considered of one execution. Arbitrary.
const maxWrites = 64

// appendWrites appends the storage writes of an execution's last call to dst.
func appendWrites(dst []slotWrite, exec *evm.Execution) []slotWrite {
	start := len(dst)
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.Contract == nil {
			continue
		}
		for j := range f.Storage {
			access := &f.Storage[j]
			if !access.Write {
				continue
			}
			w := slotWrite{i - last[0], bytecode.Location{Code: f.Program.ID, PC: access.PC}, access.Slot, f.Program.Contract, access.Slot == access.Base}
			if findWrite(dst[start:], &w) != nil {
				continue
			}
			if len(dst)-start == maxWrites {
				return dst
			}
			dst = append(dst, w)
		}
	}
	return dst
}

// findWrite finds the write at the same instruction and frame.
func findWrite(writes []slotWrite, w *slotWrite) *slotWrite {
	for i := range writes {
		if writes[i].frame == w.frame && writes[i].at == w.at {
			return &writes[i]
		}
	}
	return nil
}

// writtenSlots is what is known of the slots written by one instruction.
type writtenSlots struct {
	slot  uint256.Int // the first
	moves bool        // another one was not an element of a mapping or array
	best  uint256.Int // the least distance from the marked slot since then
}

// trackWrites compares the storage writes of the last call with all earlier ones: an
// input that comes closer to the marked slot than any other is kept like one that comes
// closer to an untaken side of a branch. Writes that never move are not searched.
func (t *tracker) trackWrites(exec *evm.Execution, n *news) {
	if t.slots == nil || t.test.Function != nil || !changedState(exec) {
		return
	}
	t.writes = appendWrites(t.writes[:0], exec)
	for i := range t.writes {
		w := &t.writes[i]
		known := t.slots[w.at]
		if known == nil {
			t.slots[w.at] = &writtenSlots{slot: w.slot}
			continue
		}
		if !w.plain || known.slot == w.slot && !known.moves {
			continue
		}
		var distance uint256.Int
		distance.Sub(&w.slot, &oracle.MarkedSlot)
		distance.Abs(&distance)
		if known.moves && !distance.Lt(&known.best) {
			continue
		}
		known.moves, known.best = true, distance
		n.closer = append(n.closer, approach{writeSide(w.at), true, distance})
	}
}

// writeSide represents a storage write among the sides of branches; no jump has its pc.
func writeSide(at bytecode.Location) branchSide {
	return branchSide{code: at.Code, pc: at.PC, taken: true}
}
