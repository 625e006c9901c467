package input

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// WithTwins is With for a word of a tuple, also in the other calls that name the same one.
func (s *Space) WithTwins(seq Sequence, w Word, x *uint256.Int) (Sequence, bool) {
	out := seq.Clone()
	tuple := tupleOf(out, &w)
	if !s.set(out, w, x) {
		return nil, false
	}
	if tuple != nil {
		setTwins(out, &w, tuple)
	}
	return out, true
}

// tupleOf is the argument that a word is part of, where that is a tuple of the call itself; nil elsewhere.
func tupleOf(seq Sequence, w *Word) *Value {
	if w.answer > 0 || w.depth < 2 || seq[w.Call].Function.Inputs[w.path[0]].Kind != Tuple {
		return nil
	}
	return &seq[w.Call].Args[w.path[0]]
}

// hasTwin reports whether another call names a tuple, as it was before the word was changed.
func hasTwin(seq Sequence, w *Word, tuple *Value) (has bool) {
	eachTwin(seq, w, tuple, func(int, int) { has = true })
	return has
}

// setTwins sets it in the other calls to what it is now.
func setTwins(seq Sequence, w *Word, tuple *Value) {
	now := seq[w.Call].Args[w.path[0]]
	eachTwin(seq, w, tuple, func(i, j int) { seq[i].Args = replaceAt(seq[i].Args, []uint16{uint16(j)}, now) })
}

func eachTwin(seq Sequence, w *Word, tuple *Value, visit func(i, j int)) {
	t := &seq[w.Call].Function.Inputs[w.path[0]]
	for i := range seq {
		for j := range seq[i].Args {
			if i != w.Call && seq[i].Function.Inputs[j].String() == t.String() && abi.Equal(&seq[i].Args[j], tuple) {
				visit(i, j)
			}
		}
	}
}
