package lookahead

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// unary is the Value of ISZERO, NOT or CLZ.
func (v *values) unary(op vm.OpCode, a Value) Value {
	x := v.get(a)
	switch op {
	case vm.ISZERO:
		if x.hi.IsZero() {
			return constant(1)
		}
		if !x.lo.IsZero() {
			return constant(0)
		}
		return boolean
	case vm.NOT:
		var r interval
		r.lo.Not(&x.hi)
		r.hi.Not(&x.lo)
		y := v.signed(a)
		s := set{unsigned: r}
		s.signed.lo.Not(&y.hi)
		s.signed.hi.Not(&y.lo)
		return v.internSet(&s)
	case vm.CLZ:
		var r interval
		r.lo.SetUint64(uint64(256 - x.hi.BitLen()))
		r.hi.SetUint64(uint64(256 - x.lo.BitLen()))
		return v.intern(r)
	}
	return Top
}

// binary is the Value of an operation on two words, a on top of the stack. On
// constants it is what the EVM computes.
func (v *values) binary(op vm.OpCode, a, b Value) Value {
	a, b = a.plain(), b.plain()
	if a == Top && b == Top {
		return topResult(op)
	}
	if r, ok := v.memoized(uint8(op), a, b); ok {
		return r
	}
	var r Value
	if x, y := v.get(a), v.get(b); x.isConstant() && y.isConstant() {
		z := concrete(op, &x.lo, &y.lo)
		r = v.constant(&z)
	} else {
		x, y := *x, *y // not to be moved when a Value is added
		r = v.ranges(op, &x, &y)
		switch op {
		case vm.ADD, vm.SUB, vm.EQ, vm.SAR:
			if v.unsigned {
				break
			}
			fallthrough
		case vm.SLT, vm.SGT, vm.SIGNEXTEND:
			x, y = *v.signed(a), *v.signed(b)
			if signed := v.signedRanges(op, &x, &y); signed != Top {
				r, _ = v.meet(r, signed) // both contain every result
			}
		}
	}
	return v.memoize(uint8(op), a, b, r)
}

// topResult is the Value of an operation on two unknown words.
func topResult(op vm.OpCode) Value {
	switch op {
	case vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ:
		return boolean
	case vm.BYTE:
		return byteRange
	}
	return Top
}

// signedRanges bounds the result of an operation on intervals of signed words, not both
// constant.
func (v *values) signedRanges(op vm.OpCode, x, y *interval) Value {
	switch op {
	case vm.ADD:
		return v.signedSum(x, y)
	case vm.SUB:
		return v.signedDifference(x, y)
	case vm.SLT, vm.SGT:
		return v.signedComparison(op, x, y)
	case vm.EQ:
		if x.hi.Slt(&y.lo) || y.hi.Slt(&x.lo) {
			return constant(0)
		}
	case vm.SAR:
		if x.isConstant() {
			return v.internSigned(interval{shift(op, &x.lo, &y.lo), shift(op, &x.lo, &y.hi)})
		}
	case vm.SIGNEXTEND:
		return v.extended(x, y)
	}
	return Top
}

// signedSum is Top when some pair overflows.
func (v *values) signedSum(x, y *interval) Value {
	var r interval
	if addOverflows(&r.lo, &x.lo, &y.lo) || addOverflows(&r.hi, &x.hi, &y.hi) {
		return Top
	}
	return v.internSigned(r)
}

func (v *values) signedDifference(x, y *interval) Value {
	var r interval
	if subOverflows(&r.lo, &x.lo, &y.hi) || subOverflows(&r.hi, &x.hi, &y.lo) {
		return Top
	}
	return v.internSigned(r)
}

// addOverflows adds signed words, and reports whether the sum is none.
func addOverflows(z, x, y *uint256.Int) bool {
	z.Add(x, y)
	return x.Sign() < 0 == (y.Sign() < 0) && z.Sign() < 0 != (x.Sign() < 0)
}

func subOverflows(z, x, y *uint256.Int) bool {
	z.Sub(x, y)
	return x.Sign() < 0 != (y.Sign() < 0) && z.Sign() < 0 != (x.Sign() < 0)
}

// concrete computes as the EVM does (yellow paper, appendix H.2; EIP-145).
func concrete(op vm.OpCode, x, y *uint256.Int) uint256.Int {
	var z uint256.Int
	switch op {
	case vm.ADD:
		z.Add(x, y)
	case vm.SUB:
		z.Sub(x, y)
	case vm.MUL:
		z.Mul(x, y)
	case vm.DIV:
		z.Div(x, y)
	case vm.SDIV:
		z.SDiv(x, y)
	case vm.MOD:
		z.Mod(x, y)
	case vm.SMOD:
		z.SMod(x, y)
	case vm.EXP:
		z.Exp(x, y)
	case vm.SIGNEXTEND:
		z.ExtendSign(y, x)
	case vm.AND:
		z.And(x, y)
	case vm.OR:
		z.Or(x, y)
	case vm.XOR:
		z.Xor(x, y)
	case vm.BYTE:
		z = *y
		z.Byte(x)
	case vm.SHL, vm.SHR, vm.SAR:
		z = shift(op, x, y)
	default:
		if compare(op, x, y) {
			z.SetOne()
		}
	}
	return z
}

func compare(op vm.OpCode, x, y *uint256.Int) bool {
	switch op {
	case vm.LT:
		return x.Lt(y)
	case vm.GT:
		return x.Gt(y)
	case vm.SLT:
		return x.Slt(y)
	case vm.SGT:
		return x.Sgt(y)
	}
	return x.Eq(y)
}

// shift moves y by x bits.
func shift(op vm.OpCode, x, y *uint256.Int) uint256.Int {
	n := uint(256)
	if x.LtUint64(256) {
		n = uint(x[0])
	}
	var z uint256.Int
	switch op {
	case vm.SHL:
		z.Lsh(y, n)
	case vm.SHR:
		z.Rsh(y, n)
	default:
		z.SRsh(y, n)
	}
	return z
}

// ranges bounds the result of an operation on intervals that are not both
// constant.
func (v *values) ranges(op vm.OpCode, x, y *interval) Value {
	switch op {
	case vm.ADD:
		return v.sum(x, y)
	case vm.SUB:
		return v.difference(x, y)
	case vm.MUL:
		return v.product(x, y)
	case vm.DIV, vm.MOD, vm.SDIV, vm.SMOD:
		return v.quotient(op, x, y)
	case vm.LT, vm.GT, vm.EQ:
		return v.comparison(op, x, y)
	case vm.SLT, vm.SGT:
		return boolean
	case vm.AND, vm.OR, vm.XOR:
		return v.bitwise(op, x, y)
	case vm.SHL, vm.SHR, vm.SAR:
		return v.shifted(op, x, y)
	case vm.BYTE:
		return byteRange
	}
	return Top
}

// sum is exact when all pairs overflow or none does.
func (v *values) sum(x, y *interval) Value {
	var r interval
	_, low := r.lo.AddOverflow(&x.lo, &y.lo)
	_, high := r.hi.AddOverflow(&x.hi, &y.hi)
	if low != high {
		return Top
	}
	return v.intern(r)
}

func (v *values) difference(x, y *interval) Value {
	var r interval
	_, low := r.lo.SubOverflow(&x.lo, &y.hi)
	_, high := r.hi.SubOverflow(&x.hi, &y.lo)
	if low != high {
		return Top
	}
	return v.intern(r)
}

func (v *values) product(x, y *interval) Value {
	var r interval
	if _, overflow := r.hi.MulOverflow(&x.hi, &y.hi); overflow {
		return Top
	}
	r.lo.Mul(&x.lo, &y.lo)
	return v.intern(r)
}

// quotient treats the signed operations only where both operands are surely not
// negative, when they are the unsigned ones. Division by zero gives zero.
func (v *values) quotient(op vm.OpCode, x, y *interval) Value {
	if (op == vm.SDIV || op == vm.SMOD) && (x.hi.Sign() < 0 || y.hi.Sign() < 0) {
		return Top
	}
	if y.hi.IsZero() {
		return constant(0)
	}
	var r interval
	if op == vm.MOD || op == vm.SMOD {
		if x.hi.Lt(&y.lo) {
			return v.intern(*x)
		}
		r.hi.SubUint64(&y.hi, 1)
		if x.hi.Lt(&r.hi) {
			r.hi = x.hi
		}
		return v.intern(r)
	}
	if y.lo.IsZero() {
		r.hi = x.hi
		return v.intern(r)
	}
	r.lo.Div(&x.lo, &y.hi)
	r.hi.Div(&x.hi, &y.lo)
	return v.intern(r)
}

func (v *values) comparison(op vm.OpCode, x, y *interval) Value {
	switch op {
	case vm.GT:
		x, y = y, x
	case vm.EQ:
		if x.hi.Lt(&y.lo) || y.hi.Lt(&x.lo) {
			return constant(0)
		}
		return boolean
	}
	if x.hi.Lt(&y.lo) {
		return constant(1)
	}
	if !x.lo.Lt(&y.hi) {
		return constant(0)
	}
	return boolean
}

func (v *values) signedComparison(op vm.OpCode, x, y *interval) Value {
	if op == vm.SGT {
		x, y = y, x
	}
	if x.hi.Slt(&y.lo) {
		return constant(1)
	}
	if !x.lo.Slt(&y.hi) {
		return constant(0)
	}
	return boolean
}

func (v *values) bitwise(op vm.OpCode, x, y *interval) Value {
	var r interval
	if op == vm.AND {
		if y.isConstant() {
			x, y = y, x
		}
		if x.isConstant() {
			return v.masked(&x.lo, y)
		}
		r.hi = x.hi
		if y.hi.Lt(&r.hi) {
			r.hi = y.hi
		}
		return v.intern(r)
	}
	r.hi = *lowBits(uint(max(x.hi.BitLen(), y.hi.BitLen())))
	if op == vm.OR {
		r.lo = x.lo
		if y.lo.Gt(&r.lo) {
			r.lo = y.lo
		}
	}
	return v.intern(r)
}

// masked is AND with a constant. Masks of low bits (2^k − 1, clean-up to a
// type's width) and of high bits (rounding down to words) are what compilers use.
func (v *values) masked(mask *uint256.Int, y *interval) Value {
	var next, r interval
	next.lo.AddUint64(mask, 1)
	if next.hi.And(&next.lo, mask); next.hi.IsZero() { // mask is 2^k − 1
		if !y.hi.Gt(mask) {
			return v.intern(*y)
		}
		r.hi = *mask
		return v.intern(r)
	}
	low := new(uint256.Int).Not(mask)
	next.lo.AddUint64(low, 1)
	if next.hi.And(&next.lo, low); next.hi.IsZero() { // mask is −2^k: monotone
		r.lo.And(&y.lo, mask)
		r.hi.And(&y.hi, mask)
		return v.intern(r)
	}
	r.hi = *mask
	if y.hi.Lt(mask) {
		r.hi = y.hi
	}
	return v.intern(r)
}

// shifted is y moved by x bits.
func (v *values) shifted(op vm.OpCode, x, y *interval) Value {
	if op == vm.SAR && y.hi.Sign() < 0 {
		return Top
	}
	var r interval
	if op == vm.SHL {
		if !x.isConstant() || !x.lo.LtUint64(256) || y.hi.BitLen()+int(x.lo[0]) > 256 {
			if x.isConstant() && !x.lo.LtUint64(256) {
				return constant(0)
			}
			return Top
		}
		r.lo = shift(op, &x.lo, &y.lo)
		r.hi = shift(op, &x.lo, &y.hi)
		return v.intern(r)
	}
	r.lo = shift(op, &x.hi, &y.lo)
	r.hi = shift(op, &x.lo, &y.hi)
	return v.intern(r)
}

// extended is y extended from x+1 bytes: y itself if it is a signed word of that size.
func (v *values) extended(x, y *interval) Value {
	if !x.isConstant() {
		return Top
	}
	if !x.lo.LtUint64(31) {
		return v.internSigned(*y)
	}
	of := signedWords(&x.lo)
	if y.lo.Slt(&of.lo) || y.hi.Sgt(&of.hi) {
		return v.internSigned(of)
	}
	return v.internSigned(*y)
}

// signedWords are the signed words of n+1 bytes, n at most 31.
func signedWords(n *uint256.Int) interval {
	var i interval
	i.hi = *lowBits(8*uint(n[0]) + 7)
	i.lo.Not(&i.hi)
	return i
}

// ternary is the Value of ADDMOD or MULMOD.
func (v *values) ternary(op vm.OpCode, a, b, n Value) Value {
	x, y, m := v.get(a), v.get(b), *v.get(n)
	if m.hi.IsZero() {
		return constant(0)
	}
	if x.isConstant() && y.isConstant() && m.isConstant() {
		var z uint256.Int
		if op == vm.ADDMOD {
			z.AddMod(&x.lo, &y.lo, &m.lo)
		} else {
			z.MulMod(&x.lo, &y.lo, &m.lo)
		}
		return v.constant(&z)
	}
	var r interval
	r.hi.SubUint64(&m.hi, 1)
	return v.intern(r)
}
