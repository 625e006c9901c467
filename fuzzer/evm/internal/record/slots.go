package record

import (
	"sync"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Bases finds the slot of the mapping or array that a storage slot was derived
// from (Solidity documentation, "Layout of State Variables in Storage"): an
// element of the mapping at slot p is at keccak256(key . p), the data of the
// dynamic array or long string at p starts at keccak256(p). It remembers the
// hashes of a call with the last word of what was hashed, which is p, and with the key.
//
// It is an open-addressing table, keyed by the hash without its low bits. What
// another call put in counts as empty, so that a call begins at no cost.
type Bases struct {
	table []hashed // a power of two, at most half full
	count int
	call  uint32 // what entries of this call are stamped with
}

type hashed struct {
	hash, base uint256.Int
	keys       evm.Keys
	call       uint32
}

// offsetBits is the size of the window behind a hash in which slots belong to
// the hashed mapping or array: struct members and array elements. An array of
// more than 2^32 elements cannot be filled with any gas.
const offsetBits = 32

// leastBases is the size of the table to begin with: more than the hashes of an
// ordinary call.
const leastBases = 1 << 7

func (b *Bases) reset() {
	b.count = 0
	b.call++
	if b.call == 0 || len(b.table) > retainedBases {
		b.table, b.call = nil, 1
	}
}

// retainedBases is the size beyond which a table is not kept for the next call:
// 600 kB.
const retainedBases = 1 << 12

// samePrefix reports whether two words differ in the low offsetBits bits at most.
func samePrefix(a, b *uint256.Int) bool {
	return a[3] == b[3] && a[2] == b[2] && a[1] == b[1] && a[0]>>offsetBits == b[0]>>offsetBits
}

// place is where the entry of a word's prefix is, or belongs. The table must not
// be full. Keys are hashes, mostly: any of their bits are as good as others.
func (b *Bases) place(word *uint256.Int) *hashed {
	mask := uint64(len(b.table) - 1)
	for i := word[1] ^ word[2]>>7 ^ word[0]>>offsetBits; ; i++ {
		h := &b.table[i&mask]
		if h.call != b.call || samePrefix(&h.hash, word) {
			return h
		}
	}
}

// Add remembers that hash was made from data that ends with word; where that are two
// words, key is the first, else nil.
func (b *Bases) Add(hash, word, key *uint256.Int) {
	if b.count < maxHashes {
		base, keys := b.resolve(word)
		if key != nil {
			push(&keys, key)
		}
		b.put(hash, &base, &keys)
	}
}

// push puts a key in front.
func push(k *evm.Keys, key *uint256.Int) {
	k.Words[1], k.Words[0] = k.Words[0], *key
	k.Count = min(k.Count+1, len(k.Words))
}

func (b *Bases) put(hash, base *uint256.Int, keys *evm.Keys) {
	if 2*b.count >= len(b.table) {
		b.grow()
	}
	h := b.place(hash)
	if h.call != b.call {
		b.count++
	}
	h.hash, h.base, h.keys, h.call = *hash, *base, *keys, b.call
}

func (b *Bases) grow() {
	old := b.table
	b.table = make([]hashed, max(leastBases, 2*len(old)))
	if b.call == 0 { // a table that was never reset
		b.call = 1
	}
	for i := range old {
		if h := &old[i]; h.call == b.call {
			*b.place(&h.hash) = *h
		}
	}
}

// foldedSlots bounds the slots whose data hash optimizers are expected to have
// computed; contracts with more state variables than that are rare.
const foldedSlots = 256

// folded holds the hashes of the first slots: where the data of arrays declared
// there starts is a constant, and optimized code has it in a PUSH.
var folded = sync.OnceValue(func() *Bases {
	b := &Bases{call: 1}
	for p := range uint64(foldedSlots) {
		base := uint256.NewInt(p)
		word := base.Bytes32()
		b.put(new(uint256.Int).SetBytes(crypto.Keccak256(word[:])), base, new(evm.Keys))
	}
	return b
})

// resolve is the base of a slot, and the keys between; the slot itself when no hash
// explains it.
func (b *Bases) resolve(slot *uint256.Int) (base uint256.Int, keys evm.Keys) {
	if slot.IsUint64() && slot.Uint64()>>offsetBits == 0 {
		return *slot, keys
	}
	if b.count > 0 {
		if h := b.lookup(slot); h != nil {
			return h.base, h.keys
		}
	}
	if h := folded().lookup(slot); h != nil {
		return h.base, keys
	}
	return *slot, keys
}

// lookup finds the hash in front of a slot; nil when there is none.
func (b *Bases) lookup(slot *uint256.Int) *hashed {
	if h := b.place(slot); h.call == b.call && !slot.Lt(&h.hash) {
		return h
	}
	// The offset may have carried into the prefix.
	var before uint256.Int
	before.SubUint64(slot, 1<<offsetBits)
	if h := b.place(&before); h.call == b.call && before.Lt(&h.hash) {
		return h
	}
	return nil
}
