package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// This file tells of ways that no numbers take them, from the intervals of terms and from which ones are no larger than which others. Code that
// several functions share is full of such sides: a check that a sum does not wrap, of numbers whose types are too narrow for that, or
// that a difference does not, after a requirement that says so. A search would look for numbers until it has used up its trials.

// refuteRounds is how often intervals are computed anew of what the conditions say, as long as they get narrower. Arbitrary: some do by a
// little forever.
const refuteRounds = 8

// refutation is an attempt to show that a search's conditions do not hold at once.
type refutation struct {
	*satisfaction
	same      []int32    // by term, the first that equals it
	intervals []interval // of those
	shapes    map[shape]int32
	exact     map[int32]bool // products that do not wrap, as conditions say
	orders    map[int32][]order
	terms     []int32 // that count: those of the conditions, and their operands, in order
	news      bool    // something has become known
	void      bool    // shown
}

// shape is what a term is made of; terms of one shape are equal.
type shape struct {
	op       vm.OpCode
	variable int32
	args     [3]int32
	value    uint256.Int // of a constant
}

// order says of a term that another one is as large, or larger.
type order struct {
	than   int32
	larger bool
}

// simplify leaves out conditions that hold of all numbers, such as that an argument is of its type, those that come up again, and those
// that have no variable in common with the last one, nor with one that has: they hold, and stay so. False when it is certain that no
// numbers meet all conditions; true says nothing.
func (q *satisfaction) simplify() bool {
	r := refutation{satisfaction: q, same: make([]int32, len(q.terms)), intervals: make([]interval, len(q.terms)), exact: map[int32]bool{}, orders: map[int32][]order{}}
	r.count()
	for _, i := range r.terms {
		r.intervals[i] = r.initial(i)
	}
	if r.derive(); !r.undecided() {
		return false
	}
	q.connected()
	r.news = true
	for round := 0; round < refuteRounds && r.news; round++ {
		r.news = false
		for i := range q.wanted {
			r.holds(q.wanted[i].jump.condition, q.wanted[i].jump.taken)
		}
		r.compareOrders()
		if r.derive(); r.void {
			return false
		}
	}
	q.box = make([]interval, len(q.variables))
	for i := range q.box {
		q.box[i] = intervalOf(&q.variables[i])
	}
	for _, i := range r.terms {
		if t := r.term(i); t.variable >= 0 {
			q.box[t.variable] = r.intervals[r.same[i]]
		}
	}
	return true
}

// undecided leaves those conditions of which it is not certain how they come out, once each. False when one comes out otherwise than it should.
func (r *refutation) undecided() bool {
	q := r.satisfaction
	truths := map[int32]bool{}
	some := q.wanted[:0]
	for i, c := range q.wanted {
		last := i == len(q.wanted)-1
		at, truth := c.jump.condition, c.jump.taken
		s := &r.intervals[r.same[at]]
		if certain := s.hi.IsZero() || !s.lo.IsZero(); certain && truth == s.hi.IsZero() {
			return false
		} else if certain && !last {
			continue
		}
		for ; r.term(at).op == vm.ISZERO; truth = !truth {
			at = r.term(at).args[0]
		}
		if known, again := truths[r.same[at]]; again && known != truth {
			return false
		} else if again && !last {
			continue
		}
		truths[r.same[at]] = truth
		some = append(some, c)
	}
	q.wanted = some
	return true
}

// connected leaves the conditions that do not hold yet, those that share a variable with one of these, those that share one with them, and so on.
func (q *satisfaction) connected() {
	shared := uint32(0)
	for before, first := shared, true; first || before != shared; first = false {
		before = shared
		for i := range q.wanted {
			c := &q.wanted[i]
			if v := c.variables(q.terms); v&shared != 0 || first && (i == len(q.wanted)-1 || !c.satisfied(q.terms)) {
				shared |= v
			}
		}
	}
	q.wanted = slices.DeleteFunc(q.wanted, func(c wish) bool { return c.variables(q.terms)&shared == 0 })
}

// refuteWork: so many terms that a search computes are as much work as one of a round. Estimated.
const refuteWork = 4

// count lists the terms that count.
func (r *refutation) count() {
	counts := make([]bool, len(r.satisfaction.terms))
	for _, i := range r.needed {
		counts[i] = true
		if t := &r.satisfaction.terms[i]; t.variable < 0 {
			pops, _ := arity(t.op)
			for _, a := range t.args[:pops] {
				counts[a] = true
			}
		}
	}
	for i, yes := range counts {
		if yes {
			r.terms = append(r.terms, int32(i))
		}
	}
}

// initial is what a term can be by itself.
func (r *refutation) initial(i int32) interval {
	switch t := r.term(i); {
	case t.variable >= 0:
		return intervalOf(&r.variables[t.variable])
	case !t.moves:
		return only(&t.value)
	}
	return anyWord
}

func (r *refutation) term(i int32) *term { return &r.satisfaction.terms[i] }

// derive finds out what all terms can be, and which ones are equal.
func (r *refutation) derive() {
	r.shapes = make(map[shape]int32, len(r.terms))
	for _, i := range r.terms {
		r.deriveOne(i)
	}
	r.work += len(r.terms) * refuteWork
}

// deriveOne finds a term that equals one, and what it can be, as its operands can.
func (r *refutation) deriveOne(i int32) {
	t := r.term(i)
	s := shape{variable: t.variable}
	switch {
	case t.variable >= 0:
	case !t.moves:
		s.value = t.value
	default:
		s.op = t.op
		pops, _ := arity(t.op)
		for j, a := range t.args[:pops] {
			s.args[j] = r.same[a]
		}
		if s.args[0] > s.args[1] && (t.op == vm.ADD || t.op == vm.MUL || t.op == vm.AND || t.op == vm.OR || t.op == vm.EQ) {
			s.args[0], s.args[1] = s.args[1], s.args[0]
		}
		if x := r.masked(&s); x >= 0 {
			r.same[i] = x
			return
		}
	}
	first, known := r.shapes[s]
	if !known {
		first = i
		r.shapes[s] = i
	}
	r.same[i] = first
	r.narrow(first, &r.intervals[i])
	if s.op == vm.STOP {
		return
	}
	computed := r.compute(first, &s)
	r.narrow(first, &computed)
}

// masked is what a term masks to no effect; −1: it does something else.
func (r *refutation) masked(s *shape) int32 {
	if s.op == vm.AND {
		for j, mask := range s.args[:2] {
			if m, x := &r.intervals[mask], &r.intervals[s.args[1-j]]; m.isOnly() && isMask(&m.lo) && !m.lo.Lt(&x.hi) {
				return s.args[1-j]
			}
		}
	}
	if s.op == vm.SIGNEXTEND {
		if size, x := &r.intervals[s.args[0]], r.term(s.args[1]); size.isOnly() && size.lo.LtUint64(32) && x.variable >= 0 {
			if v := &r.variables[x.variable]; uint64(v.most.BitLen()) < 8*(size.lo.Uint64()+1) && uint64(v.least.BitLen()) <= 8*(size.lo.Uint64()+1) {
				return s.args[1]
			}
		}
	}
	return -1
}

// compute is what a term can be, as its operands can. Of what does not wrap, it takes note of what the operands can be, as the term can, and
// of which is larger.
func (r *refutation) compute(i int32, s *shape) interval {
	a, b := &r.intervals[s.args[0]], &r.intervals[s.args[1]]
	switch s.op {
	case vm.ADD:
		sum, wraps := intervalOfSum(a, b)
		if !wraps || r.ordered(s.args[0], i, false) || r.ordered(s.args[1], i, false) { // as a condition says
			r.sum(i, s.args[0], s.args[1])
		}
		return sum
	case vm.SUB:
		ordered := r.ordered(s.args[1], s.args[0], false)
		if _, wraps := intervalOfSum(&r.intervals[i], b); !wraps {
			ordered = true // what it was taken of is the sum
		}
		if ordered {
			r.sum(s.args[0], i, s.args[1])
		}
		return intervalOfDifference(a, b, ordered)
	case vm.MUL:
		product, wraps := intervalOfProduct(a, b)
		if !wraps || r.exact[i] {
			r.product(i, s.args[0], s.args[1])
		}
		return product
	case vm.DIV:
		if !b.lo.IsZero() {
			r.quotientOf(i, s.args[0], s.args[1])
		}
	case vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ, vm.ISZERO:
		return r.comparison(s)
	case vm.OR:
		if product := r.divisionCheck(s); product >= 0 && r.fits(product) {
			return truths(1, 1)
		}
	}
	return intervalOfWord(s.op, a, b)
}

// isExact takes note that a product does not wrap.
func (r *refutation) isExact(product int32) {
	r.news = r.news || !r.exact[product]
	r.exact[product] = true
}

// sum takes note that a term is the sum of two others, and does not wrap.
func (r *refutation) sum(i, a, b int32) {
	for range 2 {
		s, x, y := &r.intervals[i], &r.intervals[a], &r.intervals[b]
		least, most := subtracted(&s.lo, &y.hi), subtracted(&s.hi, &y.lo)
		r.narrow(a, &interval{least, most})
		least, most = added(&x.lo, &y.lo), added(&x.hi, &y.hi)
		r.narrow(i, &interval{least, most})
		r.order(a, i, !y.lo.IsZero())
		a, b = b, a
	}
}

// product takes note that a term is the product of two others, and does not wrap.
func (r *refutation) product(i, a, b int32) {
	for range 2 {
		p, x, y := &r.intervals[i], &r.intervals[a], &r.intervals[b]
		r.narrow(i, &interval{multiplied(&x.lo, &y.lo), multiplied(&x.hi, &y.hi)})
		if !y.lo.IsZero() {
			r.order(a, i, !x.lo.IsZero() && !y.lo.LtUint64(2))
			var most uint256.Int
			most.Div(&p.hi, &y.lo)
			least := ceiling(&p.lo, &y.hi)
			r.narrow(a, &interval{least, most})
		}
		a, b = b, a
	}
}

// quotientOf takes note that a term is the quotient of two others, the second of which is not zero.
func (r *refutation) quotientOf(i, a, b int32) {
	one := uint256.NewInt(1)
	q, x, y := &r.intervals[i], &r.intervals[a], &r.intervals[b]
	above := added(&q.hi, one) // q ≤ x/y < q + 1
	beyond := multiplied(&above, &y.hi)
	if beyond != anyWord.hi {
		beyond.SubUint64(&beyond, 1)
	}
	r.narrow(a, &interval{multiplied(&q.lo, &y.lo), beyond})
	least, most := uint256.Int{}, anyWord.hi
	if above != anyWord.hi {
		least.Div(&x.lo, &above)
		least.AddUint64(&least, 1)
	}
	if !q.lo.IsZero() {
		most.Div(&x.hi, &q.lo)
	}
	r.narrow(b, &interval{least, most})
}

// fits reports whether a product is certain not to wrap.
func (r *refutation) fits(product int32) bool {
	a, b, ok := r.operands(product, vm.MUL)
	if !ok {
		return false
	}
	_, wraps := intervalOfProduct(&r.intervals[a], &r.intervals[b])
	return !wraps || r.exact[product]
}

// comparison is how a comparison can come out.
func (r *refutation) comparison(s *shape) interval {
	a, b := s.args[0], s.args[1]
	switch s.op {
	case vm.ISZERO:
		switch x := &r.intervals[a]; {
		case x.hi.IsZero():
			return truths(1, 1)
		case !x.lo.IsZero():
			return truths(0, 0)
		}
		return truths(0, 1)
	case vm.EQ:
		switch {
		case a == b || r.intervals[a].isOnly() && r.intervals[a] == r.intervals[b]:
			return truths(1, 1)
		case r.ordered(a, b, true) || r.ordered(b, a, true):
			return truths(0, 0)
		}
		if product, x := r.quotient(s); product >= 0 && !r.intervals[x].lo.IsZero() && r.fits(product) {
			return truths(1, 1)
		}
		return truths(0, 1)
	}
	less, than, ok := r.lessThan(s)
	switch {
	case !ok:
	case less == than || r.ordered(than, less, false):
		return truths(0, 0)
	case r.ordered(less, than, true):
		return truths(1, 1)
	}
	return truths(0, 1)
}

// lessThan tells which operand is to be less than which other one, of an order between two. Of one that asks whether a difference is less
// than what it was taken of, these are the two that it was taken of: x < x − y holds just where x < y does. False where the order is of
// signed numbers that may be negative.
func (r *refutation) lessThan(s *shape) (less, than int32, ok bool) {
	less, than = s.args[0], s.args[1]
	if s.op == vm.GT || s.op == vm.SGT {
		less, than = than, less
	}
	if s.op == vm.SLT || s.op == vm.SGT {
		a, b := &r.intervals[less], &r.intervals[than]
		if a.hi.BitLen() == 256 || b.hi.BitLen() == 256 {
			return less, than, false
		}
	}
	if x, y, ok := r.operands(than, vm.SUB); ok && x == less {
		return x, y, true
	}
	return less, than, true
}

// operands are those of a term that an instruction computes.
func (r *refutation) operands(i int32, op vm.OpCode) (a, b int32, ok bool) {
	t := r.term(i)
	if !t.moves || t.variable >= 0 || t.op != op {
		return 0, 0, false
	}
	return r.same[t.args[0]], r.same[t.args[1]], true
}

// quotient is the product of an equality of y with x·y/x, and x; −1 where it is none.
func (r *refutation) quotient(s *shape) (product, x int32) {
	for j := range 2 {
		product, by, isQuotient := r.operands(s.args[j], vm.DIV)
		if !isQuotient {
			continue
		}
		a, b, isProduct := r.operands(product, vm.MUL)
		if y := s.args[1-j]; isProduct && (by == a && y == b || by == b && y == a) {
			return product, by
		}
	}
	return -1, -1
}

// divisionCheck is the product of solc's check that one does not wrap: x = 0 or y = x·y/x. −1: it is none.
func (r *refutation) divisionCheck(s *shape) (product int32) {
	for j := range 2 {
		a, b, ok := r.operands(s.args[1-j], vm.EQ)
		if !ok {
			continue
		}
		product, x := r.quotient(&shape{op: vm.EQ, args: [3]int32{a, b}})
		zero, _, ok := r.operands(s.args[j], vm.ISZERO)
		if product >= 0 && (ok && zero == x || !r.intervals[x].lo.IsZero() && r.intervals[s.args[j]].is(0)) {
			return product
		}
	}
	return -1
}

// holds takes note that a term is to be zero or not.
func (r *refutation) holds(i int32, truth bool) {
	t := r.term(i)
	if i = r.same[i]; !truth {
		r.narrow(i, &interval{})
	} else {
		r.narrow(i, &interval{*uint256.NewInt(1), anyWord.hi})
	}
	if !t.moves || t.variable >= 0 {
		return
	}
	switch t.op {
	case vm.ISZERO:
		r.holds(t.args[0], !truth)
	case vm.AND, vm.OR:
		r.holdsOfBoth(t, truth)
	case vm.EQ, vm.SUB:
		equal := shape{op: vm.EQ, args: [3]int32{r.same[t.args[0]], r.same[t.args[1]]}}
		if product, x := r.quotient(&equal); product >= 0 && truth == (t.op == vm.EQ) && !r.intervals[x].lo.IsZero() {
			r.isExact(product)
		}
		r.equal(equal.args[0], equal.args[1], truth == (t.op == vm.EQ))
	case vm.LT, vm.GT, vm.SLT, vm.SGT:
		less, than, ok := r.lessThan(&shape{op: t.op, args: [3]int32{r.same[t.args[0]], r.same[t.args[1]]}})
		switch {
		case !ok:
		case truth:
			r.order(less, than, true)
		default:
			r.order(than, less, false)
		}
	}
}

// holdsOfBoth takes note of what an AND or an OR of truths is to be.
func (r *refutation) holdsOfBoth(t *term, truth bool) {
	a, b := r.term(t.args[0]), r.term(t.args[1])
	if !a.isTruth() || !b.isTruth() {
		return
	}
	if product := r.divisionCheck(&shape{op: vm.OR, args: [3]int32{r.same[t.args[0]], r.same[t.args[1]]}}); product >= 0 && truth && t.op == vm.OR {
		r.isExact(product)
	}
	if truth == (t.op == vm.AND) {
		r.holds(t.args[0], truth)
		r.holds(t.args[1], truth)
		return
	}
	decided := uint64(0) // what one of them may be without deciding anything
	if t.op == vm.AND {
		decided = 1
	}
	for j := range 2 {
		if r.intervals[r.same[t.args[j]]].is(decided) {
			r.holds(t.args[1-j], truth)
		}
	}
}

// equal takes note that two terms are to be equal, or not to be.
func (r *refutation) equal(a, b int32, truth bool) {
	if truth {
		r.order(a, b, false)
		r.order(b, a, false)
		return
	}
	if a == b {
		r.void = true
	}
	for range 2 {
		if x := &r.intervals[b]; x.isOnly() {
			s := r.intervals[a]
			if s.lo == x.lo {
				s.lo.AddUint64(&s.lo, 1)
				r.void = r.void || s.lo.IsZero()
			}
			if s.hi == x.lo {
				r.void = r.void || s.hi.IsZero()
				s.hi.SubUint64(&s.hi, 1)
			}
			r.narrow(a, &s)
		}
		a, b = b, a
	}
}

// order takes note that a term is no larger than another one, or less than it.
func (r *refutation) order(less, than int32, strictly bool) {
	r.void = r.void || strictly && less == than
	if less == than {
		return
	}
	up, down := interval{r.intervals[less].lo, anyWord.hi}, upTo(r.intervals[than].hi)
	if strictly {
		r.void = r.void || up.lo == anyWord.hi || down.hi.IsZero()
		up.lo.AddUint64(&up.lo, 1)
		down.hi.SubUint64(&down.hi, 1)
	}
	r.narrow(than, &up)
	r.narrow(less, &down)
	for _, known := range r.orders[less] {
		if known.than == than && (known.larger || !strictly) {
			return
		}
	}
	r.orders[less] = append(r.orders[less], order{than, strictly})
	r.news = true
}

// narrow takes note that a term lies in an interval.
func (r *refutation) narrow(i int32, to *interval) {
	s := &r.intervals[i]
	r.news = r.news || s.lo.Lt(&to.lo) || to.hi.Lt(&s.hi)
	s.lo, s.hi = most(&s.lo, &to.lo), least(&s.hi, &to.hi)
	r.void = r.void || s.hi.Lt(&s.lo)
}

// compareOrders looks for terms that are to be less than themselves.
func (r *refutation) compareOrders() {
	for _, less := range r.terms {
		for _, o := range r.orders[less] {
			if o.larger && r.leads(o.than, less, false) {
				r.void = true
				return
			}
		}
	}
}

// ordered reports whether a term is certain to be no larger than another one, or less than it.
func (r *refutation) ordered(less, than int32, strictly bool) bool {
	a, b := &r.intervals[less], &r.intervals[than]
	if a.hi.Lt(&b.lo) || !strictly && (less == than || a.hi == b.lo) {
		return true
	}
	return r.leads(less, than, strictly)
}

// leads reports whether a chain of orders leads from a term to another one, and, strictly, over one that is strict.
func (r *refutation) leads(from, to int32, strictly bool) bool {
	type state struct {
		term     int32
		strictly bool
	}
	var buffer [maxChain]state
	found := append(buffer[:0], state{from, !strictly})
	for n := 0; n < len(found); n++ {
		at := found[n]
		if at.term == to && at.strictly {
			return true
		}
		reach := func(next state) {
			if len(found) < maxChain && !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
		for _, o := range r.orders[at.term] {
			reach(state{o.than, at.strictly || o.larger})
		}
		r.smaller(at.term, func(than int32) { reach(state{than, at.strictly}) })
	}
	return false
}

// maxChain bounds the terms that a chain of orders is looked for among. Arbitrary.
const maxChain = 64

// smaller lists operands that a term is no larger than, whatever they are.
func (r *refutation) smaller(i int32, each func(than int32)) {
	t := r.term(i)
	if !t.moves || t.variable >= 0 {
		return
	}
	switch t.op {
	case vm.DIV, vm.MOD:
		each(r.same[t.args[0]])
		r.smallerShare(t, each)
	case vm.SHR:
		each(r.same[t.args[1]])
	case vm.AND:
		each(r.same[t.args[0]])
		each(r.same[t.args[1]])
	}
}

// smallerShare lists the factor x of x·k/n, for k no larger than n, and a product that does not wrap.
func (r *refutation) smallerShare(t *term, each func(than int32)) {
	if t.op != vm.DIV {
		return
	}
	x, k, ok := r.operands(r.same[t.args[0]], vm.MUL)
	if !ok {
		return
	}
	if !r.fits(r.same[t.args[0]]) {
		return
	}
	n := &r.intervals[r.same[t.args[1]]]
	if !n.lo.Lt(&r.intervals[k].hi) {
		each(x)
	}
	if !n.lo.Lt(&r.intervals[x].hi) {
		each(k)
	}
}
