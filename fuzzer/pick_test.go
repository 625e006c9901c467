package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestConstructorsGetLessEnergy: a constructor that takes so many times as long as the mean has that much less energy, and never none; a
// function has what it is given.
func TestConstructorsGetLessEnergy(t *testing.T) {
	var c Campaign
	c.ration.lastWork, c.result.Stats.Executions = 100*(overheadWork+1000), 100
	for _, test := range []struct {
		kind     input.FunctionKind
		lastWork uint64
		energy   Energy
		want     Energy
	}{
		{input.Constructor, 0, 64, 64},
		{input.Constructor, 1000, 64, 64},
		{input.Constructor, overheadWork + 2000, 64, 32},
		{input.Constructor, 7*overheadWork + 8000, 64, 8},
		{input.Constructor, 7*overheadWork + 8000, 2, 1},
		{input.Constructor, 1 << 40, 1024, 1},
		{input.Method, 7*overheadWork + 8000, 64, 64},
	} {
		seed := &Seed{lastWork: test.lastWork}
		seed.Calls = input.Pack(input.Sequence{{Function: &input.Function{Kind: test.kind}}}, nil)
		if got := c.constructorEnergy(seed, test.energy); got != test.want {
			t.Errorf("%v, work %d: energy %d of %d, want %d", test.kind, test.lastWork, got, test.energy, test.want)
		}
	}
}
