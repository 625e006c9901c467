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
	number   int // of the worker's
	sequence input.Sequence
	branches []input.Branch
	writes   []slotWrite // of the last call; nil when nobody aims
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

// open reports whether the run came to an undecided branch behind one of its own.
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
	if w.aims {
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

// follow finds at most so many leads in an execution: predictions from the run it
// differs from, what its comparisons propose directly when it showed something new,
// and signatures.
func (w *worker) follow(ran lead, exec *evm.Execution, isNew bool, most int) []lead {
	if w.without.Prediction {
		return nil
	}
	var leads []lead
	if (w.tracker.nearUndecided || w.aims && changedState(exec)) && !w.rests(ran, isNew) {
		if leads = append(w.recount(&ran, exec), w.predict(ran, exec, isNew, most)...); len(leads) > 0 {
			w.idle = 0
		}
	}
	leads = w.sign(leads, ran.sequence, exec, most)
	return leads[:min(len(leads), most)]
}

// A task's mutants that led nowhere, so many in a row, before only one in so many of
// those that follow is looked at: to look at one costs up to a fifth of what it takes to
// run it, and most seeds have been asked all they know. Arbitrary.
const (
	patience     = 32
	restInterval = 4
)

// rests reports whether no leads are looked for in a mutant.
func (w *worker) rests(ran lead, isNew bool) bool {
	w.idle++
	return !isNew && ran.steps == 0 && !ran.joined && w.idle > patience && w.idle%restInterval != 0
}

// predict finds the leads that comparisons and storage writes give.
func (w *worker) predict(ran lead, exec *evm.Execution, isNew bool, most int) []lead {
	if w.step == nil {
		w.step = new(step)
	}
	here := w.step
	*here = step{worker: w, lead: ran, exec: exec, words: here.words[:0], x0: here.x0[:0], x1: here.x1[:0]}
	leads := here.predict()
	if isNew && w.tracker.nearUndecided && len(leads) < most {
		leads = append(leads, here.propose(most-len(leads))...)
		leads = append(leads, here.recall()...)
	}
	if !isNew && len(leads) < most {
		leads = append(leads, here.reconcile()...)
		leads = append(leads, here.stay()...)
	}
	if len(leads) < most {
		leads = append(leads, here.redirect()...)
	}
	return leads
}

// step is a run that leads are made from. A worker uses the same one, whose slices of
// words are its memory, too, again and again.
type step struct {
	*worker
	lead
	exec *evm.Execution

	branches []input.Branch // of exec; the worker's memory, until point copies it
	words    []input.Word   // that differ from the run before
	x0, x1   []uint256.Int  // what was there, and is
	kept     input.Sequence // the run's, that leads are made of
	here     *point
	leads    []lead
}

// keep is the run's sequence: the worker's memory is used again.
func (s *step) keep() input.Sequence {
	if s.kept == nil {
		s.kept = s.sequence.Clone()
	}
	return s.kept
}

// point is the run as one to predict from.
func (s *step) point() *point {
	if s.here == nil {
		s.here = s.pointOf(s.keep(), slices.Clone(s.look()), s.exec) // likewise
	}
	return s.here
}

// look gives the branches of the run.
func (s *step) look() []input.Branch {
	if s.branches == nil {
		s.worker.branches = input.AppendBranches(s.worker.branches[:0], s.exec)
		s.branches = s.worker.branches
	}
	return s.branches
}

// difference names an input by the words in which it differs from a run.
type difference struct {
	from  int // the point's number: points of leads that are done with are let go
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

// again reports whether the step's run with values for words has been a lead of this
// task before: mutants of a seed lead to the same places again and again.
func (s *step) again(words []input.Word, values []uint256.Int) bool {
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
	if s.again(words, values) || len(words) == 1 && !s.space.Fits(s.sequence, words[0], &values[0]) {
		return
	}
	changes := make([]input.Proposal, len(words))
	for i := range words {
		changes[i] = input.Proposal{Word: words[i], Value: values[i]}
	}
	s.leads = append(s.leads, lead{sequence: s.keep(), changes: changes, from: from, steps: s.steps + 1})
}

// propose makes leads of what the execution compared to decide branches one side
// of which nothing has taken yet: where an operand is a word of the input, the
// other operand takes its place (design §7).
func (s *step) propose(most int) []lead {
	w := s.worker
	w.proposals = w.proposer.Propose(w.proposals[:0], s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !w.tracker.decided(f.Program.ID, c)
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

// maxLineWords is the most words that a line goes along: one that was changed, and
// some that were changed to make up for it. Arbitrary.
const maxLineWords = 4

// predict makes leads of two runs that differ in one input word, or few: where the
// line through the operands of an undecided branch crosses over (design §7). From the
// second step on only branches that the last one brought on count.
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
	if len(s.words) == 1 && s.aims {
		s.aim()
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

// wanted reports whether a branch of the last call has a side that nothing has taken,
// and is worth a step.
func (s *step) wanted(b *input.Branch) bool {
	return b.Call == len(s.sequence)-1 && !s.tracker.decided(b.Code, &b.Comparison) && (s.steps == 0 || broughtOn(b, s.from.branches))
}

// secant predicts from two runs that differ in one word.
func (s *step) secant() {
	word := s.words[0]
	s.proposals = input.Predict(s.proposals[:0], word, input.WordType(s.sequence, word), &s.x0[0], &s.x1[0], s.from.branches, s.look(), s.wanted)
	for i := range s.proposals {
		s.add(s.words, []uint256.Int{s.proposals[i].Value}, s.point())
	}
}

// compare goes through the branches of both runs. Along the line through the two
// inputs goes what secant steps do not cover; where the run turned off before an
// undecided branch that the other had come to, what else decides there makes up
// for the change.
func (s *step) compare() {
	fallen := false
	input.Pairs(s.from.branches, s.look(), func(a, b *input.Branch) bool {
		switch {
		case b.Call < len(s.sequence)-1:
		case !a.Joins(b):
			if !fallen && s.from.open(s.tracker, a) {
				s.repair(b)
			}
			fallen = true
		default:
			if len(s.words) == 1 {
				s.learn(a, b)
			}
			if s.wanted(b) {
				s.line(a, b)
			}
		}
		return len(s.leads) < input.MaxProposals
	})
}

// line follows the line through the two inputs. Of a single word secant steps have
// done so; what is left are the multiples.
func (s *step) line(a, b *input.Branch) {
	if len(s.words) == 1 && b.IsEquality() {
		return
	}
	for _, values := range input.Line(s.x0, s.x1, a, b) {
		s.add(s.words, values, s.point())
	}
}

// repair makes up for what a change did to a decided branch: another word, or the
// same, that has moved the branch's operands before, moves them back. The next run is
// compared with the one that the change was made from.
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

// leadsPerRepair bounds the ways to make up for a change. Most mutants of an input
// that came far turn off early, so that they must not cost much. Arbitrary.
const leadsPerRepair = 2

// maxRepairs bounds the changes that are made up for one after the other. Arbitrary.
const maxRepairs = 6

// maxSlopes bounds the words that are remembered of a branch. Arbitrary.
const maxSlopes = 4

// learn remembers what the changed word did to a branch.
func (s *step) learn(a, b *input.Branch) {
	slope := input.Slope{Word: s.words[0]}
	d0, d1 := a.Difference(), b.Difference()
	if slope.Rise.Sub(&d1, &d0); slope.Rise.IsZero() {
		return
	}
	slope.Run.Sub(&s.x1[0], &s.x0[0])
	slope.Word.Call = len(s.sequence) - 1 - slope.Word.Call // from the end: calls are put in front
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

// broughtOn reports whether a branch is nearer to its other side than the same
// branch was in an earlier run, or its operands have passed each other: the
// secant method overshoots on curves, and the goal is then between the two runs.
func broughtOn(b *input.Branch, before []input.Branch) bool {
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
