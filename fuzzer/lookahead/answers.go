package lookahead

import (
	"encoding/binary"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// questionKey identifies a question: the hash of a state, and the Analyzer that asks.
type questionKey [2]uint64

// keyOf is the key of the Analyzer's question about a state. Hashes of 128 bits
// distinguish states; the number that is mixed in distinguishes the Analyzers of a
// Workspace as well as hashing it would.
func (a *Analyzer) keyOf(state bytecode.PathID) questionKey {
	return questionKey{binary.LittleEndian.Uint64(state[:8]), binary.LittleEndian.Uint64(state[8:]) ^ uint64(a.serial)*0x9e3779b97f4a7c15} // as in memoIndex
}

// cached is an answer, with goals.grown when it was given. Its cost is not kept: it was
// counted.
type cached struct {
	reason Reason
	pc     uint32
	grown  uint32
}

// answers is a cache of answers: open addressing with linear probing, since an Analyzer
// spends most of its time here. Entries of an older generation are empty, so that clear
// costs nothing.
type answers struct {
	slots      []answerSlot
	generation uint32
	used       int
}

type answerSlot struct {
	questionKey
	cached
	generation uint32
}

// initialAnswers is a power of two, 16 KiB: what a campaign on a small contract asks.
const initialAnswers = 512

func newAnswers() answers { return answers{slots: make([]answerSlot, initialAnswers), generation: 1} }

func (t *answers) clear() {
	t.used = 0
	t.generation++
	if t.generation == 0 { // wrapped around: old entries would come alive
		clear(t.slots)
		t.generation = 1
	}
}

// find is the slot of a question, or the empty one where it belongs.
func (t *answers) find(key questionKey) (s *answerSlot, taken bool) {
	mask := uint64(len(t.slots) - 1)
	for i := key[0] & mask; ; i = (i + 1) & mask {
		switch s = &t.slots[i]; {
		case s.generation != t.generation:
			return s, false
		case s.questionKey == key:
			return s, true
		}
	}
}

// get is the answer to a question.
func (t *answers) get(key questionKey) (cached, bool) {
	s, known := t.find(key)
	if !known {
		return cached{}, false
	}
	return s.cached, true
}

// put stores an answer; the table stays at most half full. When it has maxAnswers, it
// drops them all: questions that still matter are soon asked again.
func (t *answers) put(key questionKey, answer Answer, grown uint32) {
	s, known := t.find(key)
	if !known && 2*(t.used+1) > len(t.slots) {
		if t.used >= maxAnswers {
			t.clear()
		} else {
			t.grow()
		}
		s, _ = t.find(key)
	}
	if !known {
		t.used++
	}
	*s = answerSlot{key, cached{answer.Reason, answer.PC, grown}, t.generation}
}

func (t *answers) grow() {
	old := t.slots
	t.slots = make([]answerSlot, 2*len(old))
	for i := range old {
		if old[i].generation == t.generation {
			s, _ := t.find(old[i].questionKey)
			*s = old[i]
		}
	}
}
