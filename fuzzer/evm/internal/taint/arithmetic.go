package taint

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// What a program's instructions tell of the sign of a word.
const (
	usedSigned   uint8 = 1 << iota // SLT, SGT, SDIV, SMOD, SAR, SIGNEXTEND; also of what SDIV, SMOD and SAR yield
	usedUnsigned                   // LT, GT, DIV, MOD
)

// operation is an arithmetic one, with its operands as they are recorded.
type operation struct {
	op          vm.OpCode
	left, right uint256.Int
	lw, rw      word
}

// operation is that of the instruction. An ADD of a constant that stands for a negative
// number is a SUB, as optimizers write it: they push it where they add it. One that comes from elsewhere,
// such as the argument type(uint256).max of a function, is what it says.
func (s *step) operation() operation {
	o := operation{s.op, *s.arg(0), *s.arg(1), *s.shadow(0), *s.shadow(1)}
	if o.op != vm.ADD {
		return o
	}
	if s.isPushedHere(&o.lw) && isSmallNegative(&o.left) {
		o.left, o.right, o.lw, o.rw = o.right, o.left, o.rw, o.lw
	}
	if s.isPushedHere(&o.rw) && isSmallNegative(&o.right) {
		o.op = vm.SUB
		o.right.Neg(&o.right)
	}
	return o
}

// isPushedHere reports whether a word is a constant of the block that runs.
func (s *step) isPushedHere(w *word) bool { return w.flags&constant != 0 && w.block == s.frame.block }

// constant is a word that the code itself tells.
func (s *step) constant() word { return word{flags: constant, block: s.frame.block} }

// arithmetic follows operations that may yield something else than arithmetic says.
func (s *step) arithmetic() {
	if s.shadow(0).flags&s.shadow(1).flags&constant != 0 {
		s.replace(2, s.constant())
		return
	}
	if s.op == vm.SDIV {
		s.tell(s.shadow(0), usedSigned)
		s.tell(s.shadow(1), usedSigned)
	}
	o := s.operation()
	c := compute(o.op, &o.left, &o.right)
	w := s.fresh(s.all(2), s.flagsOf(&o, &c))
	if s.op == vm.SDIV {
		s.tell(&w, usedSigned)
	}
	w.truth = s.differ(s.shadow(0), s.shadow(1))
	if o.op == vm.MUL && (o.left.IsZero() || o.right.IsZero()) { // whatever the other is
		w.taint = s.sets.unwrapped(w.taint)
	}
	if o.op == vm.SUB && s.sameWord(&o.lw, &o.rw) {
		w.taint = s.sets.unanswered(w.taint)
	}
	if w.flags&modular == 0 && !s.sets.taint(w.taint).Any(evm.Hashed) && s.shiftCounts(&o) {
		s.judge(&w, &o, &c)
	}
	s.replace(2, w)
}

// flagsOf are those of an operation's result.
func (s *step) flagsOf(o *operation, c *computed) flag {
	both := o.lw.flags | o.rw.flags
	flags := computes
	if o.op == vm.SHL || o.op == vm.SDIV || o.op == vm.MUL && (packs(&o.left, &o.lw) || packs(&o.right, &o.rw)) {
		flags = both & computes
	}
	if o.op == vm.MUL {
		flags |= both & boolean
	}
	if meansToWrap(o) || o.op == vm.MUL && c.wraps && s.isWide(&o.left, &o.right) {
		flags |= modular
	}
	return flags
}

// judge records an operation that overflows as the numbers that its operands are, as far
// as is known.
func (s *step) judge(result *word, o *operation, c *computed) {
	told := s.told(&o.lw) | s.told(&o.rw)
	signed := told&usedSigned != 0 && !c.looksDifferent
	if signed && !c.wrapsAsSigned || !signed && !c.wraps {
		return
	}
	w := evm.Wrap{
		Op: byte(o.op), Left: o.left, Right: o.right, Result: c.result, Signed: signed,
		LeftTaint: s.sets.taint(o.lw.taint), RightTaint: s.sets.taint(o.rw.taint),
	}
	explained := !c.wrapsAsSigned && !c.looksDifferent // by signed operands
	if explained && told&usedUnsigned == 0 && c.looksSigned {
		w.Doubt = evm.MaybeSigned
	}
	s.wrapped(result, w, explained, &o.lw, &o.rw)
}

// differ is the comparison that a difference is: it is zero where both are equal.
func (s *step) differ(lw, rw *word) *truth {
	if s.op != vm.SUB && s.op != vm.XOR {
		return nil
	}
	return &truth{op: vm.EQ, negated: true, left: *s.arg(0), right: *s.arg(1), lt: lw.taint, rt: rw.taint}
}

// meansToWrap reports whether an operation is part of an idiom whose words are meant modulo
// 2^256, or are masks: what compilers and libraries write.
func meansToWrap(o *operation) bool {
	both := o.lw.flags | o.rw.flags
	switch {
	case both&modular != 0:
		return true
	case o.op == vm.SUB && o.lw.flags&constant != 0 && o.left.IsZero(): // −x
		return true
	case o.op == vm.SUB && both&boolean != 0: // a mask of a truth, or a borrow
		return true
	case o.op == vm.EXP && o.lw.flags&constant != 0 && isPowerOfTwo(&o.left): // a shift
		return true
	case o.op == vm.SHL && o.rw.flags&constant != 0: // a bit, or a mask
		return true
	}
	return false
}

// packs reports whether a factor moves a number by whole bytes: that is how words are packed
// where the EVM has no shifts.
func packs(factor *uint256.Int, w *word) bool {
	return w.flags&constant != 0 && isPowerOfTwo(factor) && factor.BitLen() > 1 && (factor.BitLen()-1)%8 == 0
}

// shiftCounts tells shifts of numbers from those that pack a word: these are by a constant
// number of bytes, of what was not computed. Optimizers write other constant shifts where
// a number is multiplied.
func (s *step) shiftCounts(o *operation) bool {
	return o.op != vm.SHL || o.lw.flags&constant == 0 || o.left.Uint64()%8 != 0 || o.rw.flags&computes != 0
}

// maxProducts bounds the products that a frame remembers: both halves are computed close to
// each other.
const maxProducts = 8

// modulo follows ADDMOD and MULMOD.
func (s *step) modulo() {
	a, b := *s.arg(0), *s.arg(1)
	if s.op == vm.MULMOD && isMinusOne(s.arg(2)) {
		f := s.frame
		if len(f.products) == maxProducts {
			f.products = f.products[1:]
		}
		f.products = append(f.products, [2]uint256.Int{a, b})
		for k := max(0, len(s.trace.Wraps)-maxProducts); k < len(s.trace.Wraps); k++ {
			if w := &s.trace.Wraps[k]; w.Op == byte(vm.MUL) && w.Frame == f.index && sameFactors(a, b, w.Left, w.Right) {
				w.Doubt = evm.Wide
			}
		}
	}
	s.replace(3, s.fresh(s.all(3), modular))
}

func sameFactors(a, b, c, d uint256.Int) bool { return a == c && b == d || a == d && b == c }

// isWide reports whether the high word of a product was computed.
func (s *step) isWide(a, b *uint256.Int) bool {
	return slices.ContainsFunc(s.frame.products, func(p [2]uint256.Int) bool { return sameFactors(p[0], p[1], *a, *b) })
}

// divide follows what makes numbers smaller.
func (s *step) divide() {
	number := s.shadow(0)
	if s.op == vm.SHR || s.op == vm.SAR || s.op == vm.BYTE {
		number = s.shadow(1)
	}
	switch s.op {
	case vm.DIV, vm.MOD:
		s.tell(s.shadow(0), usedUnsigned)
		s.tell(s.shadow(1), usedUnsigned)
	case vm.SMOD:
		s.tell(s.shadow(0), usedSigned)
		s.tell(s.shadow(1), usedSigned)
	case vm.SAR:
		s.tell(number, usedSigned)
	}
	s.result(number.flags & modular)
	w := s.shadow(0)
	if s.op == vm.SMOD || s.op == vm.SAR {
		s.tell(w, usedSigned)
	}
	if s.op == vm.DIV || s.op == vm.SHR || s.op == vm.SAR {
		w.flags |= number.flags & computes
	}
}

// result pushes a word made of two, which is a constant if both are.
func (s *step) result(flags flag) {
	if s.shadow(0).flags&s.shadow(1).flags&constant != 0 {
		s.replace(2, s.constant())
		return
	}
	s.replace(2, s.fresh(s.all(2), flags))
}

// bitwise follows operations on bits, some of which cut a number to its type.
func (s *step) bitwise() {
	if s.op == vm.NOT {
		w := *s.shadow(0)
		if w.flags&constant == 0 {
			w = s.fresh(w.taint, modular)
		}
		s.replace(1, w)
		return
	}
	a, b := *s.shadow(0), *s.shadow(1)
	mask, number := 0, 1 // operands, by their place
	if s.op == vm.AND && b.flags&constant != 0 {
		mask, number = 1, 0
	}
	cut := s.op == vm.SIGNEXTEND || s.op == vm.AND
	if cut && s.shadow(mask).flags&constant != 0 && s.shadow(number).flags&constant == 0 {
		s.cut(mask, number)
		return
	}
	flags := (a.flags | b.flags) & modular
	if s.op == vm.XOR && (a.flags&constant != 0 && b.flags&computes != 0 || b.flags&constant != 0 && a.flags&computes != 0) {
		flags |= modular // the first guess of a modular inverse
	}
	truth := s.differ(&a, &b)
	same := s.sameWord(&a, &b)
	s.result(flags)
	s.shadow(0).truth = truth
	if s.op == vm.XOR && same {
		s.shadow(0).taint = s.sets.unanswered(s.shadow(0).taint)
	}
}

// cut follows AND and SIGNEXTEND with a constant. What is cut off counts if it is part of
// an arithmetic result, and no event already says that this one is not right.
func (s *step) cut(mask, number int) {
	w := *s.shadow(number)
	raw, bound := *s.arg(number), *s.arg(mask)
	var result uint256.Int
	if s.op == vm.SIGNEXTEND {
		s.tell(&w, usedSigned)
		result.ExtendSign(&raw, &bound)
	} else {
		result.And(&raw, &bound)
	}
	counts := s.op == vm.SIGNEXTEND || isLowMask(&bound)
	made := s.fresh(w.taint, w.flags&modular)
	made.root = w.root
	made.flags |= w.flags & negated
	if counts && w.flags&computes != 0 && w.flags&modular == 0 && result != raw && !s.sets.taint(w.taint).Any(evm.Hashed) {
		s.cuts(&w, &made, evm.Wrap{
			Op: byte(s.op), Left: raw, Right: bound, Result: result, Signed: s.op == vm.SIGNEXTEND, LeftTaint: s.sets.taint(w.taint),
		})
	}
	s.replace(2, made)
}

// cuts records that bits of an arithmetic result are cut off: once, however often its
// copies are cut.
func (s *step) cuts(raw, made *word, w evm.Wrap) {
	if k, already := s.made[raw.value]; already {
		made.taint = s.sets.union(made.taint, s.sets.label(evm.OfWrapped, k))
		return
	}
	s.wrapped(made, w, false)
	if k, recorded := s.made[made.value]; recorded {
		s.made[raw.value] = k
	}
}

// wrapped records an operation, and labels its result. asSigned tells that signed operands
// would make it right.
func (s *step) wrapped(result *word, w evm.Wrap, asSigned bool, operands ...*word) {
	if !s.room(len(s.trace.Wraps)) {
		return
	}
	k := len(s.trace.Wraps)
	w.At = s.at()
	s.trace.Wraps = append(s.trace.Wraps, w)
	result.taint = s.sets.union(result.taint, s.sets.label(evm.OfWrapped, k))
	s.made[result.value] = k
	if asSigned {
		for _, o := range append(operands, result) {
			if o.root != 0 {
				s.wraps[o.root] = append(s.wraps[o.root], k)
			}
		}
	}
}

// tell notes what an instruction says of the sign of a word. An operation that was recorded
// before may be explained by it.
func (s *step) tell(w *word, sign uint8) {
	if w.root == 0 {
		return
	}
	if int(w.root) >= len(s.evidence) {
		s.evidence = append(s.evidence, make([]uint8, int(w.root)+1-len(s.evidence))...)
	}
	s.evidence[w.root] |= sign
	for _, k := range s.wraps[w.root] {
		event := &s.trace.Wraps[k]
		switch {
		case sign == usedSigned:
			event.Doubt = evm.UsedSigned
		case event.Doubt == evm.MaybeSigned:
			event.Doubt = evm.NoDoubt
		}
	}
}

// told is what is known of the sign of a word.
func (s *step) told(w *word) uint8 {
	if int(w.root) >= len(s.evidence) {
		return 0
	}
	return s.evidence[w.root]
}
