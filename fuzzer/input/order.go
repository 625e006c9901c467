package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
)

// order says of a term that another one is as large, or larger.
type order struct {
	than   int32
	larger bool
}

// maxChain bounds the terms that a chain of orders is looked for among. Arbitrary.
const maxChain = 64

// order takes note that a term is at most as large as another one, or less than it.
func (p *propagation) order(less, than int32, strictly bool) {
	p.void = p.void || strictly && less == than
	if less == than {
		return
	}
	up, down := interval{p.intervals[less].lo, anyWord.hi}, upTo(p.intervals[than].hi)
	if strictly {
		p.void = p.void || up.lo == anyWord.hi || down.hi.IsZero()
		up.lo.AddUint64(&up.lo, 1)
		down.hi.SubUint64(&down.hi, 1)
	}
	p.narrow(than, &up)
	p.narrow(less, &down)
	for _, known := range p.orders[less] {
		if known.than == than && (known.larger || !strictly) {
			return
		}
	}
	p.orders[less] = append(p.orders[less], order{than, strictly})
	p.news = true
}

// compareOrders looks for terms that are to be less than themselves.
func (p *propagation) compareOrders() {
	for _, less := range p.terms {
		for _, o := range p.orders[less] {
			if o.larger && p.leads(o.than, less, false) {
				p.void = true
				return
			}
		}
	}
}

// ordered reports whether a term is certain to be no larger than another one, or less than it.
func (p *propagation) ordered(less, than int32, strictly bool) bool {
	a, b := &p.intervals[less], &p.intervals[than]
	if a.hi.Lt(&b.lo) || !strictly && (less == than || a.hi == b.lo) {
		return true
	}
	return p.leads(less, than, strictly)
}

// leads reports whether a chain of orders leads from a term to another one, and, strictly, over one that is strict.
func (p *propagation) leads(from, to int32, strictly bool) bool {
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
		for _, o := range p.orders[at.term] {
			reach(state{o.than, at.strictly || o.larger})
		}
		p.smaller(at.term, func(than int32) { reach(state{than, at.strictly}) })
	}
	return false
}

// smaller lists the operands that bound a term from above, whatever they are.
func (p *propagation) smaller(i int32, each func(than int32)) {
	t := p.term(i)
	if !t.moves || t.variable >= 0 {
		return
	}
	switch t.op {
	case vm.DIV, vm.MOD:
		each(p.same[t.args[0]])
		p.smallerShare(t, each)
	case vm.SHR:
		each(p.same[t.args[1]])
	case vm.AND:
		each(p.same[t.args[0]])
		each(p.same[t.args[1]])
	}
}

// smallerShare lists the factor x of x·k/n, for k no larger than n, and a product that does not wrap.
func (p *propagation) smallerShare(t *term, each func(than int32)) {
	if t.op != vm.DIV {
		return
	}
	x, k, ok := p.operands(p.same[t.args[0]], vm.MUL)
	if !ok {
		return
	}
	if !p.staysExact(p.same[t.args[0]]) {
		return
	}
	n := p.same[t.args[1]]
	if p.isNoLarger(k, n) {
		each(x)
	}
	if p.isNoLarger(x, n) {
		each(k)
	}
}

// isNoLarger is as [propagation.ordered], without chains.
func (p *propagation) isNoLarger(i, than int32) bool {
	return !p.intervals[than].lo.Lt(&p.intervals[i].hi) || slices.ContainsFunc(p.orders[i], func(o order) bool { return o.than == than })
}
