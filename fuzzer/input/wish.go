package input

import (
	"math/big"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// wish is a condition that a search wants, and what it compares.
type wish struct {
	jump decision // as it is to go
	cone []int32  // the terms that move which it is computed of, in order

	compares    bool // what follows is known
	op          vm.OpCode
	left, right int32
	truth       bool // how the comparison is to come out
}

// read finds out what a jump compares: EQ or an order of two terms. What solc makes of `!=` is a difference that is not zero.
func (q *satisfaction) read(d decision) wish {
	c := wish{jump: d, compares: true}
	at, truth := d.condition, d.taken
	for q.terms[at].op == vm.ISZERO {
		at, truth = q.terms[at].args[0], !truth
	}
	switch t := &q.terms[at]; {
	case t.op == vm.EQ || t.op == vm.LT || t.op == vm.GT || t.op == vm.SLT || t.op == vm.SGT:
		c.op, c.left, c.right, c.truth = t.op, t.args[0], t.args[1], truth
	case t.isTruth() || (t.op == vm.AND || t.op == vm.OR) && q.terms[t.args[0]].isTruth():
		c.compares = false
	case t.op == vm.SUB:
		c.op, c.left, c.right, c.truth = vm.EQ, t.args[0], t.args[1], !truth
	default: // the value of the unknown term is zero
		c.op, c.left, c.right, c.truth = vm.EQ, at, unknown, !truth
	}
	return c
}

// satisfied reports whether the jump goes as wanted.
func (c *wish) satisfied(terms []term) bool {
	return terms[c.jump.condition].value.IsZero() != c.jump.taken
}

// equates reports whether the condition wants two terms to be equal.
func (c *wish) equates() bool { return c.compares && c.op == vm.EQ && c.truth }

// gapOf is by how much the left term is larger than the right one, as the comparison reads them; of an equality, the number next
// to zero that it is modulo 2^256.
func (q *satisfaction) gapOf(c *wish) *big.Int {
	a, b := &q.terms[c.left].value, &q.terms[c.right].value
	switch c.op {
	case vm.LT, vm.GT:
		return q.ints.minus(q.ints.of(a), q.ints.of(b))
	case vm.SLT, vm.SGT:
		return q.ints.minus(q.ints.signed(a), q.ints.signed(b))
	}
	var d uint256.Int
	return q.ints.signed(d.Sub(a, b))
}

// variables are those that the condition's terms depend on, a bit each.
func (c *wish) variables(terms []term) uint32 { return terms[c.jump.condition].of }

// setting is a variable with a value to look at a condition with.
type setting struct {
	variable int
	value    *big.Int
}

// gapAt is a condition's gap where variables have other values, and all else is as it is.
func (q *satisfaction) gapAt(c *wish, there ...setting) *big.Int {
	q.exchangeWith(there, func(changed uint32) { q.computeCone(c, changed) })
	gap := q.gapOf(c)
	q.computeCone(c, settingsOf(there))
	return gap
}

// exchangeWith looks at something while variables have other values.
func (q *satisfaction) exchangeWith(there []setting, look func(changed uint32)) {
	var was [2]uint256.Int
	for i, s := range there {
		was[i] = q.values[s.variable]
		setBig(&q.values[s.variable], s.value)
	}
	look(settingsOf(there))
	for i, s := range there {
		q.values[s.variable] = was[i]
	}
}

func settingsOf(there []setting) (changed uint32) {
	for _, s := range there {
		changed |= 1 << s.variable
	}
	return changed
}

// computeCone computes the terms of one condition that depend on some variables.
func (q *satisfaction) computeCone(c *wish, changed uint32) {
	for _, i := range c.cone {
		t := &q.terms[i]
		if t.of&changed == 0 {
			continue
		}
		q.work++
		if t.variable >= 0 {
			t.value = q.values[t.variable]
			continue
		}
		evaluate(t, q.terms, &t.value)
	}
}

// setBig sets x to a number modulo 2^256.
func setBig(x *uint256.Int, n *big.Int) {
	x.SetFromBig(n)
}

// number is what a variable is, as its type reads it.
func (q *satisfaction) number(variable int) *big.Int {
	if q.variables[variable].least.Sign() < 0 {
		return q.ints.signed(&q.values[variable])
	}
	return q.ints.of(&q.values[variable])
}

// aim makes a goal of a variable; false when the type does not have the number.
func (q *satisfaction) aim(variable int, n *big.Int) bool {
	v := &q.variables[variable]
	if n.Cmp(v.least) < 0 || n.Cmp(v.most) > 0 {
		return false
	}
	var x uint256.Int
	setBig(&x, n)
	return q.set(int32(variable), &x)
}

// among draws one of some variables, a bit each; −1 where there is none.
func (q *satisfaction) among(variables uint32) int {
	n := 0
	for rest := variables; rest != 0; rest &= rest - 1 {
		n++
	}
	if n == 0 {
		return -1
	}
	at := 0
	for n = q.rand.IntN(n); ; at++ {
		if variables>>at&1 == 0 {
			continue
		}
		if n == 0 {
			return at
		}
		n--
	}
}
