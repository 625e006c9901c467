package input

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// interval holds the numbers from one to another, both included (Cousot and Cousot, POPL 1977: intervals). They are unsigned and do not wrap.
type interval struct{ lo, hi uint256.Int }

var anyWord = interval{hi: *new(uint256.Int).SetAllOne()}

func only(x *uint256.Int) interval   { return interval{*x, *x} }
func upTo(most uint256.Int) interval { return interval{hi: most} }
func truths(lo, hi uint64) interval  { return interval{*uint256.NewInt(lo), *uint256.NewInt(hi)} }
func (s *interval) isOnly() bool     { return s.lo == s.hi }
func (s *interval) is(n uint64) bool { return s.isOnly() && s.lo.IsUint64() && s.lo.Uint64() == n }

func (s *interval) has(x *uint256.Int) bool { return !x.Lt(&s.lo) && !x.Gt(&s.hi) }

// intervalOf is what a variable can be.
func intervalOf(v *Variable) (s interval) {
	if v.least.Sign() < 0 {
		return anyWord // as unsigned numbers, those of a signed type lie at both ends
	}
	setBig(&s.lo, v.least)
	setBig(&s.hi, v.most)
	return s
}

// intervalOfSum is what a sum can be, and whether it may wrap.
func intervalOfSum(a, b *interval) (s interval, wraps bool) {
	_, wraps = s.hi.AddOverflow(&a.hi, &b.hi)
	if _, always := s.lo.AddOverflow(&a.lo, &b.lo); wraps && !always {
		return anyWord, true
	}
	return s, wraps
}

// intervalOfProduct is what a product can be, and whether it may wrap.
func intervalOfProduct(a, b *interval) (s interval, wraps bool) {
	if _, wraps = s.hi.MulOverflow(&a.hi, &b.hi); wraps {
		return anyWord, true
	}
	s.lo.Mul(&a.lo, &b.lo)
	return s, false
}

// intervalOfDifference is what a difference can be; ordered: the first operand is at least as large as the second one.
func intervalOfDifference(a, b *interval, ordered bool) (s interval) {
	if !ordered && a.lo.Lt(&b.hi) {
		return anyWord
	}
	if b.lo.Lt(&a.hi) {
		s.hi.Sub(&a.hi, &b.lo)
	}
	if b.hi.Lt(&a.lo) {
		s.lo.Sub(&a.lo, &b.hi)
	}
	return s
}

// intervalOfWord is what other operations can come to, than sums, differences and products.
func intervalOfWord(op vm.OpCode, a, b *interval) (s interval) {
	s = anyWord
	switch op {
	case vm.DIV:
		s.hi = a.hi // by zero, it is zero
		if s.lo.Clear(); !b.lo.IsZero() {
			s.lo.Div(&a.lo, &b.hi)
			s.hi.Div(&a.hi, &b.lo)
		}
	case vm.MOD:
		switch {
		case a.hi.Lt(&b.lo):
			return *a
		case b.hi.IsZero():
			return interval{}
		}
		s.hi.SubUint64(&b.hi, 1)
		s.hi = least(&s.hi, &a.hi)
	case vm.AND:
		s.hi = least(&a.hi, &b.hi)
	case vm.OR, vm.XOR:
		s.hi.Rsh(&anyWord.hi, 256-uint(max(a.hi.BitLen(), b.hi.BitLen())))
		if op == vm.OR {
			s.lo = most(&a.lo, &b.lo)
		}
	case vm.NOT:
		s.lo.Not(&a.hi)
		s.hi.Not(&a.lo)
	case vm.SHR:
		s.hi = b.hi
		if a.isOnly() {
			s.lo.Rsh(&b.lo, shift(&a.lo))
			s.hi.Rsh(&b.hi, shift(&a.lo))
		}
	case vm.SHL:
		if by := shift(&a.hi); a.isOnly() && uint(b.hi.BitLen())+by <= 256 {
			s.lo.Lsh(&b.lo, by)
			s.hi.Lsh(&b.hi, by)
		}
	case vm.BYTE:
		s.hi.SetUint64(255)
	}
	return s
}

// added, subtracted and multiplied stop at what a word holds, and at zero.
func added(a, b *uint256.Int) (sum uint256.Int) {
	if _, overflow := sum.AddOverflow(a, b); overflow {
		return anyWord.hi
	}
	return sum
}

func subtracted(a, b *uint256.Int) (difference uint256.Int) {
	if _, underflow := difference.SubOverflow(a, b); underflow {
		return uint256.Int{}
	}
	return difference
}

func multiplied(a, b *uint256.Int) (product uint256.Int) {
	if _, overflow := product.MulOverflow(a, b); overflow {
		return anyWord.hi
	}
	return product
}

// ceiling is a quotient, rounded up.
func ceiling(a, b *uint256.Int) (quotient uint256.Int) {
	var rest uint256.Int
	if quotient.DivMod(a, b, &rest); !rest.IsZero() {
		quotient.AddUint64(&quotient, 1)
	}
	return quotient
}

func least(a, b *uint256.Int) uint256.Int {
	if a.Lt(b) {
		return *a
	}
	return *b
}

func most(a, b *uint256.Int) uint256.Int {
	if a.Lt(b) {
		return *b
	}
	return *a
}
