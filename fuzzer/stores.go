package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// storeKind is what a write does to a word of storage.
type storeKind uint8

const (
	storeKeeps  storeKind = iota // the word is what it was
	storeClears                  // it becomes zero
	storeSets                    // it becomes another number
)

// stores are the kinds of writes that last calls which succeeded have made, by instruction: a transfer of nothing takes the
// same path as one of something, and only the latter leaves a state in which others do something else. It is novelty by
// what flows through storage, as the dataflow waypoints of ItyFuzz are (Shou, Tan and Sen, ISSTA 2023), of three
// kinds instead of ranges of values.
type stores map[bytecode.Location]uint8 // bits of kinds

// add notes the writes of an execution's last call. way tells kinds that no call made before from those of other
// executions; 0: there are none.
func (s stores) add(exec *evm.Execution) (way uint64) {
	last := &exec.Calls[len(exec.Calls)-1]
	if last.Outcome != evm.Success {
		return 0
	}
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil || f.Outcome != evm.Success {
			continue
		}
		for j := range f.Storage {
			a := &f.Storage[j]
			if !a.Write {
				continue
			}
			at, kind := bytecode.Location{Code: f.Program.ID, PC: a.PC}, kindOf(f.Storage[:j], a)
			if s[at]&(1<<kind) == 0 {
				s[at] |= 1 << kind
				way = way<<7 ^ way>>57 ^ uint64(a.PC)<<8 ^ uint64(f.Program.ID)<<40 ^ uint64(kind+1)
			}
		}
	}
	return way
}

// kindOf is what a write does, as far as the accesses of its frame before it tell: where none was to the same word,
// a number counts as another one.
func kindOf(before []evm.StorageAccess, a *evm.StorageAccess) storeKind {
	for i := len(before) - 1; i >= 0; i-- {
		if b := &before[i]; b.Slot == a.Slot && b.Address == a.Address {
			if b.Value == a.Value {
				return storeKeeps
			}
			break
		}
	}
	if a.Value.IsZero() {
		return storeClears
	}
	return storeSets
}
