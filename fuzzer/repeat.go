package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// repetition describes how an input was made of another: by copies of a call before one
// of its calls, or by copies of the whole sequence before it.
type repetition struct {
	at     int
	call   input.Call
	whole  bool
	words  []input.Word // of the whole sequence: numbers that increase from copy to copy
	step   int          // likewise: by how much
	copies int
}

// fewCopies is how often a call is repeated in half of the cases, at most. Arbitrary.
const fewCopies = 4

// repeatCall puts copies of a call before the last: of the sequence's own call of the
// function that accumulates, or else of another entry's.
func (m *mutation) repeatCall(t *task) (lead, bool) {
	seq := t.sequence
	room := m.mutator.SeqLen() - len(seq)
	if t.repeated == nil || room <= 0 {
		return lead{}, false
	}
	function := t.repeated.Last()
	r := &repetition{at: len(seq) - 1, call: t.repeated.Call(len(t.repeated) - 1)}
	for i := range len(seq) - 1 {
		if lastOf(seq[:i+1]) == function && m.rand.IntN(2) == 0 {
			r.at, r.call = i, seq[i]
		}
	}
	most := room
	if m.rand.IntN(2) == 0 {
		most = min(room, fewCopies)
	}
	r.copies = 1 + m.rand.IntN(most)
	if m.rand.IntN(2) == 0 {
		r.call = m.mutator.MutateCall(m.rand, r.call)
	}
	return lead{sequence: r.apply(m.space, seq), repetition: r}, true
}

// repeatSequence puts copies of the whole sequence before it, and makes them count: a
// sequence that opens, uses and closes an auction, a proposal or a position does so with
// the next one. A number of the last call increases, with those of the same value and
// parameter name, and perhaps others of the same value: by one, or by two where what was
// opened once stays open.
func (m *mutation) repeatSequence(t *task) (lead, bool) {
	seq := t.sequence
	room := m.mutator.SeqLen()/len(seq) - 1
	if len(seq) < 2 || room <= 0 {
		return lead{}, false
	}
	r := &repetition{whole: true, words: m.counting(seq), step: 1}
	if m.rand.IntN(4) == 0 {
		r.step = 2
	}
	if m.rand.IntN(2) == 0 {
		room = min(room, fewCopies)
	}
	r.copies = 1 + m.rand.IntN(room)
	return lead{sequence: r.apply(m.space, seq), repetition: r}, true
}

// counting chooses the numbers that increase from copy to copy; none if the last call has
// none.
func (m *mutation) counting(seq input.Sequence) []input.Word {
	last := len(seq) - 1
	var own []input.Word
	for _, word := range input.AppendCallWords(nil, seq, last) {
		if t := input.WordType(seq, word); t != nil && t.Kind == input.Uint {
			own = append(own, word)
		}
	}
	if len(own) == 0 {
		return nil
	}
	chosen := own[m.rand.IntN(len(own))]
	value, _ := m.space.Get(seq, chosen)
	words := []input.Word{chosen}
	for _, word := range input.AppendWords(nil, seq[:last]) {
		x, _ := m.space.Get(seq, word)
		t := input.WordType(seq, word)
		if t == nil || t.Kind != input.Uint || x != value {
			continue
		}
		if name := input.WordName(seq, word); name != "" && name == input.WordName(seq, chosen) || m.rand.IntN(2) == 0 {
			words = append(words, word)
		}
	}
	return words
}

// apply is a sequence with the copies.
func (r *repetition) apply(space *input.Space, seq input.Sequence) input.Sequence {
	if !r.whole {
		return slices.Insert(seq.Clone(), r.at, slices.Repeat(input.Sequence{r.call}, r.copies)...)
	}
	var all input.Sequence
	for n := range r.copies + 1 {
		copied := seq
		for _, word := range r.words {
			x, _ := space.Get(seq, word)
			x.AddUint64(&x, uint64(n*r.step))
			if next, ok := space.With(copied, word, &x); ok {
				copied = next
			}
		}
		all = append(all, copied...)
	}
	return all
}

// most is the most copies with which a sequence of so many calls stays within a length.
func (r *repetition) most(length, calls int) int {
	if r.whole {
		return max(length/calls-1, 0)
	}
	return max(length-calls, 0)
}

// copyCounts is a stage: it makes leads of an input with copies of a call and the one
// without: where the line through the operands of an undecided branch crosses over, with
// the number of copies as the word that changed. It finds that a counter has to be called
// exactly 42 times.
type copyCounts struct{}

func (copyCounts) follow(s *step) {
	if s.repetition == nil || s.from == nil {
		return
	}
	last := len(s.sequence) - 1
	before := slices.Clone(s.from.branches)
	for i := range before {
		before[i].Call += last - (len(s.from.sequence) - 1) // counted from the end
	}
	room := uint64(s.repetition.most(s.maxSeqLen, len(s.from.sequence)))
	copies := uint256.NewInt(uint64(s.repetition.copies))
	input.Pairs(before, input.AppendBranches(nil, s.exec), func(a, b *input.Branch) bool {
		if b.Call != last || a.Taken != b.Taken || s.tracker.decided(b.Code, &b.Comparison) {
			return true
		}
		slope := input.Slope{Run: *copies}
		d0, d1 := a.Difference(), b.Difference()
		if slope.Rise.Sub(&d1, &d0); slope.Rise.IsZero() {
			return true
		}
		for _, n := range slope.Cross(nil, copies, b) {
			if n.IsUint64() && n.Uint64() > 0 && n.Uint64() <= room && n != *copies {
				again := *s.repetition
				again.copies = int(n.Uint64())
				s.few = append(s.few, lead{sequence: again.apply(s.space, s.from.sequence)})
			}
		}
		return len(s.few) < maxCopyProposals
	})
}

// maxCopyProposals bounds the numbers of copies that one input suggests. Arbitrary.
const maxCopyProposals = 4
