package fuzzer

import (
	"cmp"
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// entries are the targets that the blocks of a program enter.
type entries struct {
	targets []int32 // their indices, by block
	first   []int32 // by block: of its targets in targets; those of the next end them
}

// of are the targets that a block enters.
func (e *entries) of(b bytecode.BlockID) []int32 { return e.targets[e.first[b]:e.first[b+1]] }

// has reports whether a block enters targets.
func (e *entries) has(b bytecode.BlockID) bool {
	return e != nil && int(b)+1 < len(e.first) && e.first[b] < e.first[b+1]
}

// findEntries lists the blocks that enter targets. All workers share it.
func findEntries(table *bytecode.Table, targets []bytecode.Target) map[bytecode.CodeID]*entries {
	type enters struct {
		block  bytecode.BlockID
		target int32
	}
	found := map[*bytecode.Program][]enters{}
	for i, target := range targets {
		for _, entry := range target.Entries {
			p, block, ok := blockAt(table, entry)
			if !ok {
				continue
			}
			found[p] = append(found[p], enters{block, int32(i)})
		}
	}
	index := map[bytecode.CodeID]*entries{}
	for p, in := range found {
		slices.SortStableFunc(in, func(a, b enters) int { return cmp.Compare(a.block, b.block) })
		e := &entries{first: make([]int32, len(p.Blocks)+1)}
		for _, at := range in {
			e.targets = append(e.targets, at.target)
			e.first[at.block+1] = int32(len(e.targets))
		}
		for b := range p.Blocks {
			e.first[b+1] = max(e.first[b], e.first[b+1])
		}
		index[p.ID] = e
	}
	return index
}

// blockAt is the block that starts at a location, and its program; false: there is none, or the code is not known.
func blockAt(table *bytecode.Table, at bytecode.Location) (p *bytecode.Program, block bytecode.BlockID, ok bool) {
	if p = table.Program(at.Code); p == nil {
		return nil, 0, false
	}
	block, ok = p.StartsAt(uint64(at.PC))
	return p, block, ok
}
