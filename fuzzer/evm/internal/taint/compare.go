package taint

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// compare follows comparisons.
func (s *step) compare() {
	a, b := *s.shadow(0), *s.shadow(1)
	if a.flags&b.flags&constant != 0 {
		s.replace(2, s.constant())
		return
	}
	switch s.op {
	case vm.LT, vm.GT:
		s.tell(&a, usedUnsigned)
		s.tell(&b, usedUnsigned)
	case vm.SLT, vm.SGT:
		s.tell(&a, usedSigned)
		s.tell(&b, usedSigned)
	}
	id := s.sets.union(a.taint, b.taint)
	if s.op == vm.EQ && s.sameWord(&a, &b) {
		id = s.sets.unanswered(id)
	}
	w := s.fresh(id, boolean)
	w.truth = &truth{op: s.op, left: *s.arg(0), right: *s.arg(1), lt: a.taint, rt: b.taint}
	s.replace(2, w)
}

// sameWord reports whether two words are one but for bits that a type has no room for:
// comparing them is how decoders see that a word is of its type, and says nothing about
// what a program makes of it.
func (s *step) sameWord(a, b *word) bool {
	return a.root != 0 && a.root == b.root && (a.flags^b.flags)&negated == 0
}

// isZero follows ISZERO: of a comparison, it is the opposite.
func (s *step) isZero() {
	a := *s.shadow(0)
	if a.flags&constant != 0 {
		return
	}
	w := s.fresh(a.taint, boolean|(a.flags^negated)&negated)
	w.root = a.root
	if a.truth != nil {
		opposite := *a.truth
		opposite.negated = !opposite.negated
		w.truth = &opposite
	} else {
		w.truth = &truth{op: vm.ISZERO, left: *s.arg(0), right: uint256.Int{}, lt: a.taint}
	}
	s.replace(1, w)
}
