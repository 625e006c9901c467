package fuzzer

import (
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// point is a run that predictions start from: its input and the comparisons that
// decided its branches (harvey §4).
type point struct {
	number   int // of the worker's
	sequence input.Sequence
	branches []input.Branch
	writes   []slotWrite // of the last call; nil without slot search

	// Of the last call, where solving has read it.
	formulas   *input.Formulas // nil: not read, or unreadable
	spelled    input.Sequence  // the same with answers of the attacker's contract as numbers of the call; nil: it has none that are not
	unreadable bool
	failed     bool
}

// open reports whether the run passed an undecided branch after one of its own.
func (p *point) open(t *tracker, b *input.Branch) bool {
	for i := range p.branches {
		if &p.branches[i] == b {
			return slices.ContainsFunc(p.branches[i+1:], func(later input.Branch) bool {
				return later.Call == b.Call && !t.decided(later.Code, &later.Comparison)
			})
		}
	}
	return false
}

// size is about how many bytes the point takes.
func (p *point) size() int {
	const branch, word = 104, 80
	size := branch * len(p.branches)
	for i := range p.sequence {
		size += word * (1 + p.sequence[i].Words())
	}
	return size
}

// step is a run that leads are made from. A worker reuses one, with its slices.
type step struct {
	*tools
	lead
	task  *task
	exec  *evm.Execution
	isNew bool // it showed something new
	// again are the checks of such a run that it passed before it failed them.
	again []*evm.Comparison

	leads []lead
	most  int    // of leads
	few   []lead // that come before the others, and leave them their room

	branches []input.Branch // of exec, where hasBranches is set; until point copies them
	words    []input.Word   // that differ from the earlier run, where differs is true
	x0, x1   []uint256.Int  // their values then and now
	kept     input.Sequence // a copy of the run's sequence, shared by its leads
	here     *point

	hasBranches, hasWords bool
}

// begin makes the step one of another run.
func (s *step) begin(t *task, ran lead, exec *evm.Execution, isNew bool, most int) {
	*s = step{tools: s.tools, lead: ran, task: t, exec: exec, isNew: isNew, most: most, branches: s.branches[:0], words: s.words[:0], x0: s.x0[:0], x1: s.x1[:0]}
	if isNew {
		s.again = failedAgain(exec)
	}
}

// room is how many leads may be added; none, or less, when there is no more.
func (s *step) room() int { return s.most - len(s.leads) }

// keep is a copy of the run's sequence, whose own memory the worker reuses.
func (s *step) keep() input.Sequence {
	if s.kept == nil {
		s.kept = s.sequence.Clone()
	}
	return s.kept
}

// point is the run as a point to predict from.
func (s *step) point() *point {
	if s.here == nil {
		s.here = s.pointOf(s.keep(), slices.Clone(s.runBranches()), s.exec) // likewise
	}
	return s.here
}

// runBranches are the branches of the run.
func (s *step) runBranches() []input.Branch {
	if !s.hasBranches {
		s.hasBranches = true
		s.branches = input.AppendBranches(s.branches[:0], s.exec)
	}
	return s.branches
}

// maxLineWords is the most words in which the two runs of a line differ: one that was
// changed, and some that were changed to compensate. Arbitrary.
const maxLineWords = 4

// differs lists the words in which the run differs from the one that it was made from. False where there is no such run, it
// differs in nothing else than a few words, or enough was predicted on the way.
func (s *step) differs() bool {
	if s.from == nil || s.steps >= maxSecantSteps {
		return false
	}
	if !s.hasWords {
		s.hasWords = true
		var ok bool
		if s.words, ok = s.space.AppendChanged(s.words, s.from.sequence, s.sequence, maxLineWords); !ok {
			s.words = s.words[:0]
		}
		for _, word := range s.words {
			x0, _ := s.space.Get(s.from.sequence, word)
			x1, _ := s.space.Get(s.sequence, word)
			s.x0, s.x1 = append(s.x0, x0), append(s.x1, x1)
		}
	}
	return len(s.words) > 0
}

// add makes a lead of values for the words that differ.
func (s *step) add(words []input.Word, values []uint256.Int, from *point) {
	if s.alreadyTried(words, values) || len(words) == 1 && !s.space.Fits(s.sequence, words[0], &values[0]) {
		return
	}
	changes := make([]input.Proposal, len(words))
	for i := range words {
		changes[i] = input.Proposal{Word: words[i], Value: values[i]}
	}
	s.leads = append(s.leads, lead{sequence: s.keep(), changes: changes, from: from, steps: s.steps + 1})
}

// alreadyTried reports whether the step's run with values for words was a lead of this
// task before: mutants of a seed keep leading to the same inputs.
func (s *step) alreadyTried(words []input.Word, values []uint256.Int) bool {
	d := difference{from: s.from.number}
	for i := range s.words {
		d.set(s.words[i], &s.x1[i])
	}
	for i := range words {
		d.set(words[i], &values[i])
	}
	if s.tried.differences[d] {
		return true
	}
	s.tried.differences[d] = true
	return false
}

// difference names an input by the words in which it differs from a run.
type difference struct {
	from  int // the point's number, not the point, so that points can be freed
	count int
	words [maxLineWords + 1]input.Word
	to    [maxLineWords + 1]uint256.Int
}

func (d *difference) set(word input.Word, to *uint256.Int) {
	for i := range d.count {
		if d.words[i] == word {
			d.to[i] = *to
			return
		}
	}
	d.words[d.count], d.to[d.count] = word, *to
	d.count++
}

// triedLeads are the leads that a task has had: no lead is followed twice.
type triedLeads struct {
	differences map[difference]bool // those along a line
	leadHashes                      // the others
}

func newTriedLeads() triedLeads { return triedLeads{differences: map[difference]bool{}} }

// forget begins with another task.
func (t *triedLeads) forget() {
	clear(t.differences)
	clear(t.hashes)
}

// leadHashes is a set of a task's leads, by a hash of their calls. Two leads with the same
// hash are taken for one, which costs a lead.
type leadHashes struct {
	hashes  map[uint64]bool
	encoded evm.Sequence  // scratch
	hash    xxhash.Digest // likewise; creation code is some kilobytes
}

// add adds a sequence, and reports whether it was a lead of this task before.
func (m *leadHashes) add(space *input.Space, seq input.Sequence) bool {
	m.encoded = space.Encode(seq, m.encoded)
	m.hash.Reset()
	for i := range m.encoded {
		_, _ = m.hash.Write(m.encoded[i].From[:]) // a hash takes what it is given
		_, _ = m.hash.Write(m.encoded[i].Data)
	}
	if m.hashes == nil {
		m.hashes = map[uint64]bool{}
	}
	key := m.hash.Sum64()
	again := m.hashes[key]
	m.hashes[key] = true
	return again
}
