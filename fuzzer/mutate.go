package fuzzer

import "github.com/sightline-evm/sightline/fuzzer/input"

// mutation makes mutants of a task's seed: of its words, and of the calls before its last.
type mutation struct {
	*tools
	mutant input.Sequence // scratch
}

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
func (m *mutation) mutate(t *task) lead {
	if m.without.Sequences {
		if mutant, ok := m.mutator.MutateLast(m.rand, m.mutant, t.sequence); ok {
			m.mutant = mutant
			return lead{sequence: mutant}
		}
	}
	if input.IsTest(t.sequence) { // no other call goes with it
		m.mutant = m.mutator.MutateInto(m.rand, m.mutant, t.sequence)
		return lead{sequence: m.mutant}
	}
	if t.demanded.wanted > 0 && m.rand.IntN(demandedShare) == 0 {
		if next, ok := m.varyContext(t); ok {
			return next
		}
	}
	if (t.prelude != nil || t.writer != nil) && m.rand.IntN(spliceInterval) == 0 {
		next := m.splice(t)
		next.joined = true
		return next
	}
	m.mutant = m.mutator.MutateInto(m.rand, m.mutant, t.sequence)
	return lead{sequence: m.mutant}
}

// splice makes an input of two seeds.
func (m *mutation) splice(t *task) lead {
	if t.repeated != nil && m.rand.IntN(4) == 0 {
		if next, ok := m.repeatCall(t); ok {
			return next
		}
	}
	if t.prelude == nil || t.writer != nil && m.rand.IntN(2) == 0 {
		return lead{sequence: m.mutator.Precede(m.rand, t.writer.Unpack(), t.sequence)}
	}
	return lead{sequence: m.mutator.Splice(m.rand, t.prelude.Unpack(), t.sequence)}
}
