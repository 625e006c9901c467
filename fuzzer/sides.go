package fuzzer

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// branchSide is one outcome of a conditional jump.
type branchSide struct {
	code   bytecode.CodeID
	pc     uint32 // of the JUMPI
	taken  bool
	checks bool // in calls of fuzz tests and of the handlers of invariants, see [tracker.sidesOf]
	// by is the fuzz test, or the function, whose calls took it, or did not, where these have sides of their own.
	by input.Callable
	// barrier: by is a function, see barrier.go.
	barrier bool
}

// isLeft reports whether a decision was not for the side, but for the other one.
func (s *branchSide) isLeft(code bytecode.CodeID, c *evm.Comparison) bool {
	return s.code == code && s.pc == c.PC && s.taken != c.Taken
}

// sideSet are branch sides that were taken.
type sideSet map[branchSide]bool

// add adds a side; one of a test's own is one of tests, too, and one of a function's own one of all.
func (s sideSet) add(side branchSide) {
	s[side] = true
	side.by, side.barrier = input.Callable{}, false
	s[side] = true
}

// byAny reports whether any call has taken a side.
func (s sideSet) byAny(side branchSide) bool {
	side.checks, side.by, side.barrier = false, input.Callable{}, false
	if s[side] {
		return true
	}
	side.checks = true
	return s[side]
}

// sideTable knows a program's branch sides. A block ends with one jump at most.
type sideTable struct {
	index []int32 // by block: the number of its jump, from 1; 0: never seen
	jumps []jump

	barriers, behind blockSet // of a function's own: where it has them, and where it has them behind a target
}

// ownCode is a program in calls of a test, or of a function.
type ownCode struct {
	by   input.Callable
	code bytecode.CodeID
}

// jump is what is known of a conditional jump, by outcome.
type jump struct {
	taken [2]bool
	best  [2]*uint256.Int // nil: never seen
	ahead [2]*uint256.Int // likewise, from places with a target ahead

	by     [2]input.Callable // the function whose calls took it first
	common [2]bool           // calls of another one have taken it, too
}

func newSideTable(p *bytecode.Program) *sideTable {
	return &sideTable{index: make([]int32, len(p.Blocks))}
}

// at is the jump at the end of a block.
func (s *sideTable) at(b bytecode.BlockID) *jump {
	if int(b) >= len(s.index) { // of another program: those that the table has no room for share an ID
		s.index = append(s.index, make([]int32, int(b)+1-len(s.index))...)
	}
	if s.index[b] == 0 {
		s.jumps = append(s.jumps, jump{})
		s.index[b] = int32(len(s.jumps))
	}
	return &s.jumps[s.index[b]-1]
}

// sidesOf are a program's sides in executions such as this one, and those of the test itself, or of the function that is called, if it has some there. A side that other
// calls have taken may show something new in calls of fuzz tests and of the handlers of invariants, which check what no other does; and
// one that a test has taken, in another test. That is so in all code, but only where there are targets each test has sides of its own:
// there are many tests.
func (t *tracker) sidesOf(p *bytecode.Program) (shared, own *sideTable) {
	known := t.sides[t.checks()]
	if shared = known[p.ID]; shared == nil {
		shared = newSideTable(p)
		known[p.ID] = shared
	}
	switch at := (ownCode{t.test, p.ID}); {
	case t.test.Function != nil && t.targets[p.ID] != nil:
		if own = t.own[at]; own == nil {
			own = newSideTable(p)
			t.own[at] = own
		}
	case t.bars && t.callee.Function != nil && t.barriers > 0:
		own = t.own[ownCode{t.callee, p.ID}]
	}
	return shared, own
}

// knownAt is what is known of a block's jump from executions such as this one; nil: none entered the program.
func (t *tracker) knownAt(code bytecode.CodeID, b bytecode.BlockID) *jump {
	table := t.sides[t.checks()][code]
	if t.isOwn(code, b) {
		table = t.own[ownCode{t.test, code}]
	}
	if table == nil {
		return nil
	}
	return table.at(b)
}

// isOwn reports whether the test that runs has sides of its own in a block; a function of within has some in all.
func (t *tracker) isOwn(code bytecode.CodeID, b bytecode.BlockID) bool {
	return t.test.Function != nil && (t.targets[code].has(b) || t.within != nil && t.targets[code] != nil)
}

// checks is the index in sides of calls such as this one.
func (t *tracker) checks() int {
	if t.checking {
		return 1
	}
	return 0
}

// sideIn is the side of a decision in a program that was taken, or the other one.
func (t *tracker) sideIn(code bytecode.CodeID, c *evm.Comparison, taken bool) branchSide {
	side := branchSide{code: code, pc: c.PC, taken: c.Taken == taken, checks: t.checking}
	if t.isOwn(code, c.Block) {
		side.by = t.test
	}
	return side
}

// take records a decision, one of the sides that a test or a function has of its own, or of all, and reports whether its other side is still untaken.
func (t *tracker) take(at *jump, code bytecode.CodeID, c *evm.Comparison, by input.Callable, n *news) (open bool) {
	side, other := sides(c)
	if at.by[side] == (input.Callable{}) {
		at.by[side] = t.actor
	}
	if !at.taken[side] {
		at.taken[side] = true
		n.taken = append(n.taken, branchSide{code, c.PC, c.Taken, t.checking, by, t.isBarred(by)})
	}
	at.common[side] = at.common[side] || at.by[side] != t.actor && t.actor.Function != nil
	return !at.taken[other]
}

// isBarred reports whether sides are a function's own.
func (t *tracker) isBarred(by input.Callable) bool { return by.Function != nil && by == t.callee }

// sides are the outcome of a jump and the other one, as indices.
func sides(c *evm.Comparison) (side, other int) {
	if c.Taken {
		return 1, 0
	}
	return 0, 1
}

// approach records how near a decision was to the untaken side. ahead: a target may be
// ahead of the jump. No untaken side is nearer than 1, and many jumps are that near from
// the first time on: the check whether a call carries value, say.
func (t *tracker) approach(at *jump, code bytecode.CodeID, c *evm.Comparison, by input.Callable, ahead bool, n *news) {
	_, other := sides(c)
	best := &at.best[other]
	if ahead {
		best = &at.ahead[other]
	}
	if *best != nil && (*best).LtUint64(2) {
		return
	}
	if d := distance(c); *best == nil || d.Lt(*best) {
		*best = d.Clone()
		n.closer = append(n.closer, approach{branchSide{code, c.PC, !c.Taken, t.checking, by, t.isBarred(by)}, ahead, d})
	}
}

// decided reports whether both sides of a conditional jump have been taken.
func (t *tracker) decided(code bytecode.CodeID, c *evm.Comparison) bool {
	at := t.knownAt(code, c.Block)
	return at != nil && at.taken == [2]bool{true, true}
}

// took reports whether a conditional jump has had this outcome before.
func (t *tracker) took(code bytecode.CodeID, c *evm.Comparison) bool {
	at := t.knownAt(code, c.Block)
	side, _ := sides(c)
	return at != nil && at.taken[side]
}

// distance is the cost of taking the other side (harvey §3.2).
func distance(c *evm.Comparison) uint256.Int {
	falsify, satisfy := input.Costs(c)
	if satisfy.IsZero() {
		return falsify
	}
	return satisfy
}
