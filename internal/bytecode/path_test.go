package bytecode

import (
	"encoding/binary"
	"testing"
)

// TestPathHasherVector compares with the reference implementation of
// MurmurHash3_x64_128 (Appleby's smhasher), seed 0: the words are its input in
// little-endian order, of which it takes 16 bytes a round.
func TestPathHasherVector(t *testing.T) {
	var h PathHasher
	if got := h.Sum().String(); got != "00000000000000000000000000000000" {
		t.Errorf("empty: %s", got)
	}
	// murmur3_x64_128("0123456789abcdef") by the reference implementation.
	input := []byte("0123456789abcdef")
	h.Add(binary.LittleEndian.Uint64(input), binary.LittleEndian.Uint64(input[8:]))
	if got, want := h.Sum().String(), "a7d14acf946de04bda08a7635c5bc387"; got != want {
		t.Errorf("%s: %s, want %s", input, got, want)
	}
}

func TestPathHasher(t *testing.T) {
	sum := func(words ...uint64) PathID {
		var h PathHasher
		for i := 0; i < len(words); i += 2 {
			h.Add(words[i], words[i+1])
		}
		return h.Sum()
	}
	seen := map[PathID][]uint64{}
	for _, words := range [][]uint64{
		{}, {0, 0}, {0, 0, 0, 0}, {1, 0}, {0, 1}, {1, 2, 3, 4}, {3, 4, 1, 2}, {1, 2, 3, 5}, {2, 1, 3, 4},
	} {
		id := sum(words...)
		if other, ok := seen[id]; ok {
			t.Errorf("%v and %v have the same identifier", words, other)
		}
		seen[id] = words
		if id != sum(words...) {
			t.Errorf("%v: two identifiers", words)
		}
	}
	var h PathHasher
	h.Add(1, 2)
	first := h.Sum()
	if second := h.Sum(); second != first || second != sum(1, 2) {
		t.Error("Sum changes the hash")
	}
	if h.Add(3, 4); h.Sum() != sum(1, 2, 3, 4) {
		t.Error("Sum in between changes the hash")
	}
}

// TestPathHasherSpread: flipping any input bit flips about half of the output.
func TestPathHasherSpread(t *testing.T) {
	var base PathHasher
	base.Add(0x0123456789abcdef, 42)
	want := base.Sum()
	for bit := range 128 {
		words := [2]uint64{0x0123456789abcdef, 42}
		words[bit/64] ^= 1 << (bit % 64)
		var h PathHasher
		h.Add(words[0], words[1])
		got := h.Sum()
		flipped := 0
		for i := range got {
			for x := got[i] ^ want[i]; x != 0; x &= x - 1 {
				flipped++
			}
		}
		if flipped < 36 || flipped > 92 { // five standard deviations around 64
			t.Errorf("input bit %d flips %d output bits", bit, flipped)
		}
	}
}
