package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// surroundings are calls of other entries that may be put in front of a seed's last call.
// Any may be nil.
type surroundings struct {
	prelude  input.Packed   // its last call changes state
	writer   input.Packed   // its last call writes what the seed's reads
	chains   []input.Packed // each call writes what the next one reads, and the last what the seed's does
	repeated input.Packed   // its last call reads and writes what the seed's reads
	makers   []input.Packed // each writes a mapping of which the seed wants an element, see make
}

// maxChains bounds the chains that one task is given. Arbitrary: most are wrong, and
// making them takes no execution.
const maxChains = 16

// surround picks what may be put in front of a seed's last call; chains only where they
// are demanded.
func (c *Campaign) surround(seed *Seed, demanded bool, energy Energy) (s surroundings) {
	if before := c.schedule().prelude(c.suite, c.rand); before != nil {
		s.prelude = before.Calls
	}
	if c.Without.RawOrder {
		return s
	}
	if before := c.suite.writer(seed, c.rand); before != nil {
		s.writer = before.Calls
		for range min(int(energy), maxChains) {
			if demanded {
				s.chains = append(s.chains, c.suite.closure(seed, c.rand, c.maxSeqLen-1))
			}
		}
	}
	if before := c.suite.accumulator(seed, c.rand); before != nil {
		s.repeated = before.Calls
	}
	if !c.Without.Sequences && seed.Selected&(seed.Selected-1) == 0 { // the first, second, fourth … pick
		for _, key := range seed.wants {
			if writers := c.suite.writers[key]; len(writers) > 0 {
				s.makers = append(s.makers, writers[c.rand.IntN(len(writers))].Calls)
			}
		}
	}
	return s
}

// make puts a maker in front of the seed's last call: what a call needs of a dozen
// variables mostly is two or three, and chance puts the right ones there too late.
// The element that is written is another one, mostly: see redirect.
func (w *worker) make(t *task, maker input.Packed) (lead, bool) {
	last := len(t.sequence) - 1
	seq := slices.Concat(t.sequence[:last], maker.Unpack(), t.sequence[last:])
	return lead{sequence: seq, joined: true}, len(seq) <= w.most(t, t.seqLen)
}

// closureShare: a chain of writers ends before each but the first with a probability of
// one in so many. Arbitrary.
const closureShare = 5

// closure is a chain of calls, at most so many, each of which writes what the next one
// reads, up to what the seed's last call reads: `set`, `copy`, and so on. None of them
// needs to show anything new by itself.
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
// last call reads, too, and that decides a branch somewhere: calling it again does not
// do the same again (mufuzz §IV-A). Nil when there is none.
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

// most is the most calls of a task's mutants: what the seed has, or so many, as far as
// the budget goes.
func (w *worker) most(t *task, calls int) int {
	return int(min(uint64(max(calls, len(t.sequence))), t.calls))
}

// demandedShare: of the mutants of a seed whose function goes elsewhere from other states
// one in so many has other calls in front of the last. Arbitrary: the others look for
// arguments.
const demandedShare = 2

// arrange makes a sequence with other calls in front of the seed's last one: the mutations
// of harvey §5, and those of mufuzz §IV-A. False when nothing is known to put there.
func (w *worker) arrange(t *task) (lead, bool) {
	w.mutator.SetSeqLen(w.most(t, max(t.demanded.length, t.seqLen)))
	defer w.mutator.SetSeqLen(w.most(t, t.seqLen))
	type operation func(*task) (lead, bool)
	weighed := []operation{w.chain, w.chain, w.chain, w.repeat, w.repeat, w.again, w.insert, w.insert, w.replace}
	first := w.rand.IntN(len(weighed))
	for i := range weighed { // those that cannot leave their turn to the next
		if next, ok := weighed[(first+i)%len(weighed)](t); ok {
			next.arranged, next.joined = true, true
			return next, true
		}
	}
	return lead{}, false
}

func (w *worker) chain(t *task) (lead, bool) {
	if len(t.chains) == 0 {
		return lead{}, false
	}
	return lead{sequence: w.mutator.Before(w.rand, t.chains[w.rand.IntN(len(t.chains))].Unpack(), t.sequence)}, true
}

func (w *worker) insert(t *task) (lead, bool) {
	if t.prelude == nil {
		return lead{}, false
	}
	return lead{sequence: w.mutator.Precede(w.rand, t.prelude.Unpack(), t.sequence)}, true
}

func (w *worker) replace(t *task) (lead, bool) {
	if t.prelude == nil {
		return lead{}, false
	}
	last := t.sequence[len(t.sequence)-1:]
	return lead{sequence: w.mutator.Before(w.rand, t.prelude.Unpack(), last)}, true
}

// stay makes a lead of a run whose earlier calls are not the seed's, and whose last call
// did something else behind them: a word of that call is changed. Nothing that is new may
// have come of it, so that it is no seed: a write that an array's bounds allow takes
// the same path behind a call that has put them out of force.
func (s *step) stay() []lead {
	if !s.joined || s.exec.PathID() == s.seed.PID {
		return nil
	}
	seq, ok := s.mutator.MutateLast(s.rand, nil, s.sequence)
	if !ok {
		return nil
	}
	return []lead{{sequence: seq, from: s.point()}}
}
