package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// spliceInterval: one mutant in so many is made of two seeds. Arbitrary, but not
// smaller: at least half of all mutants must differ in one word.
const spliceInterval = 8

// demandedShare: where state fuzzing showed that a function takes other branches from
// other states, one mutant in so many gets other calls before the last. Arbitrary: the
// remaining mutants vary the arguments.
const demandedShare = 2

// mutate makes the next input from the task's seed, in scratch memory (FuzzInput). A
// splice puts calls that change state before the seed's: calls that are not new in
// themselves may open a guard there (the pool of prefixes of harvey §5). Half of the splices
// put there a call that writes what the seed's last call reads, if one is known.
func (w *worker) mutate(t *task) lead {
	if w.without.Sequences {
		if mutant, ok := w.mutator.MutateLast(w.rand, w.mutant, t.sequence); ok {
			w.mutant = mutant
			return lead{sequence: mutant}
		}
	}
	if input.IsTest(t.sequence) { // no other call goes with it
		w.mutant = w.mutator.MutateInto(w.rand, w.mutant, t.sequence)
		return lead{sequence: w.mutant}
	}
	if t.demanded.wanted > 0 && w.rand.IntN(demandedShare) == 0 {
		if next, ok := w.varyContext(t); ok {
			return next
		}
	}
	if (t.prelude != nil || t.writer != nil) && w.rand.IntN(spliceInterval) == 0 {
		next := w.splice(t)
		next.joined = true
		return next
	}
	w.mutant = w.mutator.MutateInto(w.rand, w.mutant, t.sequence)
	return lead{sequence: w.mutant}
}

// splice makes an input of two seeds.
func (w *worker) splice(t *task) lead {
	if t.repeated != nil && w.rand.IntN(4) == 0 {
		if next, ok := w.repeatCall(t); ok {
			return next
		}
	}
	if t.prelude == nil || t.writer != nil && w.rand.IntN(2) == 0 {
		return lead{sequence: w.mutator.Precede(w.rand, t.writer.Unpack(), t.sequence)}
	}
	return lead{sequence: w.mutator.Splice(w.rand, t.prelude.Unpack(), t.sequence)}
}
