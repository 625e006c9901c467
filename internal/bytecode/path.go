package bytecode

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
)

// Path is the sequence of basic blocks that one call frame entered, loops
// exact. A prefix is Path[:n].
type Path []BlockID

// PathID identifies what the last call of an execution did: a 128-bit hash of
// the account it went to and the blocks its frames entered, with depth and outcome
// (papers: PID). Two instances of a contract have paths of their own: what leads on
// behind a call of one token does not behind the same call of another.
type PathID [16]byte

func (id PathID) String() string { return hex.EncodeToString(id[:]) }

// With identifies a path together with that of the same input in other code, and whatever
// else tells two such pairs apart.
func (id PathID) With(other PathID, way uint64) PathID {
	var h PathHasher
	for _, p := range []PathID{id, other} {
		h.Add(binary.LittleEndian.Uint64(p[:8]), binary.LittleEndian.Uint64(p[8:]))
	}
	h.Add(way, 0)
	return h.Sum()
}

// PathHasher hashes a stream of 64-bit words into a PathID. The zero value is
// ready. It is MurmurHash3 x64 128 (Appleby, public domain) over pairs of words:
// 128 bits keep a campaign of 2^40 paths collision-free with probability 1 − 2^−49,
// and users gain nothing by forging a collision in their own campaign.
type PathHasher struct {
	h1, h2 uint64
	n      uint64
}

const (
	murmurC1 = 0x87c37b91114253d5
	murmurC2 = 0x4cf5ad432745937f
)

// Add mixes in two words.
func (h *PathHasher) Add(k1, k2 uint64) { h.AddMixed(MixFirst(k1), k2) }

// MixFirst is what [PathHasher.AddMixed] takes in place of the first of two words: it is the same each time.
func MixFirst(k1 uint64) uint64 {
	return bits.RotateLeft64(k1*murmurC1, 31) * murmurC2
}

// AddMixed is Add, of a first word that was mixed before.
func (h *PathHasher) AddMixed(mixed, k2 uint64) {
	h.h1 ^= mixed
	h.h1 = bits.RotateLeft64(h.h1, 27)
	h.h1 += h.h2
	h.h1 = h.h1*5 + 0x52dce729

	k2 *= murmurC2
	k2 = bits.RotateLeft64(k2, 33)
	k2 *= murmurC1
	h.h2 ^= k2
	h.h2 = bits.RotateLeft64(h.h2, 31)
	h.h2 += h.h1
	h.h2 = h.h2*5 + 0x38495ab5
	h.n++
}

// Sum is the identifier of what was added so far.
func (h *PathHasher) Sum() PathID {
	h1, h2 := h.h1^(h.n*16), h.h2^(h.n*16)
	h1 += h2
	h2 += h1
	h1, h2 = mix(h1), mix(h2)
	h1 += h2
	h2 += h1
	var id PathID
	for i := range 8 {
		id[i] = byte(h1 >> (8 * i))
		id[8+i] = byte(h2 >> (8 * i))
	}
	return id
}

// mix is MurmurHash3's finaliser.
func mix(k uint64) uint64 {
	k ^= k >> 33
	k *= 0xff51afd7ed558ccd
	k ^= k >> 33
	k *= 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
