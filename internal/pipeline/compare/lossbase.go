package compare

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// That an attack gains nothing on the base says little where other amounts do: a position that the head lets be liquidated,
// and the base a little later. So before a loss is believed, its attack is tried on the base with other amounts.

// What is tried of one attack at most. Arbitrary: some tenths of a second.
const (
	maxAttackWords = 8
	maxBaseRuns    = 4000
)

// tryOnBase makes an attack on the base with other amounts, one and two at a time, until it is known what is lost there; also
// with what the attacker's contract does in the middle of calls before or after them, since it may not be called there.
func (w *losses) tryOnBase(machine evm.Machine, one *seenLoss, left *effort) {
	from, to, ok := w.attack(one.sequence)
	carried := w.carry(one.sequence, nil).Clone()
	if !ok || to >= len(carried) {
		return
	}
	for _, attack := range append([]input.Sequence{carried[:to+1]}, w.Base.Space.Apart(carried[:to+1])...) {
		w.tryWithOthers(machine, one, attack, from, left)
	}
}

// tryWithOthers makes an attack, which begins at a call, on the base with other amounts.
func (w *losses) tryWithOthers(machine evm.Machine, one *seenLoss, attack input.Sequence, from int, left *effort) {
	to := len(attack) - 1
	run := func(seq input.Sequence) bool {
		if !left.left() || w.isKnown(one.loss) {
			return false
		}
		exec, err := machine.Run(w.Base.Space.Encode(seq, nil))
		if err != nil {
			return false
		}
		left.spend(exec)
		if !exec.Truncated && len(exec.Calls) > to {
			w.learn(exec, from, to)
		}
		return true
	}
	if !run(attack) {
		return
	}
	words := amountWords(attack)
	for i := range words {
		for _, first := range w.withOthers(attack, words[i], words) {
			if !run(first) || !w.eachOther(first, words[i+1:], words, run) {
				return
			}
		}
	}
}

// eachOther runs a sequence with other amounts in one of some words; false: run wants no more.
func (w *losses) eachOther(seq input.Sequence, in, words []input.Word, run func(input.Sequence) bool) bool {
	for _, at := range in {
		for _, other := range w.withOthers(seq, at, words) {
			if !run(other) {
				return false
			}
		}
	}
	return true
}

// amountWords are the words of a sequence that may be amounts, the first of them.
func amountWords(seq input.Sequence) []input.Word {
	var words []input.Word
	for call := range seq {
		for _, at := range input.AppendCallWords(nil, seq, call) {
			if len(words) < maxAttackWords && isAmount(seq, at) {
				words = append(words, at)
			}
		}
	}
	return words
}

// withOthers are a sequence with other amounts in one word: those of others, and some near its own.
func (w *losses) withOthers(seq input.Sequence, at input.Word, words []input.Word) []input.Sequence {
	own, ok := w.Base.Space.Get(seq, at)
	if !ok {
		return nil
	}
	values := []uint256.Int{{}, {}, {}, {}}
	values[0].AddUint64(&own, 1)
	values[1].SubUint64(&own, 1)
	values[2].Lsh(&own, 1)
	values[3].Rsh(&own, 1)
	for _, other := range words {
		if x, ok := w.Base.Space.Get(seq, other); ok {
			values = append(values, x)
		}
	}
	var list []input.Sequence
	for i := range values {
		if values[i] == own {
			continue
		}
		if other, ok := w.Base.Space.With(seq, at, &values[i]); ok {
			list = append(list, other)
		}
	}
	return list
}
