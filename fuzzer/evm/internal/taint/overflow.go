package taint

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// computed is an operation on numbers: what the EVM makes of it, and whether that is what
// arithmetic says, of numbers without and with a sign.
type computed struct {
	result         uint256.Int
	wraps          bool
	wrapsAsSigned  bool
	looksSigned    bool // an operand may be a small negative number
	looksDifferent bool // shifts and powers have nothing to do with signs
}

// smallNegative is where numbers begin that are more likely negative than so large:
// 2^256 − 2^128.
var smallNegative = new(uint256.Int).Lsh(new(uint256.Int).Not(new(uint256.Int)), 128)

func isSmallNegative(x *uint256.Int) bool { return !x.Lt(smallNegative) }

// compute carries out an operation; a is the top of the stack.
func compute(op vm.OpCode, a, b *uint256.Int) computed {
	c := computed{looksSigned: isSmallNegative(a) || isSmallNegative(b)}
	switch op {
	case vm.ADD:
		_, c.wraps = c.result.AddOverflow(a, b)
		c.wrapsAsSigned = a.Sign() < 0 == (b.Sign() < 0) && c.result.Sign() < 0 != (a.Sign() < 0)
	case vm.SUB:
		_, c.wraps = c.result.SubOverflow(a, b)
		c.wrapsAsSigned = a.Sign() < 0 != (b.Sign() < 0) && c.result.Sign() < 0 != (a.Sign() < 0)
	case vm.MUL:
		_, c.wraps = c.result.MulOverflow(a, b)
		c.wrapsAsSigned = productOverflows(a, b)
	case vm.EXP:
		c.result.Exp(a, b)
		c.wraps, c.looksDifferent = powerOverflows(a, b), true
	case vm.SHL:
		c.looksDifferent = true
		if a.LtUint64(256) {
			c.result.Lsh(b, uint(a.Uint64()))
			c.wraps = b.BitLen()+int(a.Uint64()) > 256
		} else {
			c.wraps = !b.IsZero()
		}
	case vm.SDIV:
		c.result.SDiv(a, b)
		c.wraps = a.Eq(lowest) && isMinusOne(b)
		c.wrapsAsSigned = c.wraps
	}
	return c
}

// lowest is the least signed number: −2^255.
var lowest = new(uint256.Int).Lsh(uint256.NewInt(1), 255)

func isMinusOne(x *uint256.Int) bool {
	var not uint256.Int
	return not.Not(x).IsZero()
}

// productOverflows reports whether the product of two signed numbers is none.
func productOverflows(a, b *uint256.Int) bool {
	var x, y, p uint256.Int
	x.Abs(a)
	y.Abs(b)
	if _, over := p.MulOverflow(&x, &y); over {
		return true
	}
	if a.Sign()*b.Sign() < 0 {
		return p.Gt(lowest)
	}
	return !p.Lt(lowest)
}

// powerOverflows reports whether a power is beyond a word.
func powerOverflows(base, exponent *uint256.Int) bool {
	if base.LtUint64(2) {
		return false
	}
	if !exponent.LtUint64(256) {
		return true // 2^256 already is
	}
	power := uint256.NewInt(1)
	for range exponent.Uint64() {
		if _, over := power.MulOverflow(power, base); over {
			return true
		}
	}
	return false
}

// isLowMask reports whether a word is 2^(8k) − 1 for a k from 1 to 31: what cuts a number to
// its type.
func isLowMask(x *uint256.Int) bool {
	n := x.BitLen()
	if n == 0 || n == 256 || n%8 != 0 {
		return false
	}
	var above uint256.Int
	above.AddUint64(x, 1)
	return above.BitLen() == n+1
}

// isPowerOfTwo tells bases of shifts.
func isPowerOfTwo(x *uint256.Int) bool {
	var less uint256.Int
	less.SubUint64(x, 1)
	return !x.IsZero() && less.And(&less, x).IsZero()
}
