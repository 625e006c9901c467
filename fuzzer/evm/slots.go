package evm

import "github.com/holiman/uint256"

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

// resolve is the base of a slot; the slot itself when no hash explains it.
func (b *bases) resolve(slot *uint256.Int) uint256.Int {
	if slot.IsUint64() && slot.Uint64()>>offsetBits == 0 || len(b.byPrefix) == 0 {
		return *slot
	}
	if h, ok := b.byPrefix[prefix(slot)]; ok && !slot.Lt(&h.hash) {
		return h.base
	}
	// The offset may have carried into the prefix.
	var before uint256.Int
	before.SubUint64(slot, 1<<offsetBits)
	if h, ok := b.byPrefix[prefix(&before)]; ok && before.Lt(&h.hash) {
		return h.base
	}
	return *slot
}
