package input

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

var testTypes = []Type{
	{Kind: Uint, Bits: 8}, {Kind: Uint, Bits: 24}, {Kind: Uint, Bits: 96}, {Kind: Uint, Bits: 256},
	{Kind: Int, Bits: 8}, {Kind: Int, Bits: 128}, {Kind: Int, Bits: 256}, {Kind: Address, Bits: 160}, {Kind: Bool, Bits: 1},
	{Kind: FixedBytes, Bits: 8}, {Kind: FixedBytes, Bits: 32}, {Kind: FixedBytes, Bits: 256},
}

func observation(words ...uint64) *evm.Execution {
	var f evm.Frame
	for _, w := range words {
		f.Comparisons = append(f.Comparisons, evm.Comparison{Left: *uint256.NewInt(w), Right: *uint256.NewInt(w + 1)})
		f.Storage = append(f.Storage, evm.StorageAccess{Value: *uint256.NewInt(w * 3)})
	}
	output := uint256.NewInt(0x7777777).Bytes32()
	return &evm.Execution{Frames: []evm.Frame{f}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}, Output: output[:]}}}
}

func TestSamplesFit(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(30)
	e := observation()
	for range 500 {
		e.Frames[0].Comparisons = append(e.Frames[0].Comparisons, evm.Comparison{Left: randomWord(r, 256), Right: randomOf(r, &testTypes[6])})
	}
	m.dictionary.Observe(e)
	for i := range testTypes {
		typ := &testTypes[i]
		hits := 0
		for range 2_000 {
			if w, ok := m.dictionary.Sample(r, typ); ok {
				hits++
				if !typ.Fits(&w) {
					t.Fatalf("%v: the sample %s does not fit", typ, w.Hex())
				}
			}
		}
		if typ.Kind != Bool && hits < 200 {
			t.Errorf("kind %d of %d bits: only %d of 2000 samples", typ.Kind, typ.Bits, hits)
		}
	}
}

func TestDictionaryHoldsConstantsAndObservations(t *testing.T) {
	m := testMutator(t, false)
	d := m.dictionary
	r := testRand(31)
	sampled := func(d *Dictionary, typ *Type) map[uint64]int {
		out := map[uint64]int{}
		for range 5_000 {
			if w, ok := d.Sample(r, typ); ok {
				if typ.Kind == FixedBytes {
					w.Rsh(&w, uint(256-typ.Bits))
				}
				out[w.Uint64()]++
			}
		}
		return out
	}
	got := sampled(d, &testTypes[3])
	for _, want := range []uint64{1234567, 1234566, 1234568, 0xdeadbeef, 9} {
		if got[want] == 0 {
			t.Errorf("%d is never sampled", want)
		}
	}
	if got[9]*3 > got[1234567] {
		t.Errorf("the jump destination 9 is sampled %d times, 1234567 %d times", got[9], got[1234567])
	}
	if sampled(d, &testTypes[10])[0xdeadbeef] == 0 {
		t.Error("0xdeadbeef is never sampled as bytes4")
	}

	d.Observe(observation(5000, 6000))
	got = sampled(d, &testTypes[3])
	for _, want := range []uint64{5000, 5001, 6000, 15000, 18000, 0x7777777} {
		if got[want] == 0 {
			t.Errorf("observed %d is never sampled", want)
		}
	}
}

// TestDictionaryHoldsAffixes: short texts at the left of their words are numbers as well; longer ones and selectors are not.
func TestDictionaryHoldsAffixes(t *testing.T) {
	push := func(text string) []byte { return append([]byte{0x7f}, common.RightPadBytes([]byte(text), 32)...) }
	c := testContract(t, "Affixes", "[]", slices.Concat(push("AB"), push("four"), push("insufficient")))
	table := bytecode.NewTable([]*bytecode.Contract{c})
	d := newConstants([]*bytecode.Program{table.Program(table.Contracts()[0].Runtime.ID)})
	held := func(text string) bool {
		return slices.ContainsFunc(d.plain[:], func(words []uint256.Int) bool {
			return slices.Contains(words, *new(uint256.Int).SetBytes([]byte(text)))
		})
	}
	if !held("AB") || held("four") || held("insufficient") {
		t.Errorf("AB: %v, four: %v, insufficient: %v", held("AB"), held("four"), held("insufficient"))
	}
}

func TestDictionaryIsBounded(t *testing.T) {
	d := NewDictionary(nil)
	r := testRand(32)
	for range 20_000 {
		w := randomWord(r, 256)
		d.learned[operands].add(&w)
		d.learned[operands].add(&w)
	}
	table := &d.learned[operands]
	for class := range classes {
		seen := map[uint256.Int]bool{}
		for _, place := range table.places[class][:table.used[class]] {
			w := table.values[class][place]
			if seen[w] || classOf(&w) != class {
				t.Fatalf("class %d holds %s twice or wrongly", class, w.Hex())
			}
			seen[w] = true
		}
		if class > 0 && len(seen) != tableSize {
			t.Errorf("class %d holds %d values", class, len(seen))
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	d := NewDictionary(nil)
	e := observation(1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000)
	for b.Loop() {
		d.Observe(e)
	}
}
