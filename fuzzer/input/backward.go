package input

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// truth sets goals with which a term should be zero or not; false when it finds none.
func (q *satisfaction) truth(i int32, truth bool) bool {
	t := &q.terms[i]
	if q.fuel--; q.fuel < 0 || !t.moves {
		return false
	}
	switch t.op {
	case vm.ISZERO:
		return q.truth(t.args[0], !truth)
	case vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ:
		return q.compare(t, truth)
	case vm.AND, vm.OR:
		if a, b := &q.terms[t.args[0]], &q.terms[t.args[1]]; a.isTruth() && b.isTruth() {
			// One of them decides, or it takes both: then one that is not yet so.
			first := q.rand.IntN(2)
			if q.terms[t.args[first]].value.IsZero() != truth {
				first = 1 - first
			}
			return q.truth(t.args[first], truth) || q.truth(t.args[1-first], truth)
		}
	}
	var x uint256.Int
	if truth {
		x.SetUint64(1 + q.rand.Uint64N(8))
	}
	return q.word(i, x)
}

// isTruth reports whether a term is 0 or 1.
func (t *term) isTruth() bool {
	switch t.op {
	case vm.ISZERO, vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ:
		return true
	}
	return !t.moves && t.value.LtUint64(2)
}

// compare sets goals with which a comparison should come out as wanted: one operand
// becomes the other, or goes beyond it.
func (q *satisfaction) compare(t *term, truth bool) bool {
	side := q.operand(t)
	other := q.terms[t.args[1-side]].value
	x := other
	switch {
	case t.op == vm.EQ && truth:
	case t.op == vm.EQ:
		x.AddUint64(&x, 1+q.rand.Uint64N(4))
	default:
		// left < right, or left > right; where that is not to be, the two may be equal.
		down := (t.op == vm.LT || t.op == vm.SLT) == (side == 0) == truth
		gap := q.gap(&other)
		if !truth && oneIn(q.rand, 3) {
			gap.Clear()
		}
		if down {
			x.Sub(&x, &gap)
		} else {
			x.Add(&x, &gap)
		}
	}
	return q.word(t.args[side], x)
}

// gap is how far an operand goes beyond the other: not far, or as far as numbers of that size go.
func (q *satisfaction) gap(x *uint256.Int) uint256.Int {
	switch q.rand.IntN(3) {
	case 0:
		return *uint256.NewInt(1)
	case 1:
		return *uint256.NewInt(1 + q.rand.Uint64N(256))
	}
	var size uint256.Int
	size.Abs(x)
	return randomWord(q.rand, max(size.BitLen(), 1))
}

// operand chooses among a term's first two operands one that moves.
func (q *satisfaction) operand(t *term) int {
	side := q.rand.IntN(2)
	if !q.terms[t.args[side]].moves {
		side = 1 - side
	}
	return side
}

// word sets goals with which a term should be x; false when it finds none. What it computes of operands
// that stay is what the operator's inverse makes of them; where there is none, the nearest.
func (q *satisfaction) word(i int32, x uint256.Int) bool {
	t := &q.terms[i]
	if q.fuel--; q.fuel < 0 {
		return false // a product of products may branch at each
	}
	if t.variable >= 0 {
		return q.set(t.variable, &x)
	}
	if !t.moves {
		return false
	}
	if t.isTruth() {
		return q.truth(i, !x.IsZero())
	}
	if t.op == vm.MUL {
		return q.product(t, &x)
	}
	side := q.operand(t)
	if y, ok := invert(t, side, &q.terms[t.args[0]].value, &q.terms[t.args[1]].value, &x); ok {
		return q.word(t.args[side], y)
	}
	return false
}

// set makes a goal of a variable, which has one at most; false when the value does not fit.
func (q *satisfaction) set(variable int32, x *uint256.Int) bool {
	if !q.fits(variable, x) {
		return false
	}
	for i := range q.goals {
		if q.goals[i].variable == variable {
			q.goals[i].value = *x
			return true
		}
	}
	q.goals = append(q.goals, goal{variable, *x})
	return true
}

// invert is what an operand has to be for a term to be x, while the other stays.
func invert(t *term, side int, a, b, x *uint256.Int) (y uint256.Int, ok bool) {
	switch t.op {
	case vm.ADD:
		y.Sub(x, []*uint256.Int{b, a}[side])
	case vm.SUB:
		if y.Add(x, b); side == 1 {
			y.Sub(a, x)
		}
	case vm.XOR:
		y.Xor(x, []*uint256.Int{b, a}[side])
	case vm.NOT:
		y.Not(x)
	case vm.AND, vm.OR:
		return invertMask(t.op, []*uint256.Int{a, b}[side], []*uint256.Int{b, a}[side], x), true
	case vm.SIGNEXTEND:
		y = *x
		return y, side == 1
	case vm.SHL, vm.SHR, vm.SAR:
		return invertShift(t.op, shift(a), b, x), side == 1
	case vm.BYTE:
		return invertByte(a, b, x, side)
	case vm.DIV, vm.SDIV:
		return invertQuotient(side, a, b, x)
	case vm.MOD, vm.SMOD: // the next number with that rest
		var rest uint256.Int
		y.Add(x, y.Sub(a, rest.Mod(a, b)))
		return y, side == 0
	default:
		return y, false
	}
	return y, true
}

// invertQuotient is an operand of a division by which x comes out: of the dividends that do, one as little beyond the
// first as the last digit of the operand is; or a divisor, which does where the dividend is much larger than x.
func invertQuotient(side int, a, b, x *uint256.Int) (y uint256.Int, ok bool) {
	if side == 1 {
		if x.IsZero() {
			return *y.AddUint64(a, 1), true
		}
		return *y.Div(a, x), true
	}
	var last uint256.Int
	if y.Mul(x, b); !b.IsZero() {
		y.Add(&y, last.SubUint64(b, 1)) // what is multiplied after is rounded down
	}
	return y, true
}

// invertShift is what is shifted to give x. The bits that the shift drops stay as they are.
func invertShift(op vm.OpCode, by uint, mine, x *uint256.Int) (y uint256.Int) {
	var dropped uint256.Int
	dropped.SetAllOne()
	if op == vm.SHL {
		y.Rsh(x, by)
		dropped.Not(dropped.Rsh(&dropped, by))
	} else {
		y.Lsh(x, by)
		dropped.Not(dropped.Lsh(&dropped, by))
	}
	dropped.And(&dropped, mine)
	return *y.Or(&y, &dropped)
}

// invertByte puts a byte into a word, the first of which has the number 0.
func invertByte(at, mine, x *uint256.Int, side int) (y uint256.Int, ok bool) {
	if side != 1 || !at.LtUint64(32) || !x.LtUint64(256) {
		return y, false
	}
	word := mine.Bytes32()
	word[at.Uint64()] = byte(x.Uint64())
	return *y.SetBytes32(word[:]), true
}

// invertMask changes the bits of an operand that the other one lets through.
func invertMask(op vm.OpCode, mine, mask, x *uint256.Int) (y uint256.Int) {
	var open, rest uint256.Int
	open.Set(mask)
	if op == vm.OR {
		open.Not(mask)
	}
	rest.Not(&open)
	rest.And(&rest, mine)
	y.And(x, &open)
	return *y.Or(&y, &rest)
}

// maxDivisor is the largest divisor of a product that is looked for. Arbitrary.
const maxDivisor = 1 << 10

// product sets goals with which a product is x: one factor is x divided by the other, exactly, by
// its inverse modulo 2^256, or rounded; or the other becomes a divisor of x, too.
func (q *satisfaction) product(t *term, x *uint256.Int) bool {
	side := q.operand(t)
	mine, other := t.args[side], t.args[1-side]
	by := q.terms[other].value
	if q.terms[other].moves && (by.IsZero() || oneIn(q.rand, 2)) {
		by = q.divisor(x, &by)
		if !q.word(other, by) {
			return false
		}
	}
	if by.IsZero() {
		return x.IsZero()
	}
	return q.word(mine, quotient(x, &by))
}

// quotient is what times a factor is x: as signed numbers where that is exact, else modulo 2^256, else
// next to it.
func quotient(x, by *uint256.Int) uint256.Int {
	var y, back uint256.Int
	y.SDiv(x, by)
	if back.Mul(&y, by); back.Eq(x) {
		return y
	}
	y.Div(x, by)
	if back.Mul(&y, by); back.Eq(x) {
		return y
	}
	if x.Sign() < 0 && by.Sign() > 0 || by.Sign() < 0 {
		y.SDiv(x, by)
	}
	return y
}

// divisor is a small divisor of x, either sign; 1 where the draws meet none. Or what the
// other factor is, with its sign changed or a step further.
func (q *satisfaction) divisor(x, by *uint256.Int) (d uint256.Int) {
	var size, rest uint256.Int
	switch q.rand.IntN(8) {
	case 0:
		return *d.Neg(by)
	case 1: // what is asked for may change with the factor
		return *d.SetUint64(1 + q.rand.Uint64N(maxDivisor))
	}
	size.Abs(x)
	d.SetOne()
	if !size.IsZero() {
		for n, at := 0, 1+q.rand.Uint64N(maxDivisor); n < maxDivisor; n++ {
			try := uint256.NewInt(1 + (at+uint64(n))%maxDivisor)
			if rest.Mod(&size, try); rest.IsZero() {
				d = *try
				break
			}
		}
	}
	if oneIn(q.rand, 2) {
		d.Neg(&d)
	}
	return d
}
