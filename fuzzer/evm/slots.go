package evm

import (
	"sync"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

// bases finds the slot of the mapping or array that a storage slot was derived
// from (Solidity documentation, "Layout of State Variables in Storage"): an
// element of the mapping at slot p is at keccak256(key . p), the data of the
// dynamic array or long string at p starts at keccak256(p). It remembers the
// hashes of a call with the last word of what was hashed, which is p.
type bases struct {
	byPrefix map[[4]uint64]hashed
}

type hashed struct {
	hash, base uint256.Int
}

// offsetBits is the size of the window behind a hash in which slots belong to
// the hashed mapping or array: struct members and array elements. An array of
// more than 2^32 elements cannot be filled with any gas.
const offsetBits = 32

func (b *bases) reset() {
	if len(b.byPrefix) > 0 {
		clear(b.byPrefix)
	}
}

// prefix is a word without its low offsetBits bits.
func prefix(word *uint256.Int) [4]uint64 {
	return [4]uint64{word[0] >> offsetBits, word[1], word[2], word[3]}
}

// add remembers that hash was made from data that ends with word.
func (b *bases) add(hash, word *uint256.Int) {
	if len(b.byPrefix) >= maxHashes {
		return
	}
	if b.byPrefix == nil {
		b.byPrefix = map[[4]uint64]hashed{}
	}
	b.byPrefix[prefix(hash)] = hashed{*hash, b.resolve(word)}
}

// foldedSlots bounds the slots whose data hash optimizers are expected to have
// computed; contracts with more state variables than that are rare.
const foldedSlots = 256

// folded holds the hashes of the first slots: where the data of arrays declared
// there starts is a constant, and optimized code has it in a PUSH.
var folded = sync.OnceValue(func() map[[4]uint64]hashed {
	m := make(map[[4]uint64]hashed, foldedSlots)
	for p := range uint64(foldedSlots) {
		base := uint256.NewInt(p)
		word := base.Bytes32()
		hash := new(uint256.Int).SetBytes(crypto.Keccak256(word[:]))
		m[prefix(hash)] = hashed{*hash, *base}
	}
	return m
})

// resolve is the base of a slot; the slot itself when no hash explains it.
func (b *bases) resolve(slot *uint256.Int) uint256.Int {
	if slot.IsUint64() && slot.Uint64()>>offsetBits == 0 {
		return *slot
	}
	if len(b.byPrefix) > 0 {
		if base, ok := lookup(b.byPrefix, slot); ok {
			return base
		}
	}
	if base, ok := lookup(folded(), slot); ok {
		return base
	}
	return *slot
}

// lookup finds the hash in front of a slot.
func lookup(m map[[4]uint64]hashed, slot *uint256.Int) (uint256.Int, bool) {
	if h, ok := m[prefix(slot)]; ok && !slot.Lt(&h.hash) {
		return h.base, true
	}
	// The offset may have carried into the prefix.
	var before uint256.Int
	before.SubUint64(slot, 1<<offsetBits)
	if h, ok := m[prefix(&before)]; ok && before.Lt(&h.hash) {
		return h.base, true
	}
	return uint256.Int{}, false
}
