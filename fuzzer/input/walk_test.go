package input

import (
	"math/rand/v2"
	"testing"

	"github.com/holiman/uint256"
)

// TestStepNumbers: a number is mostly what calls have said, if they say what it is; a time is one that is near; others are mostly small, or those of the attack.
func TestStepNumbers(t *testing.T) {
	const start = 1_750_000_000
	number := Type{Kind: Uint, Bits: 256}
	earlier := Call{Function: &Function{}, TimeAdvance: 500}
	word := func(x uint64) uint256.Int { return *uint256.NewInt(x) }
	for name, test := range map[string]struct {
		was    uint64
		said   []uint256.Int
		amount bool
		mostly func(is *uint256.Int) bool
		least  int // of a thousand
	}{
		"said":          {5, []uint256.Int{word(77), word(78)}, false, func(is *uint256.Int) bool { return is.Eq(uint256.NewInt(77)) || is.Eq(uint256.NewInt(78)) }, 800},
		"small":         {9, nil, false, func(is *uint256.Int) bool { return is.LtUint64(maxSmall) || is.Eq(uint256.NewInt(9)) }, 700},
		"an amount":     {9, nil, true, func(is *uint256.Int) bool { return is.Eq(&Stake) || is.Eq(uint256.NewInt(4000)) }, 300},
		"a duration":    {90 * day, nil, false, func(is *uint256.Int) bool { return is.Uint64() <= due && is.Uint64() >= hour }, 300},
		"a moment":      {start + 90*day, nil, false, func(is *uint256.Int) bool { return is.Uint64() > start+500 && is.Uint64() <= start+500+due }, 300},
		"too large":     {1 << 62, nil, false, func(is *uint256.Int) bool { return is.Eq(&Stake) || is.Eq(uint256.NewInt(1<<62)) }, 300},
		"what it wrote": {9, nil, true, func(is *uint256.Int) bool { return is.Eq(uint256.NewInt(123_456)) }, 150},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Space{maxTime: MaxTimeAdvance}
			s.start.Time = start
			st := step{Mutator: &Mutator{space: s}, r: rand.New(rand.NewPCG(1, 0)), w: &Walk{Calls: Sequence{earlier}, Written: []uint256.Int{word(123_456)}}, said: test.said, numbers: []uint256.Int{word(4000)}}
			n := 0
			for range 1000 {
				if is := st.number(word(test.was), &number, test.amount); test.mostly(&is) {
					n++
				}
			}
			if n < test.least {
				t.Errorf("%d of 1000", n)
			}
		})
	}
	small := Type{Kind: Uint, Bits: 8}
	st := step{r: rand.New(rand.NewPCG(1, 0)), w: &Walk{}, said: []uint256.Int{word(256)}}
	for range 100 {
		if is := st.number(word(3), &small, false); !small.Fits(&is) {
			t.Fatalf("%v does not fit", &is)
		}
	}
}

// TestStepElements: arrays of one call that have no fixed length get the same, and one element is there several times at times.
func TestStepElements(t *testing.T) {
	number := Type{Kind: Uint, Bits: 256}
	list := Type{Kind: Slice, Elem: &number, Dynamic: true}
	five := []Value{{Word: *uint256.NewInt(21)}, {Word: *uint256.NewInt(22)}, {Word: *uint256.NewInt(23)}, {Word: *uint256.NewInt(24)}, {Word: *uint256.NewInt(25)}}
	lengths, same := map[int]bool{}, false
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		st := step{Mutator: &Mutator{space: &Space{}}, r: r, w: &Walk{}, length: 1 + r.IntN(maxElements)}
		one, other := st.value(Value{Elems: five}, &list, false), st.value(Value{Elems: five[:1]}, &list, false)
		if len(one.Elems) != len(other.Elems) {
			t.Fatalf("%d and %d elements", len(one.Elems), len(other.Elems))
		}
		lengths[len(one.Elems)] = true
		same = same || len(one.Elems) == 2 && one.Elems[0].Word.Eq(&one.Elems[1].Word)
		if none := st.value(Value{}, &list, false); len(none.Elems) > 0 {
			t.Fatal("elements out of nothing")
		}
	}
	if len(lengths) != maxElements || !same {
		t.Errorf("lengths %v; one element twice: %v", lengths, same)
	}
}

// TestMayName: numbers, hashes and arrays of them may be what calls have said; flags, accounts and texts are not.
func TestMayName(t *testing.T) {
	number, flag, account := Type{Kind: Uint, Bits: 256}, Type{Kind: Bool, Bits: 1}, Type{Kind: Address, Bits: 160}
	hash, list, text := Type{Kind: FixedBytes, Bits: 256}, Type{Kind: Slice, Elem: &number, Dynamic: true}, Type{Kind: String, Dynamic: true}
	for _, one := range []*Type{&number, &hash, &list} {
		if !MayName(one) {
			t.Errorf("kind %d may not name", one.Kind)
		}
	}
	for _, one := range []*Type{&flag, &account, &text} {
		if MayName(one) {
			t.Errorf("kind %d may name", one.Kind)
		}
	}
	word := uint256.NewInt(7)
	if !Names(&Value{Elems: []Value{{}, {Word: *word}}}, &list, word) || Names(&Value{Elems: []Value{{}}}, &list, word) || !Names(&Value{Word: *word}, &number, word) {
		t.Error("not found, or found where it is not")
	}
}
