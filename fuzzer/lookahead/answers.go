package lookahead

import (
	"encoding/binary"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// asked is a question that has an answer: a state, by its hash, with who asked.
type asked [2]uint64

// keyOf names the question of an Analyzer about a state. Hashes of 128 bits tell
// questions apart; what is added to one of them keeps Analyzers of a Workspace apart as
// well as hashing it would.
func (a *Analyzer) keyOf(state bytecode.PathID) asked {
	return asked{binary.LittleEndian.Uint64(state[:8]), binary.LittleEndian.Uint64(state[8:]) ^ uint64(a.serial)*0x9e3779b97f4a7c15} // as in memoIndex
}

// given is an answer, and how often the goals had grown when it was given. What it
// took is not remembered: it was counted.
type given struct {
	reason Reason
	pc     uint32
	grown  uint32
}

// answers remembers what was answered: open addressing with linear probing, since
// most of what an Analyzer does is to look here. Entries of an older generation
// are empty, so that clear costs nothing.
type answers struct {
	slots      []answered
	generation uint32
	used       int
}

type answered struct {
	asked
	given
	generation uint32
}

// initialAnswers is a power of two, 16 KiB: what a campaign on a small contract asks.
const initialAnswers = 512

func newAnswers() answers { return answers{slots: make([]answered, initialAnswers), generation: 1} }

func (t *answers) clear() {
	t.used = 0
	t.generation++
	if t.generation == 0 { // wrapped around: old entries would come alive
		clear(t.slots)
		t.generation = 1
	}
}

// find is the slot of a question, or the empty one where it belongs.
func (t *answers) find(key asked) (s *answered, taken bool) {
	mask := uint64(len(t.slots) - 1)
	for i := key[0] & mask; ; i = (i + 1) & mask {
		switch s = &t.slots[i]; {
		case s.generation != t.generation:
			return s, false
		case s.asked == key:
			return s, true
		}
	}
}

// get is what was answered to a question.
func (t *answers) get(key asked) (given, bool) {
	s, known := t.find(key)
	if !known {
		return given{}, false
	}
	return s.given, true
}

// put keeps an answer; the table stays at most half full. When it has as many as it
// may, it forgets them all: those that still matter are soon asked again.
func (t *answers) put(key asked, answer Answer, grown uint32) {
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
	*s = answered{key, given{answer.Reason, answer.PC, grown}, t.generation}
}

func (t *answers) grow() {
	old := t.slots
	t.slots = make([]answered, 2*len(old))
	for i := range old {
		if old[i].generation == t.generation {
			s, _ := t.find(old[i].asked)
			*s = old[i]
		}
	}
}
