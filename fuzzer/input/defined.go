package input

import (
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// Bounds of what is tried through definitions. Arbitrary.
const (
	// definedStart: one fresh start of a search in so many, the first one among them, tries to go through definitions before.
	definedStart = 4
	// maxPivots: so many terms of an equality are looked for.
	maxPivots = 4
	// maxPasses bounds the definitions that are used, each of which takes a pass over the terms.
	maxPasses = 8
)

// definition is an equality that says what a variable is: it is one of its sides, and does not come up in the other.
type definition struct {
	variable int32
	term     int32 // the other side
}

// throughDefinitions solves equalities that fail, such as total = 1000, in variables that others define, such as total = net + tax
// and tax = net·19/100. Mended one after the other, each undoes the one before, where products are rounded or have no
// divisor of the right size. So variables count as what defines them, and the equality is one of some other variable, or of a
// product of two: of net, which is then taken apart. It reports whether the search moved on.
func (q *satisfaction) throughDefinitions() bool {
	q.best = q.best[:0]
	for _, at := range q.amiss {
		c := &q.wanted[at]
		if !c.equates() {
			continue
		}
		q.ints.release()
		if defined := q.definitions(at); len(defined) > 0 {
			q.solveThrough(c, defined)
		}
	}
	if len(q.best) == 0 || q.least >= q.cost {
		return false
	}
	q.move()
	return true
}

// definitions are those that an equality depends on, at most maxPasses, each after those that it is made of.
func (q *satisfaction) definitions(but int) (all []definition) {
	made := make([]uint32, len(q.variables)) // of which variables a defined one is made, through others as well, a bit each
	depends, used := q.wanted[but].variables(q.terms), make([]bool, len(q.wanted))
	used[but] = true
	for news := true; news; {
		news = false
		for i := range q.wanted {
			c := &q.wanted[i]
			if used[i] || len(all) == maxPasses || !c.equates() || c.variables(q.terms)&depends == 0 {
				continue
			}
			if d, ok := q.defines(c, made); ok {
				all = append(all, d)
				used[i], news = true, true
				depends |= q.terms[d.term].of
			}
		}
	}
	return inOrder(all, made)
}

// defines reads an equality as a definition of a variable that has none, and does not come up in what it would be made of.
func (q *satisfaction) defines(c *wish, made []uint32) (definition, bool) {
	for _, side := range [2][2]int32{{c.left, c.right}, {c.right, c.left}} {
		v := q.terms[side[0]].variable
		if v < 0 || made[v] != 0 || !q.terms[side[1]].moves {
			continue
		}
		of := q.terms[side[1]].of
		for w := range made {
			if of>>w&1 != 0 {
				of |= made[w]
			}
		}
		if of>>v&1 != 0 {
			continue
		}
		for w := range made {
			if made[w]>>v&1 != 0 {
				made[w] |= of
			}
		}
		made[v] = of
		return definition{v, side[1]}, true
	}
	return definition{}, false
}

// inOrder puts definitions after those of the variables that they are made of.
func inOrder(all []definition, made []uint32) (ordered []definition) {
	for len(all) > 0 {
		i := slices.IndexFunc(all, func(d definition) bool {
			return !slices.ContainsFunc(all, func(e definition) bool { return made[d.variable]>>e.variable&1 != 0 })
		})
		ordered = append(ordered, all[i]) // none is made of itself
		all = slices.Delete(all, i, i+1)
	}
	return ordered
}

// solveThrough considers values of one variable, or of one product, with which an equality holds if each definition does.
func (q *satisfaction) solveThrough(c *wish, defined []definition) {
	cone := q.coneThrough(c, defined)
	for _, pivot := range q.pivots(cone, defined) {
		x, ok := q.bisect(q.ints.next().SetInt64(0), false, func(x *big.Int) (*big.Int, bool) { return q.gapThrough(c, defined, cone, pivot, x) })
		q.restore(^uint32(0))
		if !ok {
			continue
		}
		if t := &q.terms[pivot]; t.variable < 0 {
			q.takeApart(t, &x, defined)
		} else if q.goals = q.goals[:0]; q.set(t.variable, &x) {
			q.considerThrough(defined)
		}
	}
}

// coneThrough lists the terms that an equality is computed of, and what defines the variables among them, in order.
func (q *satisfaction) coneThrough(c *wish, defined []definition) (cone []int32) {
	cone = append(cone, c.cone...)
	found := make([]int32, len(q.terms))
	for i, d := range defined {
		cone = q.coneOf(d.term, found, int32(i+1), cone)
	}
	slices.Sort(cone)
	return slices.Compact(cone)
}

// pivots are variables and products of two terms in a cone that no definition is of.
func (q *satisfaction) pivots(cone []int32, defined []definition) (all []int32) {
	without := uint32(0)
	for _, d := range defined {
		without |= 1 << d.variable
	}
	for _, i := range cone {
		t := &q.terms[i]
		if t.of&without == 0 && len(all) < maxPivots && (t.variable >= 0 || t.op == vm.MUL && q.terms[t.args[0]].moves && q.terms[t.args[1]].moves) {
			all = append(all, i)
		}
	}
	return all
}

// gapThrough is by how much an equality fails where one term has another value, and defined variables are what defines them.
// It leaves the terms as they are then.
func (q *satisfaction) gapThrough(c *wish, defined []definition, cone []int32, pivot int32, x *big.Int) (*big.Int, bool) {
	if x.Cmp(whole) >= 0 {
		return nil, false
	}
	if v := q.terms[pivot].variable; v >= 0 && x.Cmp(q.variables[v].most) > 0 {
		return nil, false
	}
	setBig(&q.terms[pivot].value, x)
	for i := -1; i < len(defined); i++ {
		for _, at := range cone {
			t := &q.terms[at]
			switch {
			case at == pivot:
			case t.variable < 0:
				evaluate(t, q.terms, &t.value)
			case i >= 0 && t.variable == defined[i].variable:
				t.value = q.terms[defined[i].term].value
			}
		}
		q.work += len(cone)
	}
	return q.gapOf(c), true
}

// takeApart considers factors of a product.
func (q *satisfaction) takeApart(t *term, x *uint256.Int, defined []definition) {
	if x.IsZero() {
		return
	}
	all, work := q.notes.factors.divisors(x.ToBig())
	q.apart += work
	for i, begin := 0, q.rand.IntN(len(all)); i < min(len(all), pairsPerStep); i++ {
		var d, other uint256.Int
		setBig(&d, all[(begin+i)%len(all)])
		other.Div(x, &d)
		q.goals, q.fuel = q.goals[:0], maxBackward
		if q.word(t.args[0], d) && q.word(t.args[1], other) {
			q.considerThrough(defined)
		}
	}
}

// considerThrough considers the goals, with defined variables as what defines them is then.
func (q *satisfaction) considerThrough(defined []definition) {
	q.exchange()
	changed := q.changed()
	q.compute(changed)
	for _, d := range defined {
		x := q.terms[d.term].value
		if changed>>d.variable&1 != 0 || !q.fits(d.variable, &x) {
			continue
		}
		q.goals = append(q.goals, goal{d.variable, q.values[d.variable]})
		q.values[d.variable] = x
		q.compute(1 << d.variable)
	}
	changed = q.changed()
	q.propose(q.weigh(changed))
	q.exchange()
	q.restore(changed)
}
