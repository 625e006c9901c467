package input

import (
	"math/big"
	"math/bits"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// rootShare: one way in so many to mend an equality in which a variable comes up several times looks for a root. Arbitrary: a
// root takes up to two evaluations for each bit of the variable, where the others take one.
const rootShare = 4

// root sets the goal with which an equality holds that has a variable several times, such as 3·a² + 7·a = b: what an operation
// asks of one operand helps little where the other one is made of the same variable. In steps that double, from zero or from
// what the variable is, it looks for a value on the other side, and halves the way there. That finds the root of what only rises
// or falls on that way.
func (q *satisfaction) root(at int) bool {
	c := &q.wanted[at]
	if !c.equates() {
		return false
	}
	curved := q.curvedIn(c)
	if curved == 0 || !oneIn(q.rand, rootShare) {
		return false
	}
	for range q.rand.IntN(bits.OnesCount32(curved)) {
		curved &= curved - 1
	}
	v := int32(bits.TrailingZeros32(curved))
	looked := q.looked
	defer func() { q.looked = looked + 1 }() // it is one attempt, whatever it costs
	near := q.ints.next().SetInt64(0)
	if oneIn(q.rand, 2) {
		near = q.ints.signed(&q.values[v])
	}
	down := q.variables[v].least.Sign() < 0 && oneIn(q.rand, 2)
	if x, ok := q.across(v, c, near, down); ok {
		return q.set(v, &x)
	}
	return false
}

// across is the value of a variable with which an equality holds, on one side of a value.
func (q *satisfaction) across(v int32, c *wish, near *big.Int, down bool) (uint256.Int, bool) {
	return q.bisect(near, down, func(x *big.Int) (*big.Int, bool) { return q.gapWith(v, c, x) })
}

// bisect is the number at which a gap is zero, on one side of a number, as described at root; false where a number that has no gap comes
// before it.
func (q *satisfaction) bisect(near *big.Int, down bool, gapAt func(*big.Int) (*big.Int, bool)) (uint256.Int, bool) {
	from, ok := gapAt(near)
	if !ok {
		return uint256.Int{}, false
	}
	if from.Sign() == 0 {
		return wordOf(near), true
	}
	far := near
	for step := q.ints.next().SetInt64(1); ; step.Lsh(step, 1) {
		next := q.ints.plus(near, step)
		if down {
			next.Sub(near, step)
		}
		gap, ok := gapAt(next)
		if !ok {
			return uint256.Int{}, false
		}
		if far = next; gap.Sign() != from.Sign() {
			break
		}
		near = next
	}
	for {
		middle := q.ints.plus(near, far)
		middle.Rsh(middle, 1)
		gap, ok := gapAt(middle)
		switch {
		case !ok:
			return uint256.Int{}, false
		case gap.Sign() == 0:
			return wordOf(middle), true
		case middle.Cmp(near) == 0 || middle.Cmp(far) == 0:
			gap, ok = gapAt(far)
			return wordOf(far), ok && gap.Sign() == 0
		case gap.Sign() == from.Sign():
			near = middle
		default:
			far = middle
		}
	}
}

// gapWith is by how much an equality fails with another value of a variable; false where that does not fit.
func (q *satisfaction) gapWith(v int32, c *wish, x *big.Int) (*big.Int, bool) {
	if known := &q.variables[v]; x.Cmp(known.least) < 0 || x.Cmp(known.most) > 0 {
		return nil, false
	}
	return q.gapAt(c, setting{int(v), x}), true
}

// wordOf is a number as a word.
func wordOf(x *big.Int) (word uint256.Int) {
	word.SetFromBig(x)
	return word
}

// curvedIn are the variables that come up on both sides of an operation, or of the equality itself.
func (q *satisfaction) curvedIn(c *wish) uint32 {
	if q.curved == nil {
		q.curved = make([]uint32, len(q.terms))
		for _, i := range q.needed {
			t := &q.terms[i]
			if t.variable >= 0 {
				continue
			}
			for _, a := range t.args {
				q.curved[i] |= q.curved[a]
			}
			if t.op == vm.ADD || t.op == vm.SUB || t.op == vm.MUL {
				q.curved[i] |= q.terms[t.args[0]].of & q.terms[t.args[1]].of
			}
		}
	}
	return q.curved[c.left] | q.curved[c.right] | q.terms[c.left].of&q.terms[c.right].of
}
