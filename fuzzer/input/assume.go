package input

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// assume takes note that a term is to be zero or not.
func (p *propagation) assume(i int32, truth bool) {
	t := p.term(i)
	if i = p.same[i]; !truth {
		p.narrow(i, &interval{})
	} else {
		p.narrow(i, &interval{*uint256.NewInt(1), anyWord.hi})
	}
	if !t.moves || t.variable >= 0 {
		return
	}
	switch t.op {
	case vm.ISZERO:
		p.assume(t.args[0], !truth)
	case vm.AND, vm.OR:
		p.assumeOfBoth(t, truth)
	case vm.EQ, vm.SUB:
		equal := shape{op: vm.EQ, args: [3]int32{p.same[t.args[0]], p.same[t.args[1]]}}
		if product, x := p.quotient(&equal); product >= 0 && truth == (t.op == vm.EQ) && !p.intervals[x].lo.IsZero() {
			p.isExact(product)
		}
		p.equal(equal.args[0], equal.args[1], truth == (t.op == vm.EQ))
	case vm.LT, vm.GT, vm.SLT, vm.SGT:
		less, than, ok := p.lessThan(&shape{op: t.op, args: [3]int32{p.same[t.args[0]], p.same[t.args[1]]}})
		switch {
		case !ok:
		case truth:
			p.order(less, than, true)
		default:
			p.order(than, less, false)
		}
	}
}

// assumeOfBoth takes note of what an AND or an OR of truths is to be.
func (p *propagation) assumeOfBoth(t *term, truth bool) {
	a, b := p.term(t.args[0]), p.term(t.args[1])
	if !a.isTruth() || !b.isTruth() {
		return
	}
	if product := p.divisionCheck(&shape{op: vm.OR, args: [3]int32{p.same[t.args[0]], p.same[t.args[1]]}}); product >= 0 && truth && t.op == vm.OR {
		p.isExact(product)
	}
	if truth == (t.op == vm.AND) {
		p.assume(t.args[0], truth)
		p.assume(t.args[1], truth)
		return
	}
	decided := uint64(0) // what one of them may be without deciding anything
	if t.op == vm.AND {
		decided = 1
	}
	for j := range 2 {
		if p.intervals[p.same[t.args[j]]].is(decided) {
			p.assume(t.args[1-j], truth)
		}
	}
}

// equal takes note that two terms are to be equal, or not to be.
func (p *propagation) equal(a, b int32, truth bool) {
	if truth {
		p.order(a, b, false)
		p.order(b, a, false)
		return
	}
	if a == b {
		p.void = true
	}
	for range 2 {
		if x := &p.intervals[b]; x.isOnly() {
			s := p.intervals[a]
			if s.lo == x.lo {
				s.lo.AddUint64(&s.lo, 1)
				p.void = p.void || s.lo.IsZero()
			}
			if s.hi == x.lo {
				p.void = p.void || s.hi.IsZero()
				s.hi.SubUint64(&s.hi, 1)
			}
			p.narrow(a, &s)
		}
		a, b = b, a
	}
}

// isExact takes note that a product does not wrap.
func (p *propagation) isExact(product int32) {
	p.news = p.news || !p.exact[product]
	p.exact[product] = true
}

// sum takes note that a term is the sum of two others, and does not wrap.
func (p *propagation) sum(i, a, b int32) {
	for range 2 {
		s, x, y := &p.intervals[i], &p.intervals[a], &p.intervals[b]
		least, most := subtracted(&s.lo, &y.hi), subtracted(&s.hi, &y.lo)
		p.narrow(a, &interval{least, most})
		least, most = added(&x.lo, &y.lo), added(&x.hi, &y.hi)
		p.narrow(i, &interval{least, most})
		p.order(a, i, !y.lo.IsZero())
		a, b = b, a
	}
}

// product takes note that a term is the product of two others, and does not wrap.
func (p *propagation) product(i, a, b int32) {
	for range 2 {
		s, x, y := &p.intervals[i], &p.intervals[a], &p.intervals[b]
		p.narrow(i, &interval{multiplied(&x.lo, &y.lo), multiplied(&x.hi, &y.hi)})
		if !y.lo.IsZero() {
			p.order(a, i, !x.lo.IsZero() && !y.lo.LtUint64(2))
			var most uint256.Int
			most.Div(&s.hi, &y.lo)
			least := ceiling(&s.lo, &y.hi)
			p.narrow(a, &interval{least, most})
		}
		a, b = b, a
	}
}

// quotientOf takes note that a term is the quotient of two others, the second of which is not zero.
func (p *propagation) quotientOf(i, a, b int32) {
	one := uint256.NewInt(1)
	q, x, y := &p.intervals[i], &p.intervals[a], &p.intervals[b]
	above := added(&q.hi, one) // q ≤ x/y < q + 1
	beyond := multiplied(&above, &y.hi)
	if beyond != anyWord.hi {
		beyond.SubUint64(&beyond, 1)
	}
	p.narrow(a, &interval{multiplied(&q.lo, &y.lo), beyond})
	least, most := uint256.Int{}, anyWord.hi
	if above != anyWord.hi {
		least.Div(&x.lo, &above)
		least.AddUint64(&least, 1)
	}
	if !q.lo.IsZero() {
		most.Div(&x.hi, &q.lo)
	}
	p.narrow(b, &interval{least, most})
}
