package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// maxSecantSteps bounds the consecutive predictions. A root of 60 bits takes up to 91
// secant steps on a quadratic (measured in fuzzer/input).
const maxSecantSteps = 128

// propose makes leads of the comparisons at branches with an untaken side: where an
// operand is a word of the input, the other operand takes its place.
func (s *step) propose(most int) []lead {
	w, again := s.worker, failedAgain(s.exec)
	w.proposals = w.proposer.Propose(w.proposals[:0], s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && (!w.tracker.decided(f.Program.ID, c) || slices.Contains(again, c))
	})
	var leads []lead
	for i := range w.proposals {
		if len(leads) == most {
			break
		}
		if p := &w.proposals[i]; w.space.Fits(s.sequence, p.Word, &p.Value) {
			leads = append(leads, lead{sequence: s.keep(), changes: []input.Proposal{*p}, from: s.point()})
		}
	}
	return leads
}

// maxRepeatedChecks bounds the checks that failedAgain lists, the last ones. Arbitrary: a loop that ends is one, too.
const maxRepeatedChecks = 4

// failedAgain lists the checks that a call which failed has passed before, and then not: the second of two signatures, or of
// several payments, is checked by code whose branches have all been taken.
func failedAgain(exec *evm.Execution) (again []*evm.Comparison) {
	call := &exec.Calls[len(exec.Calls)-1]
	if call.Outcome == evm.Success {
		return nil
	}
	for i := call.Frames[0]; i < call.Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Outcome == evm.Success || f.Program == nil {
			continue
		}
		first := firstWays(f)
		for j := len(f.Comparisons) - 1; j > 0 && len(again) < maxRepeatedChecks; j-- {
			c := &f.Comparisons[j]
			if at, ok := first[way{c.PC, !c.Taken}]; ok && at < j {
				again = append(again, c)
			}
		}
	}
	return again
}

// way is a side of a check.
type way struct {
	pc    uint32
	taken bool
}

// firstWays is where a frame took each side first, among its comparisons. A loop may have thousands.
func firstWays(f *evm.Frame) map[way]int {
	first := map[way]int{}
	for i := range f.Comparisons {
		w := way{f.Comparisons[i].PC, f.Comparisons[i].Taken}
		if _, known := first[w]; !known {
			first[w] = i
		}
	}
	return first
}

// predict makes leads of two runs that differ in one input word, or few: where the line
// through the operands of an undecided branch crosses over (harvey §4.2). From the second
// step on only branches that the last step brought closer count.
func (s *step) predict() []lead {
	if s.from == nil || s.steps >= maxSecantSteps {
		return nil
	}
	var ok bool
	s.words, ok = s.space.AppendChanged(s.words, s.from.sequence, s.sequence, maxLineWords)
	if !ok || len(s.words) == 0 {
		return nil
	}
	for _, word := range s.words {
		x0, _ := s.space.Get(s.from.sequence, word)
		x1, _ := s.space.Get(s.sequence, word)
		s.x0, s.x1 = append(s.x0, x0), append(s.x1, x1)
	}
	if len(s.words) == 1 && s.searchesSlots {
		s.searchSlot()
	}
	if !s.tracker.nearUndecided {
		return s.leads
	}
	if len(s.words) == 1 {
		s.secant()
	}
	s.compare()
	return s.leads
}

// wanted reports whether a branch of the last call has an untaken side and is worth a
// step.
func (s *step) wanted(b *input.Branch) bool {
	return b.Call == len(s.sequence)-1 && !s.tracker.decided(b.Code, &b.Comparison) && (s.steps == 0 || cameNearer(b, s.from.branches))
}

// secant predicts from two runs that differ in one word.
func (s *step) secant() {
	word := s.words[0]
	s.proposals = input.Predict(s.proposals[:0], word, input.WordType(s.sequence, word), &s.x0[0], &s.x1[0], s.from.branches, s.runBranches(), s.wanted)
	for i := range s.proposals {
		s.add(s.words, []uint256.Int{s.proposals[i].Value}, s.point())
	}
}

// compare goes through the branches of both runs. Lines through the two inputs cover what
// secant steps do not; where the run diverged before an undecided branch that the other
// run reached, other words compensate for the change.
func (s *step) compare() {
	fallen := false
	input.Pairs(s.from.branches, s.runBranches(), func(a, b *input.Branch) bool {
		switch {
		case b.Call < len(s.sequence)-1:
		case !a.Joins(b):
			if !fallen && s.from.open(s.tracker, a) {
				s.repair(b)
			}
			fallen = true
		default:
			if len(s.words) == 1 {
				s.recordSlope(a, b)
			}
			if s.wanted(b) {
				s.line(a, b)
			}
		}
		return len(s.leads) < input.MaxProposals
	})
}

// line follows the line through the two inputs. For a single word secant steps have done
// so; what is left are the multiples of its distance.
func (s *step) line(a, b *input.Branch) {
	if len(s.words) == 1 && b.IsEquality() {
		return
	}
	for _, values := range input.Line(s.x0, s.x1, a, b) {
		s.add(s.words, values, s.point())
	}
}

// repair compensates for the effect of a change on a decided branch: another word, or the
// same, that has moved the branch's operands before, moves them back. The next run is
// compared with the one before the change.
func (s *step) repair(b *input.Branch) {
	if s.steps >= maxRepairs {
		return
	}
	var roots [8]uint256.Int
	known := s.slopes[branchSide{b.Code, b.PC, false}]
	most := len(s.leads) + leadsPerRepair
	for _, changed := range []bool{false, true} { // other words first
		for i := range known {
			word := known[i].Word
			word.Call = len(s.sequence) - 1 - word.Call
			if slices.Contains(s.words, word) != changed || len(s.leads) >= most {
				continue
			}
			x, ok := s.space.Get(s.sequence, word)
			if !ok {
				continue // of another function
			}
			if found := known[i].Cross(roots[:0], &x, b); len(found) > 0 {
				s.add([]input.Word{word}, found[:1], s.from)
			}
		}
	}
}

// leadsPerRepair bounds the ways to compensate for one change. Most mutants of an input
// that came far diverge early, so that they must not cost much. Arbitrary.
const leadsPerRepair = 2

// maxRepairs bounds the consecutive repairs. Arbitrary.
const maxRepairs = 6

// maxSlopes bounds the words whose slope is kept of a branch. Arbitrary.
const maxSlopes = 4

// recordSlope records what the changed word did to a branch.
func (s *step) recordSlope(a, b *input.Branch) {
	slope := input.Slope{Word: s.words[0]}
	d0, d1 := a.Difference(), b.Difference()
	if slope.Rise.Sub(&d1, &d0); slope.Rise.IsZero() {
		return
	}
	slope.Run.Sub(&s.x1[0], &s.x0[0])
	slope.Word.Call = len(s.sequence) - 1 - slope.Word.Call // from the end: calls are put before it
	side := branchSide{b.Code, b.PC, false}
	known := s.slopes[side]
	for i := range known {
		if known[i].Word == slope.Word {
			known[i] = slope
			return
		}
	}
	if len(known) < maxSlopes {
		s.slopes[side] = append(known, slope)
	}
}

// cameNearer reports whether a branch is nearer to its other side than it was in an
// earlier run, or its operands have passed each other: the secant method overshoots on
// curves, and the goal is then between the two runs.
func cameNearer(b *input.Branch, before []input.Branch) bool {
	for i := range before {
		if a := &before[i]; a.Call == b.Call && a.Frame == b.Frame && a.Code == b.Code && a.PC == b.PC {
			was, is := a.Distance(), b.Distance()
			return is.Lt(&was) || signOf(a) != signOf(b)
		}
	}
	return false
}

// signOf is the sign of the operands' difference: −1, 0 or 1.
func signOf(b *input.Branch) int {
	var d uint256.Int
	return d.Sub(&b.Left, &b.Right).Sign()
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
