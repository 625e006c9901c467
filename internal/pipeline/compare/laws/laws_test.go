package laws

import (
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestSum: sums are of integers, so that what wraps around is not zero.
func TestSum(t *testing.T) {
	number := func(n int64) uint256.Int {
		return *new(uint256.Int).Sub(uint256.NewInt(uint64(max(n, 0))), uint256.NewInt(uint64(max(-n, 0))))
	}
	for _, c := range []struct {
		changes [][2]int64 // −1: the largest word
		sign    int
	}{
		{nil, 0},
		{[][2]int64{{5, 3}, {0, 2}}, 0},
		{[][2]int64{{5, 3}, {0, 1}}, -1},
		{[][2]int64{{0, -1}, {0, 1}}, 1}, // their sum is zero as words
		{[][2]int64{{0, -1}, {0, -1}, {-1, 0}, {-1, 0}}, 0},
		{[][2]int64{{0, -1}, {-1, 0}, {-1, 0}}, -1},
	} {
		var s sum
		for _, change := range c.changes {
			before, after := number(change[0]), number(change[1])
			s.change(&before, &after)
		}
		if got := s.sign(); got != c.sign {
			t.Errorf("%v: %d, want %d", c.changes, got, c.sign)
		}
	}
}

// TestPart: the part of a word that a view answers is found from the word's pattern.
func TestPart(t *testing.T) {
	for _, want := range []place{{offset: 0, bytes: 32}, {offset: 0, bytes: 8}, {offset: 8, bytes: 16}, {offset: 12, bytes: 20}, {offset: 31, bytes: 1}} {
		answer := want.of(&pattern)
		var found place
		if !found.isPart(&answer) || found.offset != want.offset || found.bytes != want.bytes {
			t.Errorf("%d bytes at %d: %d bytes at %d", want.bytes, want.offset, found.bytes, found.offset)
		}
	}
	for _, other := range []uint256.Int{{}, *uint256.NewInt(0xbfbe), *new(uint256.Int).AddUint64(&pattern, 1), *new(uint256.Int).Rsh(&pattern, 4)} {
		if p := new(place); p.isPart(&other) {
			t.Errorf("%s is a part of the pattern", other.Hex())
		}
	}
}

// TestPlace: the keys of an element say which argument is which, and where elements for other arguments are.
func TestPlace(t *testing.T) {
	want := place{base: *uint256.NewInt(3), keys: 2, order: [2]int{1, 0}, within: 1}
	access := evm.StorageAccess{Base: want.base, Slot: want.slot(asked), Keys: evm.Keys{Count: 2, Words: [2]uint256.Int{asked[1], asked[0]}}}
	found, ok := newPlace(Allowance, &access)
	if !ok || *found != want {
		t.Fatalf("%+v, %v; want %+v", found, ok, want)
	}
	token := &Token{elements: map[uint256.Int][]element{}}
	token.places[Allowance] = found
	keys := [2]uint256.Int{*uint256.NewInt(7), *uint256.NewInt(8)}
	access = evm.StorageAccess{Base: want.base, Slot: want.slot(keys[:]), Keys: evm.Keys{Count: 2, Words: [2]uint256.Int{keys[1], keys[0]}}}
	if list, known := token.at(&access, nil); !known || !slices.Equal(list, []element{{Allowance, keys}}) {
		t.Errorf("%v, %v", list, known)
	}
	access.Slot.AddUint64(&access.Slot, 1)
	if list, _ := token.at(&access, nil); len(list) > 0 {
		t.Errorf("another word of the struct is %v", list)
	}
	for _, keys := range []evm.Keys{{Count: 1, Words: [2]uint256.Int{asked[0]}}, {Count: 2, Words: [2]uint256.Int{asked[0], asked[0]}}, {Count: 2, Words: [2]uint256.Int{asked[0], keys[0]}}} {
		if _, ok := newPlace(Allowance, &evm.StorageAccess{Base: want.base, Slot: access.Slot, Keys: keys}); ok {
			t.Errorf("%v are keys of an allowance", keys)
		}
	}
}

// TestUnknownWrites: a write to a hash that nothing explains may be one to a balance.
func TestUnknownWrites(t *testing.T) {
	token := &Token{elements: map[uint256.Int][]element{}, constants: map[uint256.Int]bool{}}
	hash := pattern
	if _, known := token.at(&evm.StorageAccess{Base: hash, Slot: hash}, nil); known {
		t.Error("it is known what is at a hash")
	}
	if _, known := token.at(&evm.StorageAccess{Base: *uint256.NewInt(5), Slot: *uint256.NewInt(5)}, nil); !known {
		t.Error("it is not known what is at slot 5")
	}
}

// TestArray: lengths and offsets of calldata are not believed.
func TestArray(t *testing.T) {
	encode := func(words ...uint64) *Call {
		data := make([]byte, 4)
		for _, w := range words {
			word := uint256.NewInt(w).Bytes32()
			data = append(data, word[:]...)
		}
		return &Call{frame: &evm.Frame{Input: data}}
	}
	if list, ok := encode(32, 2, 7, 8).array(0); !ok || len(list) != 2 || !list[1].Eq(uint256.NewInt(8)) {
		t.Errorf("%v, %v", list, ok)
	}
	for _, words := range [][]uint64{{32}, {1 << 40, 0}, {32, 3, 7}, {32, 1 << 60, 7}, {1<<64 - 1, 0}, {1<<64 - 32, 0}} {
		if list, ok := encode(words...).array(0); ok {
			t.Errorf("%v: %v", words, list)
		}
	}
}
