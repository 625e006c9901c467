package lookahead

import (
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// widenAfter is the number of times that a node's state may grow before its bounds are
// widened: a loop counter shows its first values (0, then 0 to 1), which suffices for
// loops that a branch bounds. Arbitrary.
const widenAfter = 2

// sizePerStep is the number of words of a state whose copying and joining costs
// about as much as running an instruction; measured, roughly.
const sizePerStep = 8

// node is a node of the fixed point: a block and the key of its states, their height and
// labels, and what is known of the word that decides the next branch (see decisionWalk). Its
// state is above all that have arrived there.
type node struct {
	block  bytecode.BlockID
	state  state
	grown  int32 // number of times that state grew
	from   int32 // the only node from which control arrived, or several; none: the start
	queued bool
	known  int32 // the node of the graph with the same key, −1 if none
}

// Values of node.from that are not nodes.
const (
	none    = -1
	several = -2
)

// engine computes fixed points: the states in which blocks are entered, from a
// state in which one is. Its buffers are used again and again.
type engine struct {
	v       *values
	machine interpreter
	joiner  joiner

	nodes  []node
	table  nodeTable
	queue  queue
	arena  arena
	steps  int // spent since start
	budget int
	words  int // of the states of all nodes, since start
}

// maxWords bounds the memory of a fixed point, about 8 bytes a word. The graph of a
// contract at the size limit of EIP-170 has a million; one with a recursive function has
// tens of thousands of nodes, since its return addresses fill the stack, and code can be
// built to be worse.
const maxWords = 1 << 24

// visitor decides what a fixed point is computed for. admit is called for each node when
// it is first reached, with the node's number and its state's key hash: it returns the
// node's priority (low first), or false to not explore it. edge is called when control
// can go from one node to another, opaque when it can go from a node to an unknown place;
// returning false from either ends the computation.
type visitor interface {
	admit(n int32, hash uint64) (priority uint32, ok bool)
	edge(from, to int32) bool
	opaque(from int32, pc uint32, reason Reason) bool
}

func newEngine(v *values) *engine {
	e := &engine{v: v, machine: interpreter{v: v, intervals: v.unsigned}}
	e.joiner.v = v
	return e
}

// start prepares a computation on a program, with a budget of steps. A step is an
// instruction run in the abstract; visiting a block costs one more per sizePerStep words
// of its state.
func (e *engine) start(c *code, pool []Value, static bool, budget int) {
	e.machine.bind(c, pool)
	e.machine.static = static
	e.steps, e.budget, e.words = 0, budget, 0
	e.nodes = e.nodes[:0]
	e.table.reset()
	e.queue.reset()
	e.arena.reset()
}

// enter adds the state in which a block is entered, from a node or at the start
// (none), to the node for it, and queues the node if its state changed. The node is
// −1 when the visitor refused it.
func (e *engine) enter(from int32, b bytecode.BlockID, s *state, visit visitor) int32 {
	hash := s.keyHash(b)
	n := e.find(b, s, hash)
	if n < 0 {
		n = int32(len(e.nodes))
		e.nodes = append(e.nodes, node{block: b, state: e.arena.keep(s), from: from, known: -1})
		priority, ok := visit.admit(n, hash)
		if !ok {
			e.nodes = e.nodes[:n]
			return -1
		}
		e.words += s.size()
		e.table.insert(hash, n)
		e.nodes[n].queued = true
		e.queue.push(priority, n)
		return n
	}
	at := &e.nodes[n]
	if at.state.equal(s) {
		if at.from != from {
			at.from = several
		}
		return n
	}
	if at.from == from && from >= 0 {
		// No other state has arrived here, so the new one replaces the old. Every cycle
		// passes a node at which control arrives from several.
		at.state = e.arena.replace(&at.state, s)
		e.requeue(n, hash, visit)
		return n
	}
	at.from = several
	e.grow(n, s, hash, visit)
	return n
}

// grow joins a state into a node.
func (e *engine) grow(n int32, s *state, hash uint64, visit visitor) {
	at := &e.nodes[n]
	if e.v.below(s, &at.state) {
		return
	}
	joined := e.joiner.join(&at.state, s, at.grown >= widenAfter)
	e.steps += joined.size() / sizePerStep
	if joined.equal(&at.state) {
		return // s says no more, in other words
	}
	at.grown++
	at.state = e.arena.replace(&at.state, joined)
	e.requeue(n, hash, visit)
}

// requeue queues a node whose state changed.
func (e *engine) requeue(n int32, hash uint64, visit visitor) {
	if at := &e.nodes[n]; !at.queued {
		priority, _ := visit.admit(n, hash)
		at.queued = true
		e.queue.push(priority, n)
	}
}

func (e *engine) find(b bytecode.BlockID, s *state, hash uint64) int32 {
	decision := e.machine.decision(b, s)
	for i := e.table.first(hash); ; i = e.table.next(i) {
		slot, taken := e.table.at(i)
		switch {
		case !taken:
			return -1
		case slot.hash == hash && e.nodes[slot.node].block == b && e.nodes[slot.node].state.sameKey(s) &&
			e.machine.decision(b, &e.nodes[slot.node].state) == decision:
			return slot.node
		}
	}
}

// run visits nodes until none is queued, the visitor ends it, or the budget is exhausted,
// which the visitor is told.
func (e *engine) run(visit visitor) {
	for {
		n, ok := e.queue.pop()
		if !ok {
			return
		}
		if e.steps > e.budget || e.words > maxWords { // n stays queued: it was not visited
			visit.opaque(n, e.machine.code.blocks[e.nodes[n].block].start, Exhausted)
			return
		}
		e.nodes[n].queued = false
		if !e.visit(n, visit) {
			return
		}
	}
}

// visit runs a node's block and enters its successors.
func (e *engine) visit(n int32, visit visitor) bool {
	at := &e.nodes[n]
	b := &e.machine.code.blocks[at.block]
	e.steps += 1 + len(b.code) + at.state.size()/sizePerStep
	m := &e.machine
	m.load(&at.state)
	if !m.fits(b) {
		return true
	}
	return e.follow(n, m.run(at.block), visit)
}

// follow enters the blocks that control may go to from the end of a node's block.
func (e *engine) follow(n int32, end leave, visit visitor) bool {
	switch m := &e.machine; end.flow {
	case flowUnknown:
		return visit.opaque(n, end.pc, UnknownOpcode)
	case flowNext:
		return e.next(n, end, visit)
	case flowJump:
		return e.jump(n, end, visit)
	case flowBranch:
		mark := m.mark()
		if m.assume(end.condition, true, 0) && !e.jump(n, end, visit) {
			return false
		}
		m.rollback(mark)
		return !m.assume(end.condition, false, 0) || e.next(n, end, visit)
	}
	return true
}

// cameFrom is the node from which control arrives at a block: several, if both sides of
// the node's branch lead there.
func (e *engine) cameFrom(n int32, end leave, b bytecode.BlockID) int32 {
	if end.flow != flowBranch || b != e.nodes[n].block+1 {
		return n
	}
	if to, known := e.machine.v.known(e.machine.value(end.target)); known {
		if taken, ok := e.machine.code.destination(to); !ok || taken != b {
			return n
		}
	}
	return several
}

// next enters the block after a node's. After the code's end is STOP.
func (e *engine) next(n int32, end leave, visit visitor) bool {
	b := e.nodes[n].block + 1
	if c := e.machine.code; int(b) == len(c.blocks) {
		return !c.open || visit.opaque(n, uint32(len(c.program.Bytes)), UnknownOpcode)
	}
	return e.arrive(n, end, b, visit)
}

// jump enters the block that a jump leads to.
func (e *engine) jump(n int32, end leave, visit visitor) bool {
	m := &e.machine
	to, known := m.v.known(m.value(end.target))
	if !known || m.code.beyond(to) {
		return visit.opaque(n, end.pc, UnknownJump)
	}
	b, ok := m.code.destination(to)
	return !ok || e.arrive(n, end, b, visit)
}

func (e *engine) arrive(n int32, end leave, b bytecode.BlockID, visit visitor) bool {
	from := e.cameFrom(n, end, b)
	m := &e.machine
	if m.intervals {
		return visit.edge(n, e.enter(from, b, m.save(), visit))
	}
	w, split := m.undecided(b)
	if !split {
		return visit.edge(n, e.enter(from, b, m.save(), visit))
	}
	mark, goOn := m.mark(), true
	for _, truth := range [...]bool{true, false} {
		if goOn && m.assume(w, truth, 0) {
			goOn = visit.edge(n, e.enter(from, b, m.save(), visit))
		}
		m.rollback(mark)
	}
	return goOn
}
