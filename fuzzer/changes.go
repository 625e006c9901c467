package fuzzer

import (
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// changes are the instructions that change state and that no successful call has executed
// yet, in the programs that hold targets, call them or are called by them. They are goals
// like the targets: a target often needs a state that only another function makes, and an
// analysis of one call at a time would lead away from that function. Once executed, an
// instruction is no longer a goal; the entries that executed it stay, see splitByWrites.
type changes struct {
	open map[bytecode.CodeID]blockSet
}

// newChanges begins with the programs that hold targets.
func newChanges(table *bytecode.Table, goals map[bytecode.CodeID][]goal) *changes {
	c := &changes{open: map[bytecode.CodeID]blockSet{}}
	for id := range goals { // each by itself
		c.add(table.Program(id))
	}
	return c
}

func (c *changes) add(p *bytecode.Program) {
	open := make(blockSet, len(p.Blocks)/64+1)
	p.Instructions(func(pc uint32) bool {
		switch vm.OpCode(p.Bytes[pc]) {
		case vm.SSTORE, vm.CREATE, vm.CREATE2:
			if b, ok := p.BlockOf(pc); ok {
				open.add(b)
			}
		}
		return true
	})
	c.open[p.ID] = open
}

// connect adds a program that calls a known one or is called by it; it reports whether it
// was added.
func (c *changes) connect(caller, callee *bytecode.Program) bool {
	if c == nil || (c.open[caller.ID] == nil) == (c.open[callee.ID] == nil) {
		return false
	}
	for _, p := range []*bytecode.Program{caller, callee} {
		if c.open[p.ID] == nil {
			c.add(p)
		}
	}
	return true
}

// close removes the instructions that an execution executed in a successful call; it
// reports whether there were any.
func (c *changes) close(exec *evm.Execution) bool {
	if c == nil {
		return false
	}
	any, code, open := false, bytecode.NoCode, blockSet(nil)
	for i := range exec.Covered {
		at := &exec.Covered[i]
		if at.Code != code { // mostly the same as before
			code, open = at.Code, c.open[at.Code]
		}
		if at.Kept && open.has(at.Block) {
			open.remove(at.Block)
			any = true
		}
	}
	return any
}

// blocks lists the blocks of a program's remaining instructions.
func (c *changes) blocks(id bytecode.CodeID) []bytecode.BlockID {
	if c == nil {
		return nil
	}
	return c.open[id].blocks()
}
