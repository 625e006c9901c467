package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
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
	unreadable bool
	code       bytecode.CodeID
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

func (w *worker) newPoint(seq input.Sequence, exec *evm.Execution) *point {
	return w.pointOf(seq, input.AppendBranches(nil, exec), exec)
}

func (w *worker) pointOf(seq input.Sequence, branches []input.Branch, exec *evm.Execution) *point {
	w.points++
	p := &point{number: w.points, sequence: seq, branches: branches}
	if w.searchesSlots {
		p.writes = appendWrites(nil, exec)
	}
	return p
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
	*worker
	lead
	exec *evm.Execution

	branches []input.Branch // of exec; the worker's memory, until point copies it
	words    []input.Word   // that differ from the earlier run
	x0, x1   []uint256.Int  // their values then and now
	kept     input.Sequence // a copy of the run's sequence, shared by its leads
	here     *point
	leads    []lead
}

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
	if s.branches == nil {
		s.worker.branches = input.AppendBranches(s.worker.branches[:0], s.exec)
		s.branches = s.worker.branches
	}
	return s.branches
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
	if s.tried[d] {
		return true
	}
	s.tried[d] = true
	return false
}

// add makes a lead of values for words.
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

// maxLineWords is the most words in which the two runs of a line differ: one that was
// changed, and some that were changed to compensate. Arbitrary.
const maxLineWords = 4
