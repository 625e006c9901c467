package lookahead

import (
	"github.com/ethereum/go-ethereum/core/vm"
)

// maxDepth bounds how far back a branch condition is followed through the
// operations that made it. solc's conditions are a comparison under up to three
// ISZEROs and an OR or AND; the rest is reserve.
const maxDepth = 8

// assume narrows the state to the executions in which the word is not zero (truth) or
// zero; false when there are none. It follows the word back to the comparison that
// computed it: after a jump on ISZERO(EQ(x, 5)) that was not taken, every copy of x
// is 5.
func (m *interpreter) assume(w symbol, truth bool, depth int) bool {
	if truth {
		return m.constrain(w, nonzero, depth)
	}
	return m.constrain(w, constant(0), depth)
}

// constrain narrows a word to a Value; false when no word is left. When the word becomes
// known to be zero or nonzero, its operands are narrowed, too. (If it was known before,
// that was derived from its operands' Values.)
func (m *interpreter) constrain(w symbol, to Value, depth int) bool {
	at := &m.words[w]
	if at.link != 0 {
		w = m.find(w)
		at = &m.words[w]
	}
	before := at.value
	after, ok := m.v.meet(before, to.plain())
	if !ok {
		return false
	}
	if after == before {
		return true
	}
	m.undo = append(m.undo, undone{w, at.value, at.link})
	at.value = after
	if depth > maxDepth {
		return true
	}
	if (len(m.relations) > 0 || at.link != 0) && !m.propagate(w, depth) {
		return false
	}
	if at.op == 0 {
		return true
	}
	switch i := m.v.get(after); {
	case i.hi.IsZero():
		return m.refine(at, false, depth+1)
	case !i.lo.IsZero():
		return m.refine(at, true, depth+1)
	}
	return true
}

// refine narrows the operands of an operation whose result is nonzero (truth) or
// zero.
func (m *interpreter) refine(w *word, truth bool, depth int) bool {
	switch w.op {
	case vm.ISZERO:
		return m.assume(w.a, !truth, depth)
	case vm.EQ:
		return m.refineEqual(w.a, w.b, truth, depth)
	case vm.SUB, vm.XOR: // zero just when the operands are equal
		return m.refineEqual(w.a, w.b, !truth, depth)
	case vm.LT:
		return m.refineLess(w.a, w.b, truth, depth)
	case vm.GT:
		return m.refineLess(w.b, w.a, truth, depth)
	case vm.SLT:
		return m.refineSignedLess(w.a, w.b, truth, depth)
	case vm.SGT:
		return m.refineSignedLess(w.b, w.a, truth, depth)
	case vm.AND:
		if truth {
			return m.assume(w.a, true, depth) && m.assume(w.b, true, depth)
		}
	case vm.OR:
		if !truth {
			return m.assume(w.a, false, depth) && m.assume(w.b, false, depth)
		}
	}
	return true
}

// refineEqual narrows two words that are equal, or not.
func (m *interpreter) refineEqual(a, b symbol, equals bool, depth int) bool {
	if !m.intervals {
		if holds, known := m.compare(equal, a, b); known && holds != equals {
			return false
		}
	}
	if equals {
		if !m.constrain(a, m.value(b), depth) || !m.constrain(b, m.value(a), depth) {
			return false
		}
		m.merge(a, b)
		return true
	}
	m.relate(equal, a, b, false)
	return m.refineDifferent(a, b, depth) && m.refineDifferent(b, a, depth)
}

// refineDifferent narrows a, which is not b: if b is constant and a bound of a in one of
// the orders, the bound moves by one.
func (m *interpreter) refineDifferent(a, b symbol, depth int) bool {
	x, known := m.v.known(m.value(b))
	if !known {
		return true
	}
	before := m.value(a)
	switch u, i := m.v.get(before), m.v.signed(before); {
	case u.isConstant():
		return u.lo != *x
	case u.lo != *x && u.hi != *x && (m.intervals || i.lo != *x && i.hi != *x):
		return true
	}
	s := m.v.set(before)
	u, i := &s.unsigned, &s.signed
	switch *x {
	case u.lo:
		u.lo.AddUint64(x, 1)
	case u.hi:
		u.hi.SubUint64(x, 1)
	}
	switch *x {
	case i.lo:
		i.lo.AddUint64(x, 1)
	case i.hi:
		i.hi.SubUint64(x, 1)
	}
	s.reduce() // of two words or more, one is left
	return m.constrain(a, m.v.internSet(&s), depth)
}

// refineLess narrows two words with a < b (truth) or a ≥ b.
func (m *interpreter) refineLess(a, b symbol, truth bool, depth int) bool {
	return m.refineOrder(less, a, b, truth, depth)
}

// refineSignedLess is refineLess for signed words. Without signed bounds it learns only of
// words that are known not to be negative: solc's signed arithmetic on small numbers.
func (m *interpreter) refineSignedLess(a, b symbol, truth bool, depth int) bool {
	if m.intervals {
		if m.v.get(m.value(a)).hi.Sign() < 0 || m.v.get(m.value(b)).hi.Sign() < 0 {
			return true
		}
		return m.refineLess(a, b, truth, depth)
	}
	return m.refineOrder(signedLess, a, b, truth, depth)
}

func (m *interpreter) refineOrder(kind relationKind, a, b symbol, truth bool, depth int) bool {
	if !m.intervals {
		switch holds, known := m.compare(kind, a, b); {
		case !known:
			m.relate(kind, a, b, truth)
		case holds != truth:
			return false
		}
	}
	return m.bound(kind, a, b, truth, depth)
}

// bound narrows two words by each other's bounds, with a < b (truth) or a ≥ b.
func (m *interpreter) bound(kind relationKind, a, b symbol, truth bool, depth int) bool {
	lower, atMost, atLeast, more := opLess, opAtMost, opAtLeast, opMore
	if kind == signedLess {
		lower, atMost, atLeast, more = opSignedLess, opSignedAtMost, opSignedAtLeast, opSignedMore
	}
	if !truth { // b ≤ a
		a, b, lower, more = b, a, atMost, atLeast
	}
	high, some := m.v.bounded(lower, m.value(b))
	low, any := m.v.bounded(more, m.value(a))
	return some && any && m.constrain(a, high, depth) && m.constrain(b, low, depth)
}

// mark is a point to which rollback can return, as long as no instruction runs in
// between.
func (m *interpreter) mark() int { return len(m.undo) }

// rollback undoes all assumptions since the mark.
func (m *interpreter) rollback(mark int) {
	for i := len(m.undo) - 1; i >= mark; i-- {
		if u := &m.undo[i]; u.word == absent {
			m.relations = m.relations[:len(m.relations)-1]
		} else {
			at := &m.words[u.word]
			at.value, at.link = u.value, u.link
		}
	}
	m.undo = m.undo[:mark]
}
