package fuzzer

import (
	"math/bits"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// targetsAhead are the blocks of a path at which a target was still ahead: only another
// way out of one of them can lead to a target (lookahead §3, "flipping a branch in a
// suffix path can never lead to a target location"). A campaign keeps about ten
// thousand of them, of a few programs each.
type targetsAhead []aheadIn

// aheadIn is one program's part.
type aheadIn struct {
	code   bytecode.CodeID
	blocks blockSet
}

// blockSet is a set of a program's blocks, a bit for each.
type blockSet []uint64

func (s blockSet) has(b bytecode.BlockID) bool { return int(b/64) < len(s) && s[b/64]>>(b%64)&1 == 1 }

func (s blockSet) add(b bytecode.BlockID)    { s[b/64] |= 1 << (b % 64) }
func (s blockSet) remove(b bytecode.BlockID) { s[b/64] &^= 1 << (b % 64) }

// blocks lists the set, in ascending order.
func (s blockSet) blocks() []bytecode.BlockID {
	var list []bytecode.BlockID
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			list = append(list, bytecode.BlockID(64*i+bits.TrailingZeros64(word)))
		}
	}
	return list
}

// in is the part of a program; empty for a path that was not analyzed.
func (a targetsAhead) in(code bytecode.CodeID) blockSet {
	for i := range a {
		if a[i].code == code {
			return a[i].blocks
		}
	}
	return nil
}

func newTargetsAhead(points []lookahead.SplitPoint) targetsAhead {
	var a targetsAhead
	for first, p := range points {
		if a.in(p.Code) != nil {
			continue
		}
		highest := p.Block
		for _, q := range points[first:] {
			if q.Code == p.Code {
				highest = max(highest, q.Block)
			}
		}
		set := make(blockSet, highest/64+1)
		for _, q := range points[first:] {
			if q.Code == p.Code {
				set.add(q.Block)
			}
		}
		a = append(a, aheadIn{p.Code, set})
	}
	return a
}

// aheadCache keeps the targets ahead of the paths that a worker ran. Paths that share
// their LID share them.
type aheadCache struct {
	byPath map[bytecode.PathID]int32 // indices in ahead
	byLID  map[lookahead.ID]int32    // likewise
	ahead  []targetsAhead
}

func (m *aheadCache) put(pid bytecode.PathID, r *lookahead.Result) {
	if m.byPath == nil || len(m.byPath) >= maxRecentPaths { // the bound of what else is kept of paths
		*m = aheadCache{byPath: map[bytecode.PathID]int32{}, byLID: map[lookahead.ID]int32{}}
	}
	n, known := m.byLID[r.ID]
	if !known {
		n = int32(len(m.ahead)) // at most maxRecentPaths
		m.ahead = append(m.ahead, newTargetsAhead(r.Ahead))
		m.byLID[r.ID] = n
	}
	m.byPath[pid] = n
}

// get returns the targets ahead of a path; none for one that is not kept.
func (m *aheadCache) get(pid bytecode.PathID) targetsAhead {
	if n, known := m.byPath[pid]; known {
		return m.ahead[n]
	}
	return nil
}
