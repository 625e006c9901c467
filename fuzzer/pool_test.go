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

// TestPoolShares: seeds that are kept apart get their share of the executions, however much energy each has, or all of them if there are
// no other seeds.
func TestPoolShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := newSuite()
	s.pool.add(&Seed{Apart: true})
	if !s.pool.pick(r, false).Apart {
		t.Error("another one is picked than there is")
	}
	plain := &Seed{}
	s.pool.add(plain)
	apart := uint64(0)
	for range 4000 {
		seed, executions := s.pool.pick(r, s.turnOfApart()), uint64(1)
		if seed.Apart {
			executions = 64
			apart += executions
		}
		s.spend(&task{seed: seed, source: fromChanging}, executions, 0)
		s.spend(&task{seed: seed, source: fromFrontier}, 1000, 0) // others' choice
	}
	if share := float64(apart) / float64(s.apart.all); share < 0.12 || share > 0.13 || s.apart.all == apart {
		t.Errorf("%d of %d executions", apart, s.apart.all)
	}
	for range 8 {
		s.pool.add(&Seed{Apart: true})
	}
	if !s.pool.hasRoom(plain, 12) || s.pool.hasRoom(&Seed{Apart: true}, 12) {
		t.Error("a quarter of the room is theirs")
	}
}
