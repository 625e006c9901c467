package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
)

// simplify leaves out conditions that hold of all numbers, such as that an argument is of its type, those that come up again, and those
// that have no variable in common with the last one, nor with one that has: they hold, and stay so. The last one stays. It puts the variables of
// the others into a box. False when it is certain that no numbers meet all conditions; true says nothing.
func (q *satisfaction) simplify() bool {
	p := newPropagation(q)
	if p.derive(); !p.undecided() {
		return false
	}
	q.connected()
	p.news = true
	for round := 0; round < maxRounds && p.news && !p.void; round++ {
		p.news = false
		for i := range q.wanted {
			p.assume(q.wanted[i].jump.condition, q.wanted[i].jump.taken)
		}
		p.compareOrders()
		p.derive()
	}
	q.box = p.box()
	return !p.void
}

// undecided leaves those conditions of which it is not certain how they come out, once each. False when one comes out otherwise than it should.
func (p *propagation) undecided() bool {
	q := p.satisfaction
	truths := map[int32]bool{}
	some := q.wanted[:0]
	for i, c := range q.wanted {
		last := i == len(q.wanted)-1
		at, truth := c.jump.condition, c.jump.taken
		s := &p.intervals[p.same[at]]
		if certain := s.hi.IsZero() || !s.lo.IsZero(); certain && truth == s.hi.IsZero() {
			return false
		} else if certain && !last {
			continue
		}
		for ; p.term(at).op == vm.ISZERO; truth = !truth {
			at = p.term(at).args[0]
		}
		if known, again := truths[p.same[at]]; again && known != truth {
			return false
		} else if again && !last {
			continue
		}
		truths[p.same[at]] = truth
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
