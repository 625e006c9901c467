package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestWeigh: energy is adjusted only when no target is left, and by what lies after
// the last branch that has a side which nothing has taken.
func TestWeigh(t *testing.T) {
	w, p := solver(t, "units/nested.sol")
	program := p.table.Program(p.table.Contracts()[0].Runtime.ID)
	dangers := findDangers([]*bytecode.Program{program}, nil)
	if len(dangers[program.ID]) == 0 {
		t.Fatal("no dangerous block, although there is a call")
	}
	w.weights.ahead = newSteering(p.table, new(lookahead.Library), dangers, 0, conservativeCalls)
	weigh := func(call string, left int) Energy {
		seq := parse(t, p.space, call)
		exec, err := w.machine.Run(p.space.Encode(seq, nil))
		if err != nil {
			t.Fatal(err)
		}
		return w.weights.weigh(&task{energy: 100, left: left}, w.newPoint(seq, exec), exec)
	}
	safe := weigh("user1 Nested.f(uint256,uint256,uint256,uint8[]) args (100, 7, 3, [1, 2])", 0)
	dangerous := weigh("user1 Nested.send(uint256,uint256) args (100, 7)", 0)
	shallow := weigh("user1 Nested.send(uint256,uint256) args (1, 7)", 0)
	if safe <= 100 || shallow <= safe || dangerous <= shallow {
		t.Errorf("nested %d, dangerous %d, both %d", safe, shallow, dangerous)
	}
	if got := weigh("user1 Nested.send(uint256,uint256) args (100, 7)", 1); got != 100 {
		t.Errorf("with a target left: %d", got)
	}
}
