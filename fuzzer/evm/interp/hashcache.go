package interp

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

// hashCache remembers the hashes of 64 bytes: the slots of mapping elements,
// which contracts compute over and over from the same keys.
type hashCache struct {
	state   crypto.KeccakState
	entries [hashEntries]hashEntry
	buffer  [32]byte
}

// hashEntries is the size of the cache: 200 kB. A call's some fifty mapping
// elements seldom share a pair of entries, then; with half of that, and no pairs,
// two that did took a fifteenth of the time.
const hashEntries = 1 << 11

type hashEntry struct {
	input [64]byte
	hash  uint256.Int
	used  bool
}

func newHashCache() *hashCache { return &hashCache{state: crypto.NewKeccakState()} }

// sum sets word to the Keccak-256 hash of data.
func (c *hashCache) sum(word *uint256.Int, data []byte) {
	if len(data) != 64 {
		c.compute(word, data)
		return
	}
	input := (*[64]byte)(data)
	// The ends of both words: keys and slots are small numbers or addresses,
	// mostly. The factor is the 64-bit golden ratio (Knuth, TAOCP 6.4).
	mix := (binary.LittleEndian.Uint64(input[24:]) ^ binary.LittleEndian.Uint64(input[56:])*31 ^ binary.LittleEndian.Uint64(input[12:])) * 0x9e3779b97f4a7c15
	at := mix >> 32 % hashEntries
	e, other := &c.entries[at], &c.entries[at^1]
	if e.used && e.input == *input {
		*word = e.hash
		return
	}
	if other.used && other.input == *input {
		*word = other.hash
		return
	}
	*other = *e // the older of the two goes
	c.compute(&e.hash, data)
	e.input, e.used = *input, true
	*word = e.hash
}

func (c *hashCache) compute(word *uint256.Int, data []byte) {
	c.state.Reset()
	// Neither can fail: a sponge takes and gives what it is asked for.
	_, _ = c.state.Write(data)
	_, _ = c.state.Read(c.buffer[:])
	word.SetBytes32(c.buffer[:])
}
