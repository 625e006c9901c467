package lookahead

import (
	"github.com/ethereum/go-ethereum/core/vm"
)

// maxDepth bounds how far back a branch condition is followed through the
// operations that made it. solc's conditions are a comparison under up to three
// ISZEROs and an OR or AND; the rest is reserve.
const maxDepth = 8

// assume narrows what is known to the executions in which the word is not zero
// (truth) or zero; false when there are none. It follows the word back to the
// comparison that made it: after a jump on ISZERO(EQ(x, 5)) that was not taken,
// every copy of x is 5.
func (m *interpreter) assume(w symbol, truth bool, depth int) bool {
	if truth {
		return m.constrain(w, nonzero, depth)
	}
	return m.constrain(w, constant(0), depth)
}

// constrain narrows a word to a Value; false when no word is left. A word that
// becomes zero, or surely is not any more, tells about its operands. (One that
// was so before told its operands' Values when it was computed from them.)
func (m *interpreter) constrain(w symbol, to Value, depth int) bool {
	before := m.words[w].value
	after, ok := m.v.meet(before, to.plain())
	if !ok {
		return false
	}
	if after == before {
		return true
	}
	m.undo = append(m.undo, undone{w, before})
	m.words[w].value = after
	if m.words[w].op == 0 || depth > maxDepth {
		return true
	}
	switch i := m.v.get(after); {
	case i.hi.IsZero():
		return m.learn(m.words[w], false, depth+1)
	case !i.lo.IsZero():
		return m.learn(m.words[w], true, depth+1)
	}
	return true
}

// learn narrows the operands of an operation whose result is nonzero (truth) or
// zero.
func (m *interpreter) learn(w word, truth bool, depth int) bool {
	switch w.op {
	case vm.ISZERO:
		return m.assume(w.a, !truth, depth)
	case vm.EQ:
		return m.compared(w.a, w.b, truth, depth)
	case vm.SUB, vm.XOR: // zero just when the operands are equal
		return m.compared(w.a, w.b, !truth, depth)
	case vm.LT:
		return m.ordered(w.a, w.b, truth, depth)
	case vm.GT:
		return m.ordered(w.b, w.a, truth, depth)
	case vm.SLT:
		return m.signed(w.a, w.b, truth, depth)
	case vm.SGT:
		return m.signed(w.b, w.a, truth, depth)
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

// compared narrows two words that are equal, or not.
func (m *interpreter) compared(a, b symbol, equal bool, depth int) bool {
	if equal {
		return m.constrain(a, m.value(b), depth) && m.constrain(b, m.value(a), depth)
	}
	return m.differs(a, b, depth) && m.differs(b, a, depth)
}

// differs narrows a, which is not b: that takes a bound away if b is constant.
func (m *interpreter) differs(a, b symbol, depth int) bool {
	x, known := m.v.known(m.value(b))
	if !known {
		return true
	}
	i := *m.v.get(m.value(a))
	switch {
	case i.isConstant():
		return i.lo != *x
	case i.lo == *x:
		i.lo.AddUint64(x, 1)
	case i.hi == *x:
		i.hi.SubUint64(x, 1)
	default:
		return true
	}
	return m.constrain(a, m.v.intern(i), depth)
}

// ordered narrows two words with a < b (truth) or a ≥ b.
func (m *interpreter) ordered(a, b symbol, truth bool, depth int) bool {
	if !truth { // b ≤ a
		return m.atMost(b, a, depth)
	}
	high, some := m.v.bounded(opLess, m.value(b))
	low, any := m.v.bounded(opMore, m.value(a))
	return some && any && m.constrain(a, high, depth) && m.constrain(b, low, depth)
}

// atMost narrows two words with a ≤ b.
func (m *interpreter) atMost(a, b symbol, depth int) bool {
	high, _ := m.v.bounded(opAtMost, m.value(b))
	low, _ := m.v.bounded(opAtLeast, m.value(a))
	return m.constrain(a, high, depth) && m.constrain(b, low, depth)
}

// signed is ordered for the signed comparisons, of words known not to be
// negative: solc's signed arithmetic on small numbers.
func (m *interpreter) signed(a, b symbol, truth bool, depth int) bool {
	if m.v.get(m.value(a)).hi.Sign() < 0 || m.v.get(m.value(b)).hi.Sign() < 0 {
		return true
	}
	return m.ordered(a, b, truth, depth)
}

// mark is where the interpreter can go back to with rollback, as long as no
// instruction runs in between.
func (m *interpreter) mark() int { return len(m.undo) }

// rollback forgets what was assumed since the mark.
func (m *interpreter) rollback(mark int) {
	for i := len(m.undo) - 1; i >= mark; i-- {
		m.words[m.undo[i].word].value = m.undo[i].value
	}
	m.undo = m.undo[:mark]
}
