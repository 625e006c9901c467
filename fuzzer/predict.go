package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// point is a run that predictions start from: its input and the comparisons that
// decided its branches (harvey §4).
type point struct {
	sequence input.Sequence
	branches []input.Branch
}

// lead is an input that somebody has a reason to try: it costs no energy.
type lead struct {
	sequence input.Sequence
	from     *point // the run it was predicted from; nil for a direct proposal
	steps    int    // secant steps so far
}

// Bounds of prediction. A root of 60 bits takes up to 91 secant steps on a
// quadratic (measured in fuzzer/input). A task may follow twice as many leads as
// it has energy, and some even if it has little; arbitrary, so that prediction
// takes at most about two thirds of the executions.
const (
	maxSecantSteps = 128
	leadsPerEnergy = 2
	minLeads       = 64
)

// predictionEnergy: a seed with less energy is not run again to have a point to
// predict from, which would cost more than its mutants. Arbitrary.
const predictionEnergy = 4

func newPoint(seq input.Sequence, exec *evm.Execution) *point {
	return &point{seq, input.AppendBranches(nil, exec)}
}

// follow finds at most so many leads in an execution: predictions from the run it
// differs from, and, when it showed something new, what its comparisons propose
// directly.
func (w *worker) follow(ran lead, exec *evm.Execution, isNew bool, most int) []lead {
	if w.without.Prediction || !w.tracker.nearUndecided {
		return nil
	}
	leads := w.predict(ran.from, ran.steps, ran.sequence, exec)
	if isNew && len(leads) < most {
		leads = append(leads, w.propose(ran.sequence, exec, most-len(leads))...)
	}
	return leads[:min(len(leads), most)]
}

// propose makes leads of what the execution compared to decide branches one side
// of which nothing has taken yet: where an operand is a word of the input, the
// other operand takes its place (design §7).
func (w *worker) propose(seq input.Sequence, exec *evm.Execution, most int) []lead {
	w.proposals = w.space.Propose(w.proposals[:0], seq, exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !w.tracker.decided(f.Program.ID, c.PC)
	})
	var leads []lead
	for i := range w.proposals {
		if len(leads) == most {
			break // each copies an argument, which may be a long array
		}
		if proposed, ok := w.space.With(seq, w.proposals[i].Word, &w.proposals[i].Value); ok {
			leads = append(leads, lead{sequence: proposed})
		}
	}
	return leads
}

// predict makes leads of two runs that differ in one input word: where the line
// through the operands of an undecided branch crosses over (design §7). From the
// second step on only branches that the last one brought on count.
func (w *worker) predict(from *point, steps int, seq input.Sequence, exec *evm.Execution) []lead {
	if from == nil || steps >= maxSecantSteps {
		return nil
	}
	word, ok := w.space.ChangedWord(from.sequence, seq)
	if !ok {
		return nil
	}
	x0, _ := w.space.Get(from.sequence, word)
	x1, _ := w.space.Get(seq, word)
	w.branches = input.AppendBranches(w.branches[:0], exec)
	last := len(seq) - 1
	want := func(b *input.Branch) bool {
		return b.Call == last && !w.tracker.decided(b.Code, b.PC) && (steps == 0 || broughtOn(b, from.branches))
	}
	w.proposals = input.Predict(w.proposals[:0], word, input.WordType(seq, word), &x0, &x1, from.branches, w.branches, want)
	if len(w.proposals) == 0 {
		return nil
	}
	here := &point{seq.Clone(), slices.Clone(w.branches)} // the worker's memory is used again
	var leads []lead
	for i := range w.proposals {
		if predicted, ok := w.space.With(seq, word, &w.proposals[i].Value); ok {
			leads = append(leads, lead{predicted, here, steps + 1})
		}
	}
	return leads
}

// broughtOn tells whether a branch is nearer to its other side than the same
// branch was in an earlier run, or its operands have passed each other: the
// secant method overshoots on curves, and the goal is then between the two runs.
func broughtOn(b *input.Branch, before []input.Branch) bool {
	for i := range before {
		if a := &before[i]; a.Call == b.Call && a.Frame == b.Frame && a.Code == b.Code && a.PC == b.PC {
			was, is := a.Distance(), b.Distance()
			return is.Lt(&was) || difference(a) != difference(b)
		}
	}
	return false
}

// difference is the sign of the operands' difference: −1, 0 or 1.
func difference(b *input.Branch) int {
	var d uint256.Int
	return d.Sub(&b.Left, &b.Right).Sign()
}
