package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// prependWriter puts the writer of a mapping before the seed's last call: of a dozen
// variables a call mostly needs two or three, and chance puts the right writers there
// too late. Mostly they write another element: see keySubstitution.
func (m *mutation) prependWriter(t *task, writer input.Packed) (lead, bool) {
	last := len(t.sequence) - 1
	seq := slices.Concat(t.sequence[:last], writer.Unpack(), t.sequence[last:])
	return lead{sequence: seq, joined: true}, len(seq) <= t.longest(t.seqLen)
}

// longest is the most calls of a task's mutants: as many as the seed has, or the given
// number, within the task's budget.
func (t *task) longest(calls int) int {
	return int(min(uint64(max(calls, len(t.sequence))), t.calls))
}

// varyContext makes a sequence with other calls before the seed's last one: the mutations
// of harvey §5, and those of mufuzz §IV-A. False when there are none to put there.
func (m *mutation) varyContext(t *task) (lead, bool) {
	m.mutator.SetSeqLen(t.longest(max(t.demanded.length, t.seqLen)))
	defer m.mutator.SetSeqLen(t.longest(t.seqLen))
	type operation func(*task) (lead, bool)
	weighed := []operation{m.prependChain, m.prependChain, m.prependChain, m.repeatCall, m.repeatCall, m.repeatSequence, m.insertPrelude, m.insertPrelude, m.replacePrefix}
	first := m.rand.IntN(len(weighed))
	for i := range weighed { // one that is not possible leaves its turn to the next
		if next, ok := weighed[(first+i)%len(weighed)](t); ok {
			next.onDemand, next.joined = true, true
			return next, true
		}
	}
	return lead{}, false
}

// prependChain puts a chain of writers before the seed's last call.
func (m *mutation) prependChain(t *task) (lead, bool) {
	if len(t.chains) == 0 {
		return lead{}, false
	}
	return lead{sequence: m.mutator.Before(m.rand, t.chains[m.rand.IntN(len(t.chains))].Unpack(), t.sequence)}, true
}

// insertPrelude puts the calls of an entry that changes state before the seed's.
func (m *mutation) insertPrelude(t *task) (lead, bool) {
	if t.prelude == nil {
		return lead{}, false
	}
	return lead{sequence: m.mutator.Precede(m.rand, t.prelude.Unpack(), t.sequence)}, true
}

// replacePrefix puts such calls in the place of all but the seed's last.
func (m *mutation) replacePrefix(t *task) (lead, bool) {
	if t.prelude == nil {
		return lead{}, false
	}
	last := t.sequence[len(t.sequence)-1:]
	return lead{sequence: m.mutator.Before(m.rand, t.prelude.Unpack(), last)}, true
}
