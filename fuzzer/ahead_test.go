package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

func TestBlockSets(t *testing.T) {
	a := newTargetsAhead([]lookahead.SplitPoint{{Code: 1, Block: 0}, {Code: 1, Block: 70}, {Code: 2, Block: 3}})
	for _, test := range []struct {
		code  bytecode.CodeID
		block bytecode.BlockID
		want  bool
	}{{1, 0, true}, {1, 70, true}, {1, 6, false}, {1, 1000, false}, {2, 3, true}, {2, 0, false}, {3, 0, false}} {
		if got := a.in(test.code).has(test.block); got != test.want {
			t.Errorf("block %d of %d: %v", test.block, test.code, got)
		}
	}
	var none targetsAhead
	if none.in(1).has(0) {
		t.Error("the path was not analyzed, and a block is ahead")
	}
}

// TestChanges: places that change state are open until a call that succeeded came
// to them; programs that are called by those known are taken in.
func TestChanges(t *testing.T) {
	p := open(t, "units/maze.sol")
	target := p.targets[0].Entries[0]
	c := newChanges(p.table, map[bytecode.CodeID][]goal{target.Code: {{}}})
	blocks := c.blocks(target.Code)
	if len(blocks) != 1 {
		t.Fatalf("%d places change state, want 1", len(blocks))
	}
	covered := func(kept bool) *evm.Execution {
		return &evm.Execution{Covered: []evm.Coverage{{Code: target.Code, Block: blocks[0], Kept: kept}}}
	}
	if c.close(covered(false)) || !c.close(covered(true)) || c.close(covered(true)) || len(c.blocks(target.Code)) != 0 {
		t.Error("a place is closed when a call that succeeded comes to it, once")
	}
	other := &bytecode.Program{ID: 1 << 20}
	if !c.connect(p.table.Program(target.Code), other) || c.connect(p.table.Program(target.Code), other) || c.connect(&bytecode.Program{ID: 77}, &bytecode.Program{ID: 78}) {
		t.Error("a program is taken in when one that is known calls it, once")
	}
	var none *changes
	if none.close(covered(true)) || none.connect(other, other) || none.blocks(1) != nil {
		t.Error("no places are wanted, and some are there")
	}
}
