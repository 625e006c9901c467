package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// slotKey identifies a state variable: an account and a storage slot, elements of
// mappings and arrays folded to their base. It is a hash: two variables that share
// one are taken for the same, which costs a mutant.
type slotKey uint64

// maxFootprint bounds the variables that are remembered of a call, each way.
// Arbitrary: few functions touch more.
const maxFootprint = 32

// footprint lists the state variables that the last call of an execution reads, and
// those that it writes if it succeeds, whether their value changes or not: with
// other arguments it may. Each list is in order of the keys (mufuzz §IV-A).
func footprint(exec *evm.Execution) (reads, writes []slotKey) {
	call := &exec.Calls[len(exec.Calls)-1]
	last := call.Frames
	for i := last[0]; i < last[1]; i++ {
		for j := range exec.Frames[i].Storage {
			access := &exec.Frames[i].Storage[j]
			to := &reads
			if access.Write {
				if call.Outcome != evm.Success {
					continue
				}
				to = &writes
			}
			key := keyOf(access)
			if at, found := slices.BinarySearch(*to, key); !found && len(*to) < maxFootprint {
				*to = slices.Insert(*to, at, key)
			}
		}
	}
	return reads, writes
}

func keyOf(access *evm.StorageAccess) slotKey {
	const odd = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio
	h := uint64(odd)
	for _, b := range access.Address {
		h = (h ^ uint64(b)) * odd
	}
	for _, limb := range access.Base {
		h = (h ^ limb) * odd
		h ^= h >> 29
	}
	return slotKey(h)
}

// maxWriters bounds the seeds that are remembered as writers of a variable.
// Arbitrary.
const maxWriters = 64

// noteWriter remembers a seed under what its last call writes.
func (s *Suite) noteWriter(seed *Seed) {
	for _, key := range seed.writes {
		if len(s.writers[key]) < maxWriters {
			s.writers[key] = append(s.writers[key], seed)
		}
	}
}

// writer picks an entry that writes what a seed's last call reads: what it leaves
// behind is what decides there (mufuzz §IV-A, "write before read"). Nil when there is
// none.
func (s *Suite) writer(seed *Seed, r input.Rand) *Seed {
	var known []slotKey
	for _, key := range seed.reads {
		if len(s.writers[key]) > 0 {
			known = append(known, key)
		}
	}
	if len(known) == 0 {
		return nil
	}
	writers := s.writers[known[r.IntN(len(known))]]
	return writers[r.IntN(len(writers))]
}
