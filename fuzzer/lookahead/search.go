package lookahead

import (
	"sync"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// search proves blocks of a program unreachable that the graph reaches. It is suffix checking
// from the program's entry, toward one block, with states that have relations of words, and
// are kept apart by what is known of words that decide branches. That is half as expensive
// again as what the graph and the campaign's questions are computed with, and so it is done
// only for the blocks that are asked for, the targets, once each.
//
// It goes only where the graph says that the block is ahead, and ends when the block is
// entered; so what can be reached costs little. What was entered on the way needs no search.
type search struct {
	mu      sync.Mutex
	entered []bool                    // by block; nil before the first search
	proved  map[bytecode.BlockID]bool // the outcomes of searches
	left    int                       // steps that searches may still take, of all blocks

	// Of the current search:
	graph    *graph
	engine   *engine
	goal     bytecode.BlockID
	distance []uint32
	next     []int32
	open     bool // ended at an unknown place, or the budget was exhausted
}

// searchBudget is the number of steps that the search for one block may take, a few
// milliseconds. Arbitrary; all blocks that campaigns of bench/lookahead do not enter take a
// millisecond or two for a contract.
const searchBudget = 1 << 17

// engines are kept from search to search, see builders.
var engines sync.Pool

// mayReach reports whether a frame may enter a block, in a program whose graph has no exits.
func (s *search) mayReach(c *code, g *graph, b bytecode.BlockID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entered == nil {
		c.findDeciders()
		s.entered, s.proved = make([]bool, len(c.blocks)), map[bytecode.BlockID]bool{}
		s.entered[0] = true
	}
	if s.entered[b] {
		return true
	}
	proved, searched := s.proved[b]
	if !searched && s.left > 0 {
		proved = s.run(c, g, b)
		s.proved[b] = proved
	}
	return !proved
}

// run searches for a block, and reports whether it is proved unreachable.
func (s *search) run(c *code, g *graph, b bytecode.BlockID) bool {
	e, ok := engines.Get().(*engine)
	if !ok {
		e = newEngine(newValues())
	}
	defer engines.Put(e)
	s.graph, s.engine, s.goal, s.open = g, e, b, false
	s.distance, s.next = g.distances(s.distance, s.next, func(at bytecode.BlockID) bool { return at == b })
	e.v.reset()
	e.start(c, c.pool.resolve(e.v), false, min(searchBudget, s.left))
	start := entry()
	e.enter(none, 0, &start, s)
	e.run(s)
	s.left -= e.steps
	s.engine = nil
	return !s.open && !s.entered[b]
}

// admit implements visitor.
func (s *search) admit(n int32, hash uint64) (uint32, bool) {
	at := &s.engine.nodes[n]
	if at.known < 0 {
		at.known = s.graph.find(at.block, &at.state, hash)
	}
	if at.known < 0 { // see suffixCheck.admit
		return 0, true
	}
	distance := s.distance[at.known]
	return distance, distance != unreachable
}

// edge implements visitor.
func (s *search) edge(_, to int32) bool {
	if to < 0 {
		return true
	}
	b := s.engine.nodes[to].block
	s.entered[b] = true
	return b != s.goal
}

// opaque implements visitor.
func (s *search) opaque(int32, uint32, Reason) bool {
	s.open = true
	return false
}
