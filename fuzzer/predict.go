package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// maxSecantSteps bounds the consecutive predictions. A root of 60 bits takes up to 91
// secant steps on a quadratic (measured in fuzzer/input).
const maxSecantSteps = 128

// prediction is a stage: of two runs that differ in one input word, or few, it makes leads
// where the line through the operands of an undecided branch crosses over (harvey §4.2).
// From the second step on only branches that the last step brought closer count.
type prediction struct {
	slopes    map[branchSide][]input.Slope // what words did to branches, see recordSlope
	proposals []input.Proposal             // scratch
}

func newPrediction() prediction { return prediction{slopes: map[branchSide][]input.Slope{}} }

func (p *prediction) follow(s *step) {
	if !s.differs() || !s.tracker.nearUndecided {
		return
	}
	if len(s.words) == 1 {
		p.secant(s)
	}
	p.compare(s)
}

// wanted reports whether a branch of the last call has an untaken side and is worth a
// step.
func (s *step) wanted(b *input.Branch) bool {
	return b.Call == len(s.sequence)-1 && !s.tracker.decided(b.Code, &b.Comparison) && (s.steps == 0 || cameNearer(b, s.from.branches))
}

// secant predicts from two runs that differ in one word.
func (p *prediction) secant(s *step) {
	word := s.words[0]
	p.proposals = input.Predict(p.proposals[:0], word, input.WordType(s.sequence, word), &s.x0[0], &s.x1[0], s.from.branches, s.runBranches(), s.wanted)
	for i := range p.proposals {
		s.add(s.words, []uint256.Int{p.proposals[i].Value}, s.point())
	}
}

// compare goes through the branches of both runs. Lines through the two inputs cover what
// secant steps do not; where the run diverged before an undecided branch that the other
// run reached, other words compensate for the change.
func (p *prediction) compare(s *step) {
	fallen := false
	input.Pairs(s.from.branches, s.runBranches(), func(a, b *input.Branch) bool {
		switch {
		case b.Call < len(s.sequence)-1:
		case !a.Joins(b):
			if !fallen && s.from.open(s.tracker, a) {
				p.repair(s, b)
			}
			fallen = true
		default:
			if len(s.words) == 1 {
				p.recordSlope(s, a, b)
			}
			if s.wanted(b) {
				p.line(s, a, b)
			}
		}
		return len(s.leads) < input.MaxProposals
	})
}

// line follows the line through the two inputs. For a single word secant steps have done
// so; what is left are the multiples of its distance.
func (p *prediction) line(s *step, a, b *input.Branch) {
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
func (p *prediction) repair(s *step, b *input.Branch) {
	if s.steps >= maxRepairs {
		return
	}
	var roots [8]uint256.Int
	known := p.slopes[branchSide{code: b.Code, pc: b.PC}]
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
func (p *prediction) recordSlope(s *step, a, b *input.Branch) {
	slope := input.Slope{Word: s.words[0]}
	d0, d1 := a.Difference(), b.Difference()
	if slope.Rise.Sub(&d1, &d0); slope.Rise.IsZero() {
		return
	}
	slope.Run.Sub(&s.x1[0], &s.x0[0])
	slope.Word.Call = len(s.sequence) - 1 - slope.Word.Call // from the end: calls are put before it
	side := branchSide{code: b.Code, pc: b.PC}
	known := p.slopes[side]
	for i := range known {
		if known[i].Word == slope.Word {
			known[i] = slope
			return
		}
	}
	if len(known) < maxSlopes {
		p.slopes[side] = append(known, slope)
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
