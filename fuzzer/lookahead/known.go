package lookahead

import (
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// known is what an Analyzer has found of paths of one kind, static or not: a tree of
// their prefixes. As far as another path goes along one of them, a target may be
// ahead there, too; and where it goes along a proved prefix to its end, that is the
// other's as well. Most new paths do: they are mutants' of a few seeds.
//
// Goals come and go. So what is known of a split point names the goal that was seen
// from there, and holds as long as it is one; a proof holds until there are more
// goals (see [goals]).
type known struct {
	nodes  []knownNode // the first is the root, with no blocks of its own
	points []point     // of the path under way, see Analyzer.recall
	epoch  uint32      // of the Workspace when nodes were empty
}

// knownNode is where prefixes part, or where one ends.
type knownNode struct {
	blocks         bytecode.Path // from where the parent ends
	points         []point       // all split points among them
	child, sibling int32         // the first child, and the next of the same parent; 0: none
	proof          *proof        // of the prefix that ends here; nil: none
}

// point is a split point of a path.
type point struct {
	index        int              // in the path
	instructions int              // on the path, with the block's own
	reason       Reason           // why a target may be ahead; NoTargetAhead: not known
	goal         bytecode.BlockID // the one seen, when reason is TargetAhead or CallAhead
}

// proof is a no-target-ahead prefix.
type proof struct {
	prefix int          // its length
	points []SplitPoint // along it
	grown  uint32       // of the goals then
	// result is that of frames that make no call along it; without an ID: no such
	// frame has come yet.
	result Result
}

// maxKnown bounds what the Analyzers of a Workspace keep in their trees, in bytes:
// as much as it keeps of answers. A campaign of a minute keeps some hundred
// kilobytes.
const maxKnown = 4 << 20

// Sizes, about, of what a tree is made of.
const (
	nodeBytes  = 256 // with its proof
	pointBytes = 48  // with its SplitPoint
	blockBytes = 4
)

// knownOf is the tree for frames that are static, or not; empty when what the
// Workspace keeps had become too much.
func (a *Analyzer) knownOf(static bool) *known {
	k := &a.known[0]
	if static {
		k = &a.known[1]
	}
	if k.epoch != a.w.epoch || k.nodes == nil {
		k.epoch = a.w.epoch
		clear(k.nodes)
		k.nodes = append(k.nodes[:0], knownNode{})
	}
	return k
}

// next is the child of a node that a path goes on to, and how many blocks both share;
// 0 when there is none.
func (k *known) next(n int32, path bytecode.Path) (child int32, same int) {
	if len(path) == 0 {
		return 0, 0
	}
	for child = k.nodes[n].child; child != 0; child = k.nodes[child].sibling {
		blocks := k.nodes[child].blocks
		if blocks[0] != path[0] {
			continue
		}
		return child, shared(blocks, path)
	}
	return 0, 0
}

// shared is the number of blocks that two paths begin with alike.
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

// recall looks up what is known of a frame's path: the proof that answers, or nil.
// Then the known points are those that the path begins with, up to the last one from
// which a goal is seen.
func (a *Analyzer) recall(k *known, f *Frame, g *goals) *proof {
	k.points = k.points[:0]
	for n, depth := int32(0), 0; ; {
		child, same := k.next(n, f.Path[depth:])
		if same == 0 {
			break
		}
		depth += same
		node := &k.nodes[child]
		for i := 0; i < len(node.points) && node.points[i].index < depth; i++ {
			k.points = append(k.points, node.points[i])
		}
		if same < len(node.blocks) {
			break
		}
		if p := node.proof; p != nil && p.grown == g.grown && (len(p.points) == 1 || a.sees(f, &k.points[len(p.points)-2], g)) {
			return p
		}
		n = child
	}
	last := len(k.points)
	for last > 0 && !a.sees(f, &k.points[last-1], g) {
		last--
	}
	k.points = k.points[:last]
	return nil
}

// sees reports whether what is known of a point still holds.
func (a *Analyzer) sees(f *Frame, p *point, g *goals) bool {
	switch p.reason {
	case NoTargetAhead:
		return false
	case TargetAhead, CallAhead:
		if b := f.Path[p.index]; b == p.goal { // what is ahead in the block itself is not all of it
			start := int64(a.code.blocks[b].start)
			_, ahead := a.inside(b, start+1, start, f.Static, g)
			return ahead
		}
		return g.ahead[p.goal].reason != NoTargetAhead
	}
	return true // the program does not change
}

// settled notes what may be ahead of the points of a path from one on.
func (k *known) settled(a *Analyzer, from, to int, answer Answer) {
	goal, _ := a.code.program.BlockOf(answer.PC)
	for i := from; i < to; i++ {
		k.points[i].reason, k.points[i].goal = answer.Reason, goal
	}
}

// keep puts a path into the tree, with its split points up to its end, and the proof
// that it ends with, if it does.
func (a *Analyzer) keep(k *known, path bytecode.Path, p *proof) {
	n, depth, from := int32(0), 0, 0 // from: the first of the points behind depth
	for depth < len(path) {
		child, same := k.next(n, path[depth:])
		if same == 0 {
			n = k.add(n, path[depth:], k.points[from:])
			a.w.keeps(nodeBytes + blockBytes*(len(path)-depth) + pointBytes*(len(k.points)-from))
			break
		}
		if same < len(k.nodes[child].blocks) {
			k.split(child, same, depth+same)
			a.w.keeps(nodeBytes)
		}
		from += copy(k.nodes[child].points, k.points[from:])
		n, depth = child, depth+same
	}
	k.nodes[n].proof = p
}

// add makes a node with blocks and points.
func (k *known) add(parent int32, blocks bytecode.Path, points []point) int32 {
	n := int32(len(k.nodes)) // at most maxKnown
	k.nodes = append(k.nodes, knownNode{blocks: slices.Clone(blocks), points: slices.Clone(points), sibling: k.nodes[parent].child})
	k.nodes[parent].child = n
	return n
}

// split cuts a node behind some of its blocks, the last of which is the path's at
// depth-1.
func (k *known) split(n int32, blocks, depth int) {
	rest := k.nodes[n]
	points := 0
	for points < len(rest.points) && rest.points[points].index < depth {
		points++
	}
	first := &k.nodes[n]
	first.blocks, first.points = rest.blocks[:blocks:blocks], rest.points[:points:points]
	first.proof = nil
	rest.blocks, rest.points, rest.sibling = rest.blocks[blocks:], rest.points[points:], 0
	first.child = int32(len(k.nodes))
	k.nodes = append(k.nodes, rest)
}

// keeps counts what trees take; when it is too much, all are emptied: what still
// matters is soon known again.
func (w *Workspace) keeps(bytes int) {
	if w.known += bytes; w.known > maxKnown {
		w.known = 0
		w.epoch++
	}
}
