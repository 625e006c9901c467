package input

import (
	"math/big"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// maxCrossings bounds the values of one variable that are tried at once. Arbitrary.
const maxCrossings = 10

// crossings considers values of one variable at which a condition changes, while all others stay: where the line or the parabola
// through its operands' difference crosses zero; where it does so modulo a power of two; and where an operand wraps,
// since x < x + y holds of no x otherwise than x + y beyond 2^n, say.
func (q *satisfaction) crossings(at int) {
	c := &q.wanted[at]
	v := q.among(c.variables(q.terms))
	if v < 0 || !c.compares {
		return
	}
	x := q.number(v)
	var values []*big.Int
	add := func(step *big.Int) {
		if step != nil && len(values) < maxCrossings {
			values = append(values, q.ints.plus(x, step))
		}
	}
	next := q.ints.plus(x, one)
	if c.op != vm.EQ {
		for _, operand := range [...]int32{c.left, c.right} {
			if q.terms[operand].of>>v&1 != 0 {
				q.wraps(c, operand, setting{v, next}, add)
			}
		}
	}
	gap := q.gapOf(c)
	slope := q.gapAt(c, setting{v, next})
	slope.Sub(slope, gap)
	if slope.Sign() != 0 {
		root, rest := q.ints.over(q.ints.negated(gap), slope)
		add(root)
		if c.op != vm.EQ || !c.truth {
			add(q.ints.plus(root, one))
			add(q.ints.minus(root, one))
		} else if rest.Sign() != 0 {
			for _, bits := range [...]uint{uint(q.variables[v].most.BitLen()), 256} {
				add(q.rootModulo(gap, slope, bits))
			}
		}
	}
	if c.equates() {
		q.parabola(c, v, gap, slope, add)
	}
	q.tryValues(v, values)
}

// tryValues considers each of some values of a variable.
func (q *satisfaction) tryValues(v int, values []*big.Int) {
	for _, n := range values {
		if q.goals = q.goals[:0]; q.aim(v, q.wrapped(&q.variables[v], n)) {
			q.consider()
		}
	}
}

// wrapped is n modulo 2^256 as a number that a variable can be; else n as it is.
func (q *satisfaction) wrapped(v *Variable, n *big.Int) *big.Int {
	if n.Cmp(v.least) >= 0 && n.Cmp(v.most) <= 0 {
		return n
	}
	var x uint256.Int
	if setBig(&x, n); v.least.Sign() < 0 {
		return q.ints.signed(&x)
	}
	return q.ints.of(&x)
}

// wraps adds the steps of a variable after which an operand has just wrapped, and just not yet: at 2^n, at zero, and between the
// signs, for the n of the variables' types and 256.
func (q *satisfaction) wraps(c *wish, operand int32, next setting, add func(*big.Int)) {
	var is, then uint256.Int
	is = q.terms[operand].value
	q.exchangeWith([]setting{next}, func(changed uint32) { q.computeCone(c, changed) })
	then = q.terms[operand].value
	q.computeCone(c, 1<<next.variable)
	slope := q.ints.signed(new(uint256.Int).Sub(&then, &is))
	if slope.Sign() == 0 {
		return
	}
	isSigned := c.op == vm.SLT || c.op == vm.SGT
	value := q.ints.of(&is)
	if isSigned {
		value = q.ints.signed(&is)
	}
	bits := uint(q.variables[q.among(c.variables(q.terms))].most.BitLen())
	if isSigned {
		bits++
	}
	if oneIn(q.rand, 2) {
		bits = 256
	}
	for _, edge := range q.edges(bits, isSigned) {
		// The step after which the operand is beyond the edge, or at it.
		step, rest := q.ints.over(q.ints.minus(edge, value), slope)
		sign := q.ints.next().SetInt64(int64(step.Sign()))
		add(step)
		if rest.Sign() != 0 || oneIn(q.rand, 2) {
			add(q.ints.plus(step, sign))
		} else {
			add(q.ints.minus(step, sign))
		}
	}
}

// edges are the numbers at which words of so many bits wrap.
func (q *satisfaction) edges(bits uint, isSigned bool) [2]*big.Int {
	if isSigned {
		half := q.ints.next().Lsh(one, bits-1)
		return [2]*big.Int{half, q.ints.minus(q.ints.negated(half), one)}
	}
	return [2]*big.Int{q.ints.next().Lsh(one, bits), q.ints.negated(one)}
}

// rootModulo is the step after which gap + slope·step is zero modulo 2^bits, by the slope's inverse; nil where there is none.
func (q *satisfaction) rootModulo(gap, slope *big.Int, bits uint) *big.Int {
	zeros := slope.TrailingZeroBits()
	if zeros >= bits || gap.Sign() != 0 && gap.TrailingZeroBits() < zeros {
		return nil
	}
	modulus := q.ints.next().Lsh(one, bits-zeros)
	odd := q.ints.next().Rsh(slope, zeros)
	step := q.ints.next().ModInverse(odd.Mod(odd, modulus), modulus)
	if step == nil {
		return nil
	}
	step.Mul(step, q.ints.next().Rsh(q.ints.negated(gap), zeros))
	return step.Mod(step, modulus)
}

// parabola adds the steps after which a difference that grows by a rising slope is zero.
func (q *satisfaction) parabola(c *wish, v int, gap, slope *big.Int, add func(*big.Int)) {
	second := q.gapAt(c, setting{v, q.ints.plus(q.number(v), q.ints.next().SetInt64(2))})
	// gap + b·t + a·t², with a = bend/2 and b = slope − bend/2.
	bend := second.Sub(second, q.ints.plus(gap, q.ints.next().Lsh(slope, 1)))
	if bend.Sign() == 0 {
		return
	}
	// bend·t² + (2·slope − bend)·t + 2·gap = 0
	b := q.ints.minus(q.ints.next().Lsh(slope, 1), bend)
	inside := q.ints.next().Mul(b, b)
	inside.Sub(inside, q.ints.next().Mul(q.ints.next().Lsh(bend, 3), gap))
	if inside.Sign() < 0 {
		return
	}
	root := inside.Sqrt(inside)
	for range 2 {
		t := q.ints.minus(root, b)
		add(t.Quo(t, q.ints.next().Lsh(bend, 1)))
		root = q.ints.negated(root)
	}
}
