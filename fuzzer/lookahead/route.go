package lookahead

import (
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Routes follow the paths of frames through a program's control-flow graph. Used by one
// goroutine.
type Routes struct {
	facts      *Facts
	successors [][]int32     // by node
	nodes      []int32       // of the latest path
	last       map[int32]int // indices in nodes
}

// NewRoutes prepares to follow paths of a program.
func NewRoutes(f *Facts) *Routes {
	g := f.graph()
	r := &Routes{facts: f, successors: make([][]int32, len(g.blocks)), last: map[int32]int{}}
	for n := range g.blocks {
		for _, p := range g.predecessors[g.predecessorsOf[n]:g.predecessorsOf[n+1]] {
			r.successors[p] = append(r.successors[p], int32(n))
		}
	}
	return r
}

// Distances are the numbers of blocks from each node of the graph to the nearest of the
// goals, or to a place that the graph does not know.
type Distances []uint32

// To are the distances to blocks.
func (r *Routes) To(goals []bytecode.BlockID) Distances {
	wanted := make(map[bytecode.BlockID]bool, len(goals))
	for _, b := range goals {
		wanted[b] = true
	}
	distances, _ := r.facts.graph().distances(nil, nil, func(b bytecode.BlockID) bool { return wanted[b] })
	return distances
}

// Follow finds the nodes of a path, for Leave. The graph keeps calls of a function apart, so
// that a path has one node for each block, as far as the graph knows where jumps lead.
func (r *Routes) Follow(path bytecode.Path) {
	g := r.facts.graph()
	r.nodes = r.nodes[:0]
	clear(r.last)
	if len(path) == 0 || len(g.blocks) == 0 || g.blocks[0] != path[0] {
		return
	}
	r.nodes = append(r.nodes, 0) // control starts at the first node
	r.last[0] = 0
	for _, b := range path[1:] {
		found := int32(-1)
		for _, n := range r.successors[r.nodes[len(r.nodes)-1]] {
			if g.blocks[n] == b {
				found = n
				break
			}
		}
		if found < 0 {
			return
		}
		r.last[found] = len(r.nodes)
		r.nodes = append(r.nodes, found)
	}
}

// Leave is where the followed path leaves the way to the goals for good: the index of the
// last block from which one is ahead, and its distance from there. Where a loop ends, a goal in its
// body is ahead by another round: then it is where the last round came nearest. False when none is
// ahead at the path's beginning.
func (r *Routes) Leave(to Distances) (at int, distance uint32, ok bool) {
	for at = len(r.nodes) - 1; at >= 0; at-- {
		if distance = to[r.nodes[at]]; distance != unreachable {
			break
		}
	}
	if at < 0 {
		return 0, 0, false
	}
	for n, round := r.nodes[at], uint32(0); round < mostRound && to[n] > 0; round++ {
		if n, ok = r.nearer(to, n); !ok {
			break
		}
		if before, passed := r.last[n]; passed {
			at, distance = before, to[n]
		}
	}
	return at, distance, true
}

// mostRound bounds the blocks of another round of a loop that are looked at. Arbitrary: more than the body of a
// loop has in a source.
const mostRound = 256

// nearer is the next node on a shortest way to the goals; false where there is none.
func (r *Routes) nearer(to Distances, n int32) (int32, bool) {
	i := slices.IndexFunc(r.successors[n], func(s int32) bool { return to[s] < to[n] }) // all that are nearer are as near
	if i < 0 {
		return 0, false
	}
	return r.successors[n][i], true
}

// Forks are the indices of the followed path's blocks, up to that at an index, from which
// control could have left the way to the goals.
func (r *Routes) Forks(to Distances, at int) []int {
	forks := []int{}
	for i := 0; i < at && i+1 < len(r.nodes); i++ {
		if to[r.nodes[i+1]] != unreachable && r.leaves(to, r.nodes[i]) {
			forks = append(forks, i)
		}
	}
	return forks
}

// Ahead are the blocks on a shortest way to the goals from the block at an index of the followed
// path, without that: at most so many. forks says of each whether control could leave the way
// there.
func (r *Routes) Ahead(to Distances, at, most int) (blocks []bytecode.BlockID, forks []bool) {
	for n := r.nodes[at]; len(blocks) < most; {
		var ok bool
		if n, ok = r.nearer(to, n); !ok {
			break
		}
		blocks, forks = append(blocks, r.facts.graph().blocks[n]), append(forks, r.leaves(to, n))
	}
	return blocks, forks
}

// leaves reports whether a node has a successor from which no goal is ahead.
func (r *Routes) leaves(to Distances, n int32) bool {
	return slices.ContainsFunc(r.successors[n], func(s int32) bool { return to[s] == unreachable })
}
