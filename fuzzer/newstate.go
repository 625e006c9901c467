package fuzzer

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// stateID identifies the persistent state that a sequence leaves. It is a hash: two
// states with the same hash are taken for one, which costs an entry of the pool of
// prefixes.
type stateID uint64

// place is a storage slot of an account.
type place struct {
	account common.Address
	slot    uint256.Int
}

// stateOf identifies the state after an execution: the last values that its successful
// calls wrote, in frames that no caller reverted, and what they created. Writing the
// value that was there makes another state than writing nothing, and where a frame and
// one that it called write the same slot, the latter's value counts.
func stateOf(exec *evm.Execution) stateID {
	last := map[place]uint256.Int{}
	var created uint64
	undone := make([]bool, len(exec.Frames))
	for i := range exec.Frames {
		f := &exec.Frames[i]
		undone[i] = f.Outcome != evm.Success || f.Parent >= 0 && undone[f.Parent]
		if undone[i] {
			continue
		}
		if f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2 {
			created += mix(place{account: f.Self}, uint256.Int{})
		}
		for j := range f.Storage {
			if a := &f.Storage[j]; a.Write {
				last[place{a.Address, a.Slot}] = a.Value
			}
		}
	}
	id := created
	for at, value := range last { // a sum: the order makes no difference
		id += mix(at, value)
	}
	return stateID(id)
}

// mix hashes what is at a place.
func mix(at place, value uint256.Int) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio
	h := uint64(odd)
	for _, b := range at.account {
		h = (h ^ uint64(b)) * odd
	}
	for _, limb := range [...]uint64{at.slot[0], at.slot[1], at.slot[2], at.slot[3], value[0], value[1], value[2], value[3]} {
		h = (h ^ limb) * odd
		h ^= h >> 29
	}
	return h
}
