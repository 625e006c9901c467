package lookahead

import (
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// graph is the control flow of every frame that runs a program: the fixed point
// from pc 0 with an unknown world, without its states. Its nodes are what states
// are kept apart by (block, height, labels), so it is context-sensitive: a
// function's end leads back only to the places that call it.
//
// It is what questions are answered from first. Every execution of a suffix
// follows edges of the graph from the node of its split point; if no goal is
// ahead there, none is in any execution.
//
// That holds for executions that the fixed point knows of. One that came out of
// an opaque node may arrive at a node of the graph with words that the node's
// edges do not allow for. So where there are opaque nodes, the states are kept,
// and the graph answers only for states below them.
type graph struct {
	nodes   []graphNode
	states  []state // of the nodes; nil when there are no exits
	table   nodeTable
	exits   []opaque // the opaque nodes
	reached []bool   // by block
	steps   int
}

type graphNode struct {
	block        bytecode.BlockID
	height       int
	labels       []label
	predecessors []int32
}

// label is a place of the stack and the label there.
type label struct {
	at    int
	value Value
}

// opaque is an exit of the graph: a node from which control goes to places that the analysis does not
// know.
type opaque struct {
	node   int32
	pc     uint32
	reason Reason
}

// graphBuilder is the visitor that records nodes and edges.
type graphBuilder struct {
	engine     *engine
	hashes     []uint64
	successors [][]int32
	exits      []opaque
}

// admit takes every node; blocks are visited in code order, which is mostly the
// order of control.
func (g *graphBuilder) admit(n int32, hash uint64) (uint32, bool) {
	if int(n) == len(g.hashes) {
		g.hashes = append(g.hashes, hash)
		g.successors = append(g.successors, nil)
	}
	return uint32(g.engine.nodes[n].block), true
}

func (g *graphBuilder) edge(from, to int32) bool {
	if !slices.Contains(g.successors[from], to) {
		g.successors[from] = append(g.successors[from], to)
	}
	return true
}

// opaque notes the node once.
func (g *graphBuilder) opaque(from int32, pc uint32, reason Reason) bool {
	if !g.isOpaque(from) {
		g.exits = append(g.exits, opaque{from, pc, reason})
	}
	return reason != Exhausted
}

func (g *graphBuilder) isOpaque(node int32) bool {
	return slices.ContainsFunc(g.exits, func(o opaque) bool { return o.node == node })
}

// newGraph computes the graph with a budget of steps. When that is exhausted,
// every node that was still to be visited is opaque.
func newGraph(c *code, v *values, budget int) *graph {
	g := &graph{reached: make([]bool, len(c.blocks))}
	g.table.reset()
	if len(c.blocks) == 0 {
		return g
	}
	e := newEngine(c, v)
	b := &graphBuilder{engine: e}
	e.start(false, budget)
	start := entry()
	e.enter(0, &start, b)
	e.run(b)
	g.steps = e.steps
	for i := range e.nodes {
		n := &e.nodes[i]
		g.add(n, b.hashes[i])
		if n.queued {
			b.opaque(int32(i), c.blocks[n.block].start, Exhausted)
		}
	}
	if g.exits = b.exits; len(g.exits) > 0 {
		for i := range e.nodes {
			g.states = append(g.states, e.nodes[i].state)
		}
		v.fix()
	}
	for from, successors := range b.successors {
		for _, to := range successors {
			g.nodes[to].predecessors = append(g.nodes[to].predecessors, int32(from))
		}
	}
	return g
}

func (g *graph) add(n *node, hash uint64) {
	kept := graphNode{block: n.block, height: n.state.height}
	for i := range n.state.height {
		if v := n.state.stack(i); v.isLabel() {
			kept.labels = append(kept.labels, label{i, v})
		}
	}
	g.table.insert(hash, int32(len(g.nodes)))
	g.nodes = append(g.nodes, kept)
	g.reached[n.block] = true
}

// find is the node with the key of a state in a block; −1 when there is none,
// which only an opaque node can be the cause of.
func (g *graph) find(b bytecode.BlockID, s *state, hash uint64) int32 {
	for slot := g.table.first(hash); slot.node >= 0; slot = g.table.next(slot) {
		if slot.hash == hash && g.nodes[slot.node].has(b, s) {
			return slot.node
		}
	}
	return -1
}

// covers tells whether all executions from a state in a block follow the graph,
// up to an opaque node, and from which of its nodes.
func (g *graph) covers(v *values, b bytecode.BlockID, s *state) (node int32, ok bool) {
	node = g.find(b, s, s.keyHash(b))
	return node, node >= 0 && (len(g.exits) == 0 || v.below(s, &g.states[node]))
}

func (n *graphNode) has(b bytecode.BlockID, s *state) bool {
	if n.block != b || n.height != s.height {
		return false
	}
	next := 0
	for i := range s.height {
		v := s.stack(i)
		if !v.isLabel() {
			continue
		}
		if next == len(n.labels) || n.labels[next] != (label{i, v}) {
			return false
		}
		next++
	}
	return next == len(n.labels)
}

// unreachable is the distance of nodes from which no goal can be reached.
const unreachable = ^uint32(0)

// distances gives for each node the least number of blocks to a goal: a block
// for which goal holds, or an opaque node.
func (g *graph) distances(goal func(bytecode.BlockID) bool) []uint32 {
	distance := make([]uint32, len(g.nodes))
	var next []int32
	for i := range g.nodes {
		distance[i] = unreachable
		if goal(g.nodes[i].block) {
			distance[i] = 0
			next = append(next, int32(i))
		}
	}
	for _, o := range g.exits {
		if distance[o.node] != 0 {
			distance[o.node] = 0
			next = append(next, o.node)
		}
	}
	for len(next) > 0 {
		n := next[0]
		next = next[1:]
		for _, p := range g.nodes[n].predecessors {
			if distance[p] == unreachable {
				distance[p] = distance[n] + 1
				next = append(next, p)
			}
		}
	}
	return distance
}
