package fuzzer

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// storeKind is what a write does to a word of storage.
type storeKind uint8

const (
	storeKeeps  storeKind = iota // the word is what it was
	storeClears                  // it becomes zero
	storeSets                    // it becomes another number
	// Likewise, of what is kept for the attacker's contract. A path that others took with what they have shows nothing new when it is the
	// contract that has something, and yet that is when it can gain by being called back.
	storeClearsOwn
	storeSetsOwn
	storeKinds // their number
)

// ofOwn is a kind of write to what is kept for the attacker's contract.
func (k storeKind) ofOwn() storeKind { return k + storeClearsOwn - storeClears }

// stores are the kinds of writes that last calls which succeeded have made, by instruction: a transfer of nothing takes the
// same path as one of something, and only the latter leaves a state in which others do something else. It is novelty by
// what flows through storage, as the dataflow waypoints of ItyFuzz are (Shou, Tan and Sen, ISSTA 2023), of a few
// kinds instead of ranges of values.
type stores struct {
	kinds map[bytecode.Location]uint16 // bits of them, and then of those in sequences that presume something, see [observation]
	audit bool                         // what is kept for the attacker's contract is told apart; elsewhere that costs more than it finds
}

func newStores(audit bool) stores { return stores{map[bytecode.Location]uint16{}, audit} }

// add notes the writes of an execution's last call. way tells kinds that no call made before from those of other
// executions; 0: there are none. What took a presumption is new without it, once more.
func (s stores) add(exec *evm.Execution, presumed bool) (way uint64) {
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
			if s.audit && kind != storeKeeps && isKeptForAttacker(a) {
				kind = kind.ofOwn()
			}
			known, bit := uint16(1)<<kind, kind
			if presumed {
				bit += storeKinds
				known |= 1 << bit
			}
			if s.kinds[at]&known == 0 {
				s.kinds[at] |= 1 << bit
				way = way<<7 ^ way>>57 ^ uint64(a.PC)<<8 ^ uint64(f.Program.ID)<<40 ^ uint64(bit+1)
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

// isKeptForAttacker reports whether a variable is an element of a mapping under the attacker's contract, or of a mapping in one.
func isKeptForAttacker(a *evm.StorageAccess) bool {
	for i := range a.Keys.Words[:a.Keys.Count] {
		if a.Keys.Words[i] == attackerWord {
			return true
		}
	}
	return false
}

var attackerWord = *new(uint256.Int).SetBytes(attacker.Address[:])
