package lookahead

import "math/bits"

// nodeTable finds nodes by the hash of their key: open addressing with linear
// probing. Entries of an older generation are empty, so that reset costs nothing.
type nodeTable struct {
	slots      []slot
	generation uint32
	used       int
}

type slot struct {
	hash       uint64
	generation uint32
	node       int32
}

// initialSlots is a power of two; arbitrary, more than most questions need.
const initialSlots = 256

func (t *nodeTable) reset() {
	if t.slots == nil {
		t.slots = make([]slot, initialSlots)
	}
	t.used = 0
	t.generation++
	if t.generation == 0 { // wrapped around: old entries would come alive
		clear(t.slots)
		t.generation = 1
	}
}

// first is where to look for a hash; next where to look after that.
func (t *nodeTable) first(hash uint64) uint32 { return uint32(hash) & uint32(len(t.slots)-1) }
func (t *nodeTable) next(index uint32) uint32 { return (index + 1) & uint32(len(t.slots)-1) }

// at is the slot there; false when it is empty, and the search ends.
func (t *nodeTable) at(index uint32) (*slot, bool) {
	s := &t.slots[index]
	return s, s.generation == t.generation
}

// insert adds a node; the table stays at most half full.
func (t *nodeTable) insert(hash uint64, node int32) {
	if 2*(t.used+1) > len(t.slots) {
		t.rehash()
	}
	index := t.first(hash)
	for {
		if _, taken := t.at(index); !taken {
			break
		}
		index = t.next(index)
	}
	t.slots[index] = slot{hash: hash, generation: t.generation, node: node}
	t.used++
}

func (t *nodeTable) rehash() { t.resize(2 * len(t.slots)) }

// reserve makes room for nodes, and no more.
func (t *nodeTable) reserve(nodes int) {
	if size := 1 << bits.Len(uint(2*nodes)); size > len(t.slots) {
		t.resize(size)
	}
}

func (t *nodeTable) resize(size int) {
	old := t.slots
	t.slots, t.used = make([]slot, size), 0
	for _, s := range old {
		if s.generation == t.generation {
			t.insert(s.hash, s.node)
		}
	}
}

// queue is a binary heap of nodes by priority; equal ones in the order they came.
type queue struct {
	heap []queued
	came uint32
}

type queued struct {
	key  uint64 // priority, then order of arrival
	node int32
}

func (q *queue) reset() { q.heap, q.came = q.heap[:0], 0 }

func (q *queue) push(priority uint32, node int32) {
	q.came++
	q.heap = append(q.heap, queued{uint64(priority)<<32 | uint64(q.came), node})
	i := len(q.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if q.heap[parent].key <= q.heap[i].key {
			break
		}
		q.heap[parent], q.heap[i] = q.heap[i], q.heap[parent]
		i = parent
	}
}

func (q *queue) pop() (int32, bool) {
	if len(q.heap) == 0 {
		return 0, false
	}
	top := q.heap[0].node
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap = q.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && q.heap[child+1].key < q.heap[child].key {
			child++
		}
		if q.heap[i].key <= q.heap[child].key {
			break
		}
		q.heap[i], q.heap[child] = q.heap[child], q.heap[i]
		i = child
	}
	return top, true
}

// arena holds the slices of a computation's states, so that a question costs no
// allocations once the arena has grown to its needs.
type arena struct {
	classes   []uint16
	places    []place
	values    []Value
	relations []relation
}

func (a *arena) reset() {
	a.classes, a.places, a.values, a.relations = a.classes[:0], a.places[:0], a.values[:0], a.relations[:0]
}

// keep copies a state into the arena.
func (a *arena) keep(s *state) state {
	kept := state{height: s.height}
	a.classes, kept.classes = keep(a.classes, s.classes)
	a.places, kept.places = keep(a.places, s.places)
	a.values, kept.values = keep(a.values, s.values)
	if len(s.relations) > 0 {
		a.relations, kept.relations = keep(a.relations, s.relations)
	}
	return kept
}

// replace copies a state over an older one of the arena where it fits.
func (a *arena) replace(old, s *state) state {
	if len(s.classes) > cap(old.classes) || len(s.places) > cap(old.places) || len(s.values) > cap(old.values) ||
		len(s.relations) > cap(old.relations) {
		return a.keep(s)
	}
	return state{s.height, append(old.classes[:0], s.classes...), append(old.places[:0], s.places...), append(old.values[:0], s.values...), append(old.relations[:0], s.relations...)}
}

// keep appends items to a slab. When the slab is full a new one begins: slices
// of the old one stay valid.
func keep[T any](slab, items []T) (newSlab, kept []T) {
	if len(slab)+len(items) > cap(slab) {
		slab = make([]T, 0, max(2*cap(slab), len(items), minSlab))
	}
	start := len(slab)
	slab = append(slab, items...)
	return slab, slab[start:len(slab):len(slab)]
}

// minSlab is the first capacity of an arena's slabs, in items. Arbitrary.
const minSlab = 1 << 12
