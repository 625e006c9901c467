package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// minimise makes a sequence smaller while keeps answers true for it, which is
// taken for granted of seq itself. It never executes anything: keeps does, and
// may give up by answering false from some point on.
//
// First calls are dropped, from large chunks to single ones (delta debugging,
// Zeller and Hildebrandt, TSE 2002). Then words are made plainer: zero, else one,
// else a smaller number by halving. Both repeat until nothing changes.
func minimise(space *input.Space, seq input.Sequence, keeps func(input.Sequence) bool) input.Sequence {
	for {
		shorter := dropCalls(seq, keeps)
		plainer := plainWords(space, shorter, keeps)
		if plainer.Equal(seq) {
			return plainer
		}
		seq = plainer
	}
}

func dropCalls(seq input.Sequence, keeps func(input.Sequence) bool) input.Sequence {
	for size := (len(seq) + 1) / 2; size >= 1; size /= 2 {
		for at := 0; at+size <= len(seq) && size < len(seq); {
			shorter := slices.Concat(seq[:at], seq[at+size:])
			if keeps(shorter) {
				seq = shorter
			} else {
				at += size
			}
		}
	}
	return seq
}

func plainWords(space *input.Space, seq input.Sequence, keeps func(input.Sequence) bool) input.Sequence {
	zero, one := new(uint256.Int), uint256.NewInt(1)
	for _, word := range input.AppendWords(nil, seq) {
		for _, plain := range []*uint256.Int{zero, one} {
			x, ok := space.Get(seq, word)
			if !ok || !plain.Lt(&x) {
				break // gone with a shorter array, or already as plain
			}
			if plainer, ok := space.With(seq, word, plain); ok && keeps(plainer) {
				seq = plainer
				break
			}
		}
		seq = halve(space, seq, word, keeps)
	}
	return seq
}

// halve divides a word by two while that keeps: one probe for a word that is
// needed as it is, at most 256 for one that is not.
func halve(space *input.Space, seq input.Sequence, word input.Word, keeps func(input.Sequence) bool) input.Sequence {
	if word.Kind == input.SenderWord {
		return seq
	}
	for {
		x, ok := space.Get(seq, word)
		if !ok || x.LtUint64(2) {
			return seq
		}
		smaller, ok := space.With(seq, word, x.Rsh(&x, 1))
		if !ok || !keeps(smaller) {
			return seq
		}
		seq = smaller
	}
}
