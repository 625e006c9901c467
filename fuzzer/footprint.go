package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// slotKey identifies a state variable: an account and a storage slot, with elements of
// mappings and arrays folded to their base. It is a hash: two variables with the same
// hash are taken for one, which costs a mutant.
type slotKey uint64

// maxFootprint bounds the variables of a call in each list. Arbitrary: few functions
// touch more.
const maxFootprint = 32

// maxCompared bounds the comparisons that are looked at for what was read, about a
// millisecond's: loops read tens of thousands of words. Arbitrary.
const maxCompared = 1 << 16

// footprint lists the state variables that the last call of an execution reads, and those
// that it writes if it succeeds, whether their value changes or not: with other arguments
// it may. Variables that it reads decide if a comparison has the value as an operand.
// Each list is sorted (mufuzz §IV-A).
func footprint(exec *evm.Execution) (f footprints) {
	n := len(exec.Calls) - 1
	call := &exec.Calls[n]
	last := call.Frames
	compared := 0
	looked := 0 // searches of earlier calls' writes, which may be thousands
	for i := last[0]; i < last[1]; i++ {
		for j := range exec.Frames[i].Storage {
			access := &exec.Frames[i].Storage[j]
			key := keyOf(access)
			switch {
			case !access.Write:
				f.reads = insertKey(f.reads, key)
				if access.Keys.Count > 0 && looked < maxFootprint && !slices.Contains(f.wants, key) {
					if looked++; !wroteBefore(exec, n, access) {
						f.wants = insertKey(f.wants, key)
					}
				}
				compared += len(exec.Frames[i].Comparisons)
				if compared <= maxCompared && Decides(exec.Frames[i].Comparisons, &access.Value) {
					f.decides = insertKey(f.decides, key)
				}
			case call.Outcome == evm.Success:
				f.writes = insertKey(f.writes, key)
			}
		}
	}
	return f
}

// wroteBefore reports whether one of the first n calls wrote what is accessed.
func wroteBefore(exec *evm.Execution, n int, access *evm.StorageAccess) bool {
	for i := range exec.Calls[:n] {
		frames := exec.Calls[i].Frames
		for j := frames[0]; j < frames[1]; j++ {
			for k := range exec.Frames[j].Storage {
				if a := &exec.Frames[j].Storage[k]; a.Write && a.Slot == access.Slot && a.Address == access.Address {
					return true
				}
			}
		}
	}
	return false
}

// footprints are what a call did to state variables.
type footprints struct {
	reads, writes, decides []slotKey
	wants                  []slotKey // mappings of which it read an element that no earlier call wrote
}

// insertKey adds a key to a sorted list, unless it is there or the list is full.
func insertKey(list []slotKey, key slotKey) []slotKey {
	if at, found := slices.BinarySearch(list, key); !found && len(list) < maxFootprint {
		return slices.Insert(list, at, key)
	}
	return list
}

// Decides reports whether a value that was read, or bytes of it, are an operand of a
// comparison that decided a jump: solc packs small variables into one slot.
func Decides(comparisons []evm.Comparison, value *uint256.Int) bool {
	return slices.ContainsFunc(comparisons, func(c evm.Comparison) bool {
		return Shows(value, &c.Left) || Shows(value, &c.Right)
	})
}

// Shows reports whether a word that was read is an operand, or holds it in some of its bytes.
func Shows(value, operand *uint256.Int) bool {
	if operand.IsZero() || *value == *operand {
		return *value == *operand
	}
	width := (operand.BitLen() + 7) &^ 7
	var mask, lane uint256.Int
	mask.Not(mask.Lsh(mask.SetAllOne(), uint(width)))
	for at := 0; at+width <= 256; at += 8 {
		if lane.And(lane.Rsh(value, uint(at)), &mask); lane == *operand {
			return true
		}
	}
	return false
}

func keyOf(access *evm.StorageAccess) slotKey { return keyOfVariable(&access.Address, &access.Base) }

func keyOfVariable(account *common.Address, base *uint256.Int) slotKey {
	const odd = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio
	h := uint64(odd)
	for _, b := range account {
		h = (h ^ uint64(b)) * odd
	}
	for _, limb := range base {
		h = (h ^ limb) * odd
		h ^= h >> 29
	}
	return slotKey(h)
}
