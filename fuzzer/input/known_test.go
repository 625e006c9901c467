package input

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
)

// TestKnown: structs and words of calls that the World's makers made are used again, and what
// no instance understands is left out.
func TestKnown(t *testing.T) {
	terms := abi.MustParse("(address,uint256)")
	whole := abi.MustParse("((address,uint256))")[0]
	value := Value{Elems: []Value{{Word: *uint256.NewInt(0xBEEF00)}, {Word: *uint256.NewInt(86_000)}}}
	k := known{structs: map[string][]Value{}}
	k.add(&whole, &value)
	k.add(&whole, &value)
	k.add(&terms[1], &value.Elems[1])
	if len(k.structs[whole.String()]) != 1 || !slices.Equal(k.words, []uint256.Int{value.Elems[0].Word, value.Elems[1].Word}) {
		t.Fatalf("known: %+v", k)
	}
	r := rand.New(rand.NewPCG(1, 0))
	used := 0
	const draws = 1_000
	for range draws {
		if v, ok := k.sample(r, &whole); ok && v.Elems[1].Word == value.Elems[1].Word {
			used++
		}
	}
	if used < draws/2 || used == draws {
		t.Errorf("%d of %d structs are known ones", used, draws)
	}
	d := NewDictionary(nil)
	d.Know(k.words)
	found := false
	for range draws {
		w, ok := d.Sample(r, &terms[0])
		found = found || ok && w == k.words[0]
	}
	if !found {
		t.Error("the dictionary does not have a known address")
	}
	world := testWorld(t)
	s, err := NewSpace(world, SpaceOptions{Uses: []evm.Call{{To: world.Instances[0].Address, Data: []byte{1, 2, 3}}}})
	if err != nil || len(s.KnownWords()) > 0 {
		t.Errorf("known: %v, %v", s.KnownWords(), err)
	}
}
