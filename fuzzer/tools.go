package fuzzer

import (
	"math/rand/v2"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// tools are what a worker's techniques share. They run nothing: techniques make inputs with
// them, which the worker runs.
type tools struct {
	rand       *rand.Rand
	space      *input.Space
	mutator    *input.Mutator
	dictionary *input.Dictionary // the mutator's
	proposer   *input.Proposer
	tracker    *tracker // what was reached so far
	seconds    func() float64
	without    Techniques
	audit      bool // see keySubstitution, deferWriters and attacks for what audits do besides
	maxSeqLen  int  // the most calls that sequences may grow to

	searchesSlots bool // points have writes, see slotSearch
	points        int  // made so far
	runs, calls   int  // executions so far, and calls of theirs
	tried         triedLeads
}

// newPoint is a run as a point to predict from.
func (t *tools) newPoint(seq input.Sequence, exec *evm.Execution) *point {
	return t.pointOf(seq, input.AppendBranches(nil, exec), exec)
}

func (t *tools) pointOf(seq input.Sequence, branches []input.Branch, exec *evm.Execution) *point {
	t.points++
	p := &point{number: t.points, sequence: seq, branches: branches}
	if t.searchesSlots {
		p.writes = appendWrites(nil, exec)
	}
	return p
}
