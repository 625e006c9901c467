package input

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// TestLikely: an address is mostly one of those that a parameter means, and any in the other cases; others are as before.
func TestLikely(t *testing.T) {
	world := testWorld(t)
	vault, meant := world.Instances[0].Contract, []common.Address{account(18), account(17)}
	const mixed = "mixed(int24,bool,bytes4,bytes,string,uint8[],bytes32[3],(uint256,string[2],(address,int256))[])"
	s, err := NewSpace(world, SpaceOptions{Likely: []Likely{
		{vault, "withdraw(uint96,address)", 1, meant},
		{vault, "withdraw(uint96,address)", 0, meant}, // no address
		{vault, mixed, 9, meant[:1]},
		{vault, "gone(address)", 0, meant},
	}})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMutator(s, NewDictionary(nil), Options{SeqLen: 2})
	r := rand.New(rand.NewPCG(1, 0))
	const draws = 1_000
	for _, test := range []struct {
		signature  string
		leaf       int
		isExpected bool
	}{{"withdraw(uint96,address)", 1, true}, {mixed, 9, true}, {"balanceOf(address)", 0, false}} {
		var leaf *Type
		for _, f := range s.Instances[1].Functions { // they share them
			n := 0
			eachLeaf(f.Inputs, func(typ *Type) {
				if f.Signature == test.signature && n == test.leaf {
					leaf = typ
				}
				n++
			})
		}
		if leaf == nil || leaf.Kind != Address {
			t.Fatalf("%s has no address at %d", test.signature, test.leaf)
		}
		hits := 0
		for range draws {
			if x := m.generateWord(r, leaf); common.Address(x.Bytes20()) == meant[0] {
				hits++
			}
		}
		if expected := hits > draws/4; expected != test.isExpected || hits == 0 || hits == draws {
			t.Errorf("%s: %d of %d", test.signature, hits, draws)
		}
	}
}
