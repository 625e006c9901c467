package lookahead

import (
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// prefixTree keeps an Analyzer's answers about paths of one kind, static or not: a tree
// of their prefixes. Where another path shares a prefix, its split points there have the
// same answers; and where it begins with a whole proved prefix, that is its
// no-target-ahead prefix, too. Most new paths do, since mutants share the prefixes of a
// few seeds.
//
// Goals come and go. So the answer of a split point names the goal that is ahead of it,
// and holds as long as that is a goal; a proof holds until goals are added (see [goals]).
type prefixTree struct {
	nodes  []prefixNode // the first is the root, which has no blocks
	points []point      // of the current path, see Analyzer.lookUp
	epoch  uint32       // of the Workspace when nodes were empty
}

// prefixNode is where prefixes diverge, or where one ends.
type prefixNode struct {
	blocks         bytecode.Path // from where the parent ends
	points         []point       // all split points among them
	child, sibling int32         // the first child, and the next of the same parent; 0: none
	proof          *proof        // of the prefix that ends here; nil: none
}

// point is a split point of a path.
type point struct {
	index        int              // in the path
	instructions int              // of the path up to here, the block's own included
	reason       Reason           // why a target may be ahead; NoTargetAhead: not known
	goal         bytecode.BlockID // that is ahead, when reason is TargetAhead or CallAhead
}

// proof is a no-target-ahead prefix.
type proof struct {
	prefix int          // its length
	points []SplitPoint // along it
	grown  uint32       // goals.grown then
	// result is that of frames that make no call along it; its ID is zero until the
	// first such frame.
	result Result
}

// maxTreeBytes bounds the trees of a Workspace's Analyzers, in bytes: as much as the
// Workspace keeps of answers. A campaign of a minute keeps a few hundred kilobytes.
const maxTreeBytes = 4 << 20

// Approximate sizes of the parts of a tree.
const (
	nodeBytes  = 256 // with its proof
	pointBytes = 48  // with its SplitPoint
	blockBytes = 4
)

// treeOf returns the tree for frames that are static, or not; emptied when the
// Workspace's trees had become too large.
func (a *Analyzer) treeOf(static bool) *prefixTree {
	t := &a.trees[0]
	if static {
		t = &a.trees[1]
	}
	if t.epoch != a.w.epoch || t.nodes == nil {
		t.epoch = a.w.epoch
		clear(t.nodes)
		t.nodes = append(t.nodes[:0], prefixNode{})
	}
	return t
}

// next is the child of a node with which a path continues, and the number of blocks
// that both share; 0 when there is none.
func (t *prefixTree) next(n int32, path bytecode.Path) (child int32, same int) {
	if len(path) == 0 {
		return 0, 0
	}
	for child = t.nodes[n].child; child != 0; child = t.nodes[child].sibling {
		blocks := t.nodes[child].blocks
		if blocks[0] != path[0] {
			continue
		}
		return child, shared(blocks, path)
	}
	return 0, 0
}

// shared is the length of the longest common prefix of two paths.
func shared(p, q bytecode.Path) int {
	const chunk = 8 // compared at once: loops make paths of thousands of blocks
	n, i := min(len(p), len(q)), 0
	for i+chunk <= n && [chunk]bytecode.BlockID(p[i:i+chunk]) == [chunk]bytecode.BlockID(q[i:i+chunk]) {
		i += chunk
	}
	for i < n && p[i] == q[i] {
		i++
	}
	return i
}

// lookUp looks up a frame's path: the proof that answers for it, or nil. Then the tree's
// points are the split points that the path begins with, up to the last one that is
// known to have a goal ahead.
func (a *Analyzer) lookUp(t *prefixTree, f *Frame, g *goals) *proof {
	t.points = t.points[:0]
	for n, depth := int32(0), 0; ; {
		child, same := t.next(n, f.Path[depth:])
		if same == 0 {
			break
		}
		depth += same
		node := &t.nodes[child]
		for i := 0; i < len(node.points) && node.points[i].index < depth; i++ {
			t.points = append(t.points, node.points[i])
		}
		if same < len(node.blocks) {
			break
		}
		if p := node.proof; p != nil && p.grown == g.grown && (len(p.points) == 1 || a.stillAhead(f, &t.points[len(p.points)-2], g)) {
			return p
		}
		n = child
	}
	last := len(t.points)
	for last > 0 && !a.stillAhead(f, &t.points[last-1], g) {
		last--
	}
	t.points = t.points[:last]
	return nil
}

// stillAhead reports whether the known goal of a split point is still ahead.
func (a *Analyzer) stillAhead(f *Frame, p *point, g *goals) bool {
	switch p.reason {
	case NoTargetAhead:
		return false
	case TargetAhead, CallAhead:
		if b := f.Path[p.index]; b == p.goal { // only part of the block is ahead
			start := int64(a.code.blocks[b].start)
			_, ahead := a.aheadInBlock(b, start+1, start, f.Static, g)
			return ahead
		}
		return g.byBlock[p.goal].reason != NoTargetAhead
	}
	return true // the program does not change
}

// record stores the answer for a range of the current path's split points.
func (t *prefixTree) record(a *Analyzer, from, to int, answer Answer) {
	goal, _ := a.code.program.BlockOf(answer.PC)
	for i := from; i < to; i++ {
		t.points[i].reason, t.points[i].goal = answer.Reason, goal
	}
}

// insert puts a path into the tree, with its split points, and the proof that it ends
// with; p may be nil.
func (a *Analyzer) insert(t *prefixTree, path bytecode.Path, p *proof) {
	n, depth, from := int32(0), 0, 0 // from: the first of the points at or after depth
	for depth < len(path) {
		child, same := t.next(n, path[depth:])
		if same == 0 {
			n = t.add(n, path[depth:], t.points[from:])
			a.w.countTreeBytes(nodeBytes + blockBytes*(len(path)-depth) + pointBytes*(len(t.points)-from))
			break
		}
		if same < len(t.nodes[child].blocks) {
			t.split(child, same, depth+same)
			a.w.countTreeBytes(nodeBytes)
		}
		from += copy(t.nodes[child].points, t.points[from:])
		n, depth = child, depth+same
	}
	t.nodes[n].proof = p
}

// add makes a node with blocks and points.
func (t *prefixTree) add(parent int32, blocks bytecode.Path, points []point) int32 {
	n := int32(len(t.nodes)) // fewer than maxTreeBytes
	t.nodes = append(t.nodes, prefixNode{blocks: slices.Clone(blocks), points: slices.Clone(points), sibling: t.nodes[parent].child})
	t.nodes[parent].child = n
	return n
}

// split cuts a node after some of its blocks, the last of which is the path's at
// depth-1.
func (t *prefixTree) split(n int32, blocks, depth int) {
	rest := t.nodes[n]
	points := 0
	for points < len(rest.points) && rest.points[points].index < depth {
		points++
	}
	first := &t.nodes[n]
	first.blocks, first.points = rest.blocks[:blocks:blocks], rest.points[:points:points]
	first.proof = nil
	rest.blocks, rest.points, rest.sibling = rest.blocks[blocks:], rest.points[points:], 0
	first.child = int32(len(t.nodes))
	t.nodes = append(t.nodes, rest)
}

// countTreeBytes counts the memory of trees. When it is too much, all are emptied:
// paths that still matter will soon be inserted again.
func (w *Workspace) countTreeBytes(bytes int) {
	if w.treeBytes += bytes; w.treeBytes > maxTreeBytes {
		w.treeBytes = 0
		w.epoch++
	}
}
