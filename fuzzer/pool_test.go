package fuzzer

import (
	"math/rand/v2"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
)

// TestIsApart: what makes many paths of one function are scripts and arguments of constructors.
func TestIsApart(t *testing.T) {
	function, constructor := &input.Function{}, &input.Function{Kind: input.Constructor}
	args := make([]abi.Value, 1)
	plain := input.Call{Function: function, Args: args}
	for name, test := range map[string]struct {
		call input.Call
		want bool
	}{
		"a function":                   {plain, false},
		"with a script":                {input.Call{Function: function, Script: &input.Script{}}, true},
		"a constructor":                {input.Call{Function: constructor}, false},
		"a constructor with arguments": {input.Call{Function: constructor, Args: args}, true},
	} {
		for _, seq := range []input.Sequence{{test.call}, {test.call, plain}, {plain, test.call}} {
			if got := isApart(seq); got != test.want {
				t.Errorf("%s, %d calls: %t", name, len(seq), got)
			}
		}
	}
}

// TestPoolShares: seeds that are kept apart get a quarter of the picks, or all of them if there are no other seeds.
func TestPoolShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p pool
	for range 9 {
		p.add(&Seed{Apart: true})
	}
	if !p.pick(r).Apart {
		t.Error("another one is picked than there is")
	}
	plain := &Seed{}
	p.add(plain)
	apart := 0
	for range 4000 {
		if p.pick(r).Apart {
			apart++
		}
	}
	if apart < 900 || apart > 1100 { // four standard deviations
		t.Errorf("%d of 4,000 picks", apart)
	}
	if !p.hasRoom(plain, 12) || p.hasRoom(&Seed{Apart: true}, 12) {
		t.Error("a quarter of the room is theirs")
	}
}
