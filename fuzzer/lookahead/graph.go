package lookahead

import (
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// graph is the control flow of every frame that runs a program: the fixed point from pc 0
// with an unknown world, without its states. Its nodes are the keys that keep states
// apart (block, height, labels), so it is context-sensitive: a function's end leads back
// only to its callers.
//
// Questions are answered from it first. Every execution of a suffix follows edges of the
// graph from the node of its split point; if no goal is ahead there, none is in any
// execution.
//
// That holds for executions that the fixed point covers. One that left an opaque node may
// arrive at a node of the graph with words that the node's edges do not allow for. So if
// there are opaque nodes, the states are kept, and the graph answers only for states
// below them. If the budget was exhausted before the fixed point was found, they are not
// kept, and the graph answers nothing.
//
// It refers only to common Values and those of its pool, and does not change: any number
// of Analyzers share it. Nodes are stored in columns, since large contracts have about
// ten thousand.
type graph struct {
	blocks  []bytecode.BlockID // by node
	heights []uint16           // by node
	// labelsOf[i] is the range of node i in labels. Most nodes share it with others: all
	// nodes of one activation of a function do between its calls.
	labels   []label
	labelsOf []labelRange // by node
	// The predecessors of node i are predecessors[predecessorsOf[i]:predecessorsOf[i+1]].
	predecessors   []int32
	predecessorsOf []uint32

	table   nodeTable
	states  []state  // of the nodes; nil when there are no exits, or too many nodes
	pool    pool     // of the states
	exits   []opaque // the opaque nodes
	reached []bool   // by block
	steps   int
}

// label is a place of the stack and the label there.
type label struct {
	at    uint32
	value Value
}

// labelRange is a part of graph.labels.
type labelRange struct {
	from  uint32
	count uint16 // at most params.StackLimit
}

// opaque is an exit of the graph: a node from which control goes to places that
// the analysis does not know.
type opaque struct {
	node   int32
	pc     uint32
	reason Reason
}

// graphBuilder is the visitor that records nodes and edges.
type graphBuilder struct {
	v      *values
	engine *engine
	hashes []uint64
	// The successors of a node: most have one or two. -1 for none.
	successors [][2]int32
	more       []edge // of nodes that have more
	exits      []opaque
	row        []label                 // of the node that is added
	rows       map[uint64][]labelRange // of the graph, by the labels' hash
}

// edge leads from one node to another.
type edge struct{ from, to int32 }

// builders are kept from graph to graph: their buffers are as large as what was
// built, and a campaign builds several.
var builders sync.Pool

// admit takes every node; which is visited first, see rank.
func (g *graphBuilder) admit(n int32, hash uint64) (uint32, bool) {
	if int(n) == len(g.hashes) {
		g.hashes = append(g.hashes, hash)
		g.successors = append(g.successors, [2]int32{-1, -1})
	}
	return g.engine.nodes[n].rank(), true
}

// rank orders visits so that all states that meet at a node are joined before it is
// visited; every early visit repeats all that follow it. The more labels a state has, the
// deeper it is in calls: a function ends before its caller continues, wherever its code
// is. Within a function code order is mostly the order of control. Deepest calls first
// take a quarter fewer visits than code order alone.
func (n *node) rank() uint32 {
	labels := 0
	for i := range n.state.height {
		if n.state.stack(i).isLabel() {
			labels++
		}
	}
	const blockBits = 20 // 42 times the bytes of code that EIP-170 allows; blocks beyond share a rank
	return uint32(params.StackLimit-uint64(labels))<<blockBits | min(uint32(n.block), 1<<blockBits-1)
}

func (g *graphBuilder) edge(from, to int32) bool {
	s := &g.successors[from]
	switch {
	case s[0] == to || s[1] == to || slices.Contains(g.more, edge{from, to}):
	case s[0] < 0:
		s[0] = to
	case s[1] < 0:
		s[1] = to
	default:
		g.more = append(g.more, edge{from, to})
	}
	return true
}

// edges calls back for each edge, the nodes in order.
func (g *graphBuilder) edges(do func(edge)) {
	for from, s := range g.successors {
		for _, to := range s {
			if to >= 0 {
				do(edge{int32(from), to})
			}
		}
	}
	for _, e := range g.more {
		do(e)
	}
}

// opaque records the node, once.
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
// every node that was not yet visited is opaque.
func newGraph(c *code, budget int) *graph {
	b, ok := builders.Get().(*graphBuilder)
	if !ok {
		v := newIntervals()
		b = &graphBuilder{v: v, engine: newEngine(v)}
	}
	defer builders.Put(b)
	return b.build(c, budget)
}

func (g *graphBuilder) build(c *code, budget int) *graph {
	made := &graph{reached: make([]bool, len(c.blocks)), predecessorsOf: []uint32{0}}
	made.table.reset()
	if len(c.blocks) == 0 {
		return made
	}
	e := g.engine
	e.machine.copied = e.machine.copied[:0]
	g.solve(c, budget)
	if c.forgetSizes(e.machine.copied) {
		g.solve(c, budget)
	}
	made.steps = e.steps
	made.reserve(len(e.nodes))
	if g.rows == nil {
		g.rows = map[uint64][]labelRange{}
	}
	clear(g.rows)
	exhausted := false
	for i := range e.nodes {
		n := &e.nodes[i]
		made.add(n, g.hashes[i], g.labelsOf(made, &n.state))
		if n.queued {
			exhausted = true
			g.opaque(int32(i), c.blocks[n.block].start, Exhausted)
		}
	}
	if made.exits = g.exits; len(g.exits) > 0 && !exhausted {
		for i := range e.nodes {
			made.states = append(made.states, made.keep(g.v, &e.nodes[i].state))
		}
		made.pool.number = nil
	}
	made.labels = slices.Clone(made.labels) // with room for no more
	made.link(g)
	return made
}

// solve computes the fixed point.
func (g *graphBuilder) solve(c *code, budget int) {
	e := g.engine
	g.v.reset()
	g.hashes, g.successors, g.more, g.exits = g.hashes[:0], g.successors[:0], g.more[:0], nil
	e.start(c, c.pool.resolve(g.v), false, budget)
	start := entry()
	e.enter(none, 0, &start, g)
	e.run(g)
}

// forgetSizes makes constants unknown that are the size of code that the program holds, of
// contracts that it creates or whose code it reads, and reports whether there are any. Sizes
// differ between debug and release build, and are told from other constants by what is copied.
// A program's graph is made before anything else is asked of it, so nothing has used them.
func (c *code) forgetSizes(copied []Value) bool {
	found := false
	if len(copied) == 0 {
		return false
	}
	for i := range c.blocks {
		for j := range c.blocks[i].code {
			// Only a PUSH of a small constant has one: no code is longer than the greatest of these.
			if in := &c.blocks[i].code[j]; slices.Contains(copied, in.value.plain()) {
				in.value, found = size, true
			}
		}
	}
	return found
}

// reserve makes room for nodes.
func (g *graph) reserve(nodes int) {
	g.blocks, g.heights, g.labelsOf = make([]bytecode.BlockID, 0, nodes), make([]uint16, 0, nodes), make([]labelRange, 0, nodes)
	g.table.reserve(nodes)
}

// labelsOf finds or adds a state's labels.
func (g *graphBuilder) labelsOf(made *graph, s *state) labelRange {
	g.row = g.row[:0]
	hash := uint64(0)
	for at := range s.height {
		if v := s.stack(at); v.isLabel() {
			g.row = append(g.row, label{uint32(at), v})
			hash = mix(hash, uint64(at)<<32|uint64(v))
		}
	}
	for _, known := range g.rows[hash] {
		if slices.Equal(made.labelsIn(known), g.row) {
			return known
		}
	}
	found := labelRange{uint32(len(made.labels)), uint16(len(g.row))}
	made.labels = append(made.labels, g.row...)
	g.rows[hash] = append(g.rows[hash], found)
	return found
}

func (g *graph) labelsIn(r labelRange) []label { return g.labels[r.from : r.from+uint32(r.count)] }

// keep copies a state, with the pool's numbers for Values.
func (g *graph) keep(v *values, s *state) state {
	kept := s.clone()
	for i, a := range kept.values {
		if a.plain() >= commonCount {
			kept.values[i] = g.pool.word(v.set(a))
		}
	}
	return kept
}

func (g *graph) add(n *node, hash uint64, labels labelRange) {
	g.labelsOf = append(g.labelsOf, labels)
	g.table.insert(hash, int32(len(g.blocks)))
	g.blocks = append(g.blocks, n.block)
	g.heights = append(g.heights, uint16(n.state.height)) // at most params.StackLimit
	g.reached[n.block] = true
}

// link turns the edges around.
func (g *graph) link(b *graphBuilder) {
	g.predecessorsOf = make([]uint32, len(g.blocks)+1)
	b.edges(func(e edge) { g.predecessorsOf[e.to+1]++ })
	for i := range g.blocks {
		g.predecessorsOf[i+1] += g.predecessorsOf[i]
	}
	g.predecessors = make([]int32, g.predecessorsOf[len(g.blocks)])
	next := slices.Clone(g.predecessorsOf)
	b.edges(func(e edge) {
		g.predecessors[next[e.to]] = e.from
		next[e.to]++
	})
}

// find is the node with the key of a state in a block; −1 when there is none, which only
// an opaque node can cause.
func (g *graph) find(b bytecode.BlockID, s *state, hash uint64) int32 {
	for i := g.table.first(hash); ; i = g.table.next(i) {
		slot, taken := g.table.at(i)
		switch {
		case !taken:
			return -1
		case slot.hash == hash && g.has(slot.node, b, s):
			return slot.node
		}
	}
}

// has reports whether a node has the key of a state in a block.
func (g *graph) has(n int32, b bytecode.BlockID, s *state) bool {
	if g.blocks[n] != b || int(g.heights[n]) != s.height {
		return false
	}
	labels := g.labelsIn(g.labelsOf[n])
	next := 0
	for i := range s.height {
		v := s.stack(i)
		if !v.isLabel() {
			continue
		}
		if next == len(labels) || labels[next] != (label{uint32(i), v}) {
			return false
		}
		next++
	}
	return next == len(labels)
}

// unreachable is the distance of nodes from which no goal can be reached.
const unreachable = ^uint32(0)

// distances gives for each node the least number of blocks to a goal: a block
// for which goal holds, or an opaque node. It uses the memory of two slices.
func (g *graph) distances(distance []uint32, next []int32, goal func(bytecode.BlockID) bool) ([]uint32, []int32) {
	if distance == nil {
		distance = make([]uint32, len(g.blocks))
	}
	next = next[:0]
	for i, b := range g.blocks {
		distance[i] = unreachable
		if goal(b) {
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
	for at := 0; at < len(next); at++ {
		n := next[at]
		for _, p := range g.predecessors[g.predecessorsOf[n]:g.predecessorsOf[n+1]] {
			if distance[p] == unreachable {
				distance[p] = distance[n] + 1
				next = append(next, p)
			}
		}
	}
	return distance, next
}
