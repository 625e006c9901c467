package input

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// maxRounds is how often intervals are computed anew of what the conditions say, as long as they get narrower. Arbitrary: some do by a
// little forever.
const maxRounds = 8

// roundWork: so many terms that a search computes are as much work as one of a round. Estimated.
const roundWork = 4

// propagation is what is known of a search's terms where all conditions hold: each one's interval (Davis, "Constraint Propagation with
// Interval Labels", Artificial Intelligence 32, 1987), which ones are equal, and which bound which others.
//
// Code that several functions share is full of sides that no numbers take: a check that a sum does not wrap, of numbers whose types are too
// narrow for that, or that a difference does not, after a requirement that says so. A search would look for them until it has used up its trials.
type propagation struct {
	*satisfaction
	same      []int32    // by term, the first that equals it
	intervals []interval // of those
	shapes    *shapes
	exact     map[int32]bool // products that do not wrap, as conditions say
	orders    map[int32][]order
	terms     []int32 // that count: those of the conditions, and their operands, in order
	news      bool    // something has become known
	void      bool    // no numbers meet the conditions
}

// shape is what a term is made of; terms of one shape are equal.
type shape struct {
	op       vm.OpCode
	variable int32
	args     [3]int32
	value    uint256.Int // of a constant
}

// shapes is a table of shapes, and the first term of each: a map would be made anew for each derivation, which took a tenth of the
// time in which campaigns break what is easy.
type shapes struct {
	seed  maphash.Seed
	slots []int32 // an index in known, from 1, at or behind a shape's hash; 0: none
	known []knownShape
}

type knownShape struct {
	shape
	first int32
}

// reset empties the table, and makes it large enough for so many.
func (t *shapes) reset(n int) {
	if t.slots == nil {
		t.seed = maphash.MakeSeed() // what is found does not depend on it
	}
	size := 1 << bits.Len(uint(2*n))
	t.slots, t.known = slices.Grow(t.slots[:0], size)[:size], t.known[:0]
	clear(t.slots)
}

// first is the term that has a shape, which is from now on the given one, if none had it.
func (t *shapes) first(s shape, term int32) int32 {
	for at := maphash.Comparable(t.seed, s); ; at++ {
		switch slot := &t.slots[at&uint64(len(t.slots)-1)]; {
		case *slot == 0:
			t.known = append(t.known, knownShape{s, term})
			*slot = int32(len(t.known))
			return term
		case t.known[*slot-1].shape == s:
			return t.known[*slot-1].first
		}
	}
}

func newPropagation(q *satisfaction) *propagation {
	room := &q.notes.search
	room.same, room.intervals = slices.Grow(room.same[:0], len(q.terms))[:len(q.terms)], slices.Grow(room.intervals[:0], len(q.terms))[:len(q.terms)]
	clear(room.same)
	clear(room.intervals)
	p := &propagation{
		satisfaction: q, same: room.same, intervals: room.intervals, shapes: &room.shapes, exact: map[int32]bool{}, orders: map[int32][]order{},
	}
	p.count()
	for _, i := range p.terms {
		p.intervals[i] = p.initial(i)
	}
	return p
}

// count lists the terms that count.
func (p *propagation) count() {
	counts := make([]bool, len(p.satisfaction.terms))
	for _, i := range p.needed {
		counts[i] = true
		if t := &p.satisfaction.terms[i]; t.variable < 0 {
			pops, _ := arity(t.op)
			for _, a := range t.args[:pops] {
				counts[a] = true
			}
		}
	}
	for i, yes := range counts {
		if yes {
			p.terms = append(p.terms, int32(i))
		}
	}
}

// initial is what a term can be by itself.
func (p *propagation) initial(i int32) interval {
	switch t := p.term(i); {
	case t.variable >= 0:
		return intervalOf(&p.variables[t.variable])
	case !t.moves:
		return only(&t.value)
	}
	return anyWord
}

func (p *propagation) term(i int32) *term { return &p.satisfaction.terms[i] }

// box is what each variable can be.
func (p *propagation) box() []interval {
	all := make([]interval, len(p.variables))
	for i := range all {
		all[i] = intervalOf(&p.variables[i])
	}
	for _, i := range p.terms {
		if t := p.term(i); t.variable >= 0 {
			all[t.variable] = p.intervals[p.same[i]]
		}
	}
	return all
}

// derive finds out what all terms can be, and which ones are equal.
func (p *propagation) derive() {
	p.shapes.reset(len(p.terms))
	for _, i := range p.terms {
		p.deriveOne(i)
	}
	p.work += len(p.terms) * roundWork
}

// deriveOne finds a term that equals one, and what it can be, as its operands can.
func (p *propagation) deriveOne(i int32) {
	t := p.term(i)
	s := shape{variable: t.variable}
	switch {
	case t.variable >= 0:
	case !t.moves:
		s.value = t.value
	default:
		s.op = t.op
		pops, _ := arity(t.op)
		for j, a := range t.args[:pops] {
			s.args[j] = p.same[a]
		}
		if s.args[0] > s.args[1] && (t.op == vm.ADD || t.op == vm.MUL || t.op == vm.AND || t.op == vm.OR || t.op == vm.EQ) {
			s.args[0], s.args[1] = s.args[1], s.args[0]
		}
		if x := p.unchanged(&s); x >= 0 {
			p.same[i] = x
			return
		}
	}
	first := p.shapes.first(s, i)
	p.same[i] = first
	p.narrow(first, &p.intervals[i])
	if s.op == vm.STOP {
		return
	}
	computed := p.compute(first, &s)
	p.narrow(first, &computed)
}

// unchanged is the number that a term only hands on; −1: it does something else.
func (p *propagation) unchanged(s *shape) int32 {
	a, b := s.args[0], s.args[1]
	switch s.op {
	case vm.ADD, vm.AND:
		if x := p.handedOn(s.op, a, b); x >= 0 {
			return x
		}
		return p.handedOn(s.op, b, a)
	case vm.SUB:
		x, y, isSum := p.operands(a, vm.ADD)
		switch {
		case p.intervals[b].is(0):
			return a
		case isSum && y == b:
			return x
		case isSum && x == b:
			return y
		}
	}
	if s.op == vm.SIGNEXTEND {
		if size, x := &p.intervals[s.args[0]], p.term(s.args[1]); size.isOnly() && size.lo.LtUint64(32) && x.variable >= 0 {
			if v := &p.variables[x.variable]; uint64(v.most.BitLen()) < 8*(size.lo.Uint64()+1) && uint64(v.least.BitLen()) <= 8*(size.lo.Uint64()+1) {
				return s.args[1]
			}
		}
	}
	return -1
}

// handedOn is the number that a sum, or a mask, only hands on, for one order of its operands.
func (p *propagation) handedOn(op vm.OpCode, a, b int32) int32 {
	other := &p.intervals[b]
	if op == vm.AND {
		if other.isOnly() && isMask(&other.lo) && !other.lo.Lt(&p.intervals[a].hi) {
			return a
		}
		return -1
	}
	if other.is(0) {
		return a
	}
	if x, y, ok := p.operands(a, vm.SUB); ok && y == b {
		return x
	}
	return -1
}

// compute is what a term can be, as its operands can. Of what does not wrap, it takes note of what the operands can be, as the term can, and
// of which is larger.
func (p *propagation) compute(i int32, s *shape) interval {
	a, b := &p.intervals[s.args[0]], &p.intervals[s.args[1]]
	switch s.op {
	case vm.ADD:
		sum, wraps := intervalOfSum(a, b)
		if !wraps || p.ordered(s.args[0], i, false) || p.ordered(s.args[1], i, false) { // as a condition says
			p.sum(i, s.args[0], s.args[1])
		}
		return sum
	case vm.SUB:
		ordered := p.ordered(s.args[1], s.args[0], false)
		if _, wraps := intervalOfSum(&p.intervals[i], b); !wraps {
			ordered = true // what it was taken of is the sum
		}
		if ordered {
			p.sum(s.args[0], i, s.args[1])
		}
		return intervalOfDifference(a, b, ordered)
	case vm.MUL:
		product, wraps := intervalOfProduct(a, b)
		if !wraps || p.exact[i] {
			p.product(i, s.args[0], s.args[1])
		}
		return product
	case vm.DIV:
		if !b.lo.IsZero() {
			p.quotientOf(i, s.args[0], s.args[1])
		}
	case vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ, vm.ISZERO:
		return p.comparison(s)
	case vm.OR:
		if product := p.divisionCheck(s); product >= 0 && p.staysExact(product) {
			return truths(1, 1)
		}
	}
	return intervalOfWord(s.op, a, b)
}

// comparison is how a comparison can come out.
func (p *propagation) comparison(s *shape) interval {
	a, b := s.args[0], s.args[1]
	switch s.op {
	case vm.ISZERO:
		switch x := &p.intervals[a]; {
		case x.hi.IsZero():
			return truths(1, 1)
		case !x.lo.IsZero():
			return truths(0, 0)
		}
		return truths(0, 1)
	case vm.EQ:
		switch {
		case a == b || p.intervals[a].isOnly() && p.intervals[a] == p.intervals[b]:
			return truths(1, 1)
		case p.ordered(a, b, true) || p.ordered(b, a, true):
			return truths(0, 0)
		}
		if product, x := p.quotient(s); product >= 0 && !p.intervals[x].lo.IsZero() && p.staysExact(product) {
			return truths(1, 1)
		}
		return truths(0, 1)
	}
	less, than, ok := p.lessThan(s)
	switch {
	case !ok:
	case less == than || p.ordered(than, less, false):
		return truths(0, 0)
	case p.ordered(less, than, true):
		return truths(1, 1)
	}
	return truths(0, 1)
}

// lessThan tells which operand is to be less than which other one, of an order between two. Of one that asks whether a difference is less
// than what it was taken of, these are the two that it was taken of: x < x − y holds just where x < y does. False where the order is of
// signed numbers that may be negative.
func (p *propagation) lessThan(s *shape) (less, than int32, ok bool) {
	less, than = s.args[0], s.args[1]
	if s.op == vm.GT || s.op == vm.SGT {
		less, than = than, less
	}
	if s.op == vm.SLT || s.op == vm.SGT {
		a, b := &p.intervals[less], &p.intervals[than]
		if a.hi.BitLen() == 256 || b.hi.BitLen() == 256 {
			return less, than, false
		}
	}
	if x, y, ok := p.operands(than, vm.SUB); ok && x == less {
		return x, y, true
	}
	less, than = p.withoutCommon(less, than)
	return less, than, true
}

// withoutCommon are what two sums that do not wrap add to the same number; others stay as they are.
func (p *propagation) withoutCommon(i, j int32) (int32, int32) {
	a, b, isSum := p.operands(i, vm.ADD)
	c, d, ok := p.operands(j, vm.ADD)
	if !isSum || !ok {
		return i, j
	}
	for range 2 {
		for range 2 {
			if a == c && p.ordered(a, i, false) && p.ordered(a, j, false) {
				return b, d
			}
			a, b = b, a
		}
		c, d = d, c
	}
	return i, j
}

// operands are those of a term that an instruction computes.
func (p *propagation) operands(i int32, op vm.OpCode) (a, b int32, ok bool) {
	t := p.term(i)
	if !t.moves || t.variable >= 0 || t.op != op {
		return 0, 0, false
	}
	return p.same[t.args[0]], p.same[t.args[1]], true
}

// quotient is the product of an equality of y with x·y/x, and x; −1 where it is none.
func (p *propagation) quotient(s *shape) (product, x int32) {
	for j := range 2 {
		product, by, isQuotient := p.operands(s.args[j], vm.DIV)
		if !isQuotient {
			continue
		}
		a, b, isProduct := p.operands(product, vm.MUL)
		if y := s.args[1-j]; isProduct && (by == a && y == b || by == b && y == a) {
			return product, by
		}
	}
	return -1, -1
}

// divisionCheck is the product of solc's check that one does not wrap: x = 0 or y = x·y/x. −1: it is none.
func (p *propagation) divisionCheck(s *shape) (product int32) {
	for j := range 2 {
		a, b, ok := p.operands(s.args[1-j], vm.EQ)
		if !ok {
			continue
		}
		product, x := p.quotient(&shape{op: vm.EQ, args: [3]int32{a, b}})
		zero, _, ok := p.operands(s.args[j], vm.ISZERO)
		if product >= 0 && (ok && zero == x || !p.intervals[x].lo.IsZero() && p.intervals[s.args[j]].is(0)) {
			return product
		}
	}
	return -1
}

// staysExact reports whether a product is certain not to wrap.
func (p *propagation) staysExact(product int32) bool {
	a, b, ok := p.operands(product, vm.MUL)
	if !ok {
		return false
	}
	_, wraps := intervalOfProduct(&p.intervals[a], &p.intervals[b])
	return !wraps || p.exact[product]
}

// narrow takes note that a term lies in an interval.
func (p *propagation) narrow(i int32, to *interval) {
	s := &p.intervals[i]
	p.news = p.news || s.lo.Lt(&to.lo) || to.hi.Lt(&s.hi)
	s.lo, s.hi = most(&s.lo, &to.lo), least(&s.hi, &to.hi)
	p.void = p.void || s.hi.Lt(&s.lo)
}
