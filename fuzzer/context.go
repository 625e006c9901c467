package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// sequenceContext holds calls of other entries that may be put before a seed's last
// call. Any may be nil.
type sequenceContext struct {
	prelude        input.Packed   // its last call changes state
	writer         input.Packed   // its last call writes what the seed's reads
	chains         []input.Packed // each call writes what the next one reads, and the last what the seed's does
	repeated       input.Packed   // its last call reads and writes what the seed's reads
	climbs         bool           // whether it is repeated with other numbers, see climb
	mappingWriters []input.Packed // each writes a mapping of which the seed wants an element, or what a plan waits for, see prependWriter
}

// maxChains bounds the chains that one task is given. Arbitrary: most are wrong, but
// making them takes no execution.
const maxChains = 16

// contextOf picks what may be put before a seed's last call; chains only where they are
// demanded.
func (c *Campaign) contextOf(seed *Seed, demanded bool, energy Energy) (s sequenceContext) {
	if before := c.schedule().prelude(c.suite, c.rand); before != nil {
		s.prelude = before.Calls
	}
	if c.Without.RawOrder {
		return s
	}
	if before := c.suite.writer(seed, c.rand); before != nil {
		s.writer = before.Calls
		if demanded {
			for range min(int(energy), maxChains) {
				s.chains = append(s.chains, c.suite.closure(seed, c.rand, c.maxSeqLen-1))
			}
		}
	}
	if before := c.suite.accumulator(seed, c.rand); before != nil {
		s.repeated = before.Calls
		s.climbs = seed.Selected >= firstClimb && seed.Selected&(seed.Selected-1) == 0
	}
	if !c.Without.Sequences && seed.Selected&(seed.Selected-1) == 0 { // the first, second, fourth … pick
		for _, key := range seed.wants {
			if writers := c.suite.writers[key]; len(writers) > 0 {
				s.mappingWriters = append(s.mappingWriters, writers[c.rand.IntN(len(writers))].Calls)
			}
		}
	}
	return s
}

// prependWriter puts the writer of a mapping before the seed's last call: of a dozen
// variables a call mostly needs two or three, and chance puts the right writers there
// too late. Mostly they write another element: see substituteKeys.
func (w *worker) prependWriter(t *task, writer input.Packed) (lead, bool) {
	last := len(t.sequence) - 1
	seq := slices.Concat(t.sequence[:last], writer.Unpack(), t.sequence[last:])
	return lead{sequence: seq, joined: true}, len(seq) <= w.longest(t, t.seqLen)
}

// closureShare: a chain of writers ends after each with a probability of one in so many.
// Arbitrary.
const closureShare = 5

// closure is a chain of calls, at most so many, each of which writes what the next one
// reads, up to what the seed's last call reads: `set`, `copy`, and so on. None of them
// needs to show anything new on its own.
func (s *Suite) closure(seed *Seed, r input.Rand, most int) input.Packed {
	var calls input.Packed // from the last to the first
	for at := seed; len(calls) < most; {
		if len(calls) > 0 && r.IntN(closureShare) == 0 {
			break
		}
		if at = s.writer(at, r); at == nil {
			break
		}
		calls = append(calls, at.Calls[len(at.Calls)-1])
	}
	slices.Reverse(calls)
	return calls
}

// accumulator picks an entry whose last call reads and writes a variable that the seed's
// last call reads, too, and that decides a branch somewhere: repeating it has another
// effect each time (mufuzz §IV-A). Nil when there is none.
func (s *Suite) accumulator(seed *Seed, r input.Rand) *Seed {
	var found *Seed
	known := 0
	for _, key := range seed.reads {
		if !s.deciding[key] {
			continue
		}
		for _, w := range s.writers[key] {
			if _, reads := slices.BinarySearch(w.reads, key); !reads {
				continue
			}
			if known++; r.IntN(known) == 0 { // each with the same probability
				found = w
			}
		}
	}
	return found
}

// longest is the most calls of a task's mutants: as many as the seed has, or the given
// number, within the task's budget.
func (w *worker) longest(t *task, calls int) int {
	return int(min(uint64(max(calls, len(t.sequence))), t.calls))
}

// demandedShare: where state fuzzing showed that a function takes other branches from
// other states, one mutant in so many gets other calls before the last. Arbitrary: the
// remaining mutants vary the arguments.
const demandedShare = 2

// varyContext makes a sequence with other calls before the seed's last one: the mutations
// of harvey §5, and those of mufuzz §IV-A. False when there are none to put there.
func (w *worker) varyContext(t *task) (lead, bool) {
	w.mutator.SetSeqLen(w.longest(t, max(t.demanded.length, t.seqLen)))
	defer w.mutator.SetSeqLen(w.longest(t, t.seqLen))
	type operation func(*task) (lead, bool)
	weighed := []operation{w.prependChain, w.prependChain, w.prependChain, w.repeatCall, w.repeatCall, w.repeatSequence, w.insertPrelude, w.insertPrelude, w.replacePrefix}
	first := w.rand.IntN(len(weighed))
	for i := range weighed { // one that is not possible leaves its turn to the next
		if next, ok := weighed[(first+i)%len(weighed)](t); ok {
			next.onDemand, next.joined = true, true
			return next, true
		}
	}
	return lead{}, false
}

// prependChain puts a chain of writers before the seed's last call.
func (w *worker) prependChain(t *task) (lead, bool) {
	if len(t.chains) == 0 {
		return lead{}, false
	}
	return lead{sequence: w.mutator.Before(w.rand, t.chains[w.rand.IntN(len(t.chains))].Unpack(), t.sequence)}, true
}

// insertPrelude puts the calls of an entry that changes state before the seed's.
func (w *worker) insertPrelude(t *task) (lead, bool) {
	if t.prelude == nil {
		return lead{}, false
	}
	return lead{sequence: w.mutator.Precede(w.rand, t.prelude.Unpack(), t.sequence)}, true
}

// replacePrefix puts such calls in the place of all but the seed's last.
func (w *worker) replacePrefix(t *task) (lead, bool) {
	if t.prelude == nil {
		return lead{}, false
	}
	last := t.sequence[len(t.sequence)-1:]
	return lead{sequence: w.mutator.Before(w.rand, t.prelude.Unpack(), last)}, true
}

// mutateJoined makes a lead of a run whose earlier calls are not the seed's, and whose
// last call took another path after them: a word of that call is changed. The run may
// have shown nothing new, and then it is not a seed: a write that an array's bounds
// allow takes the same path after a call that has disabled them.
func (s *step) mutateJoined() []lead {
	if !s.joined || s.exec.PathID() == s.seed.PID {
		return nil
	}
	seq, ok := s.mutator.MutateLast(s.rand, nil, s.sequence)
	if !ok {
		return nil
	}
	return []lead{{sequence: seq, from: s.point()}}
}
