package fuzzer

import "slices"

// unsolved knows the branch sides that nothing has taken and that are to be solved for.
type unsolved struct {
	// fresh lists those that were not solved for, in order of appearance; those with a
	// target ahead are at 1.
	fresh [2][]freshSide
	// yielding lists those whose operands input words are known to move.
	yielding []*yieldingSide
}

// freshSide is a branch side that was not solved for.
type freshSide struct {
	frontierSide
	since uint64 // executions when it came up
}

// solvingPatience is how many executions pass before a side is solved for. Secant steps and direct
// proposals get through most branches in less than solving takes to look at the words of a
// call; arbitrary.
const solvingPatience = 256

// yieldingSide is a branch side whose operands move.
type yieldingSide struct {
	side  branchSide
	tries int
}

// yields notes that input words move the operands of a branch: on each worker once.
func (u *unsolved) yields(side branchSide) {
	if !slices.ContainsFunc(u.yielding, func(y *yieldingSide) bool { return y.side == side }) {
		u.yielding = append(u.yielding, &yieldingSide{side: side})
	}
}

// Shares of the executions that go to solving, as long as there is something to solve
// for: half when a branch side has just come up, a quarter when it resisted. Many resist
// since nothing takes them: when each was tried so many times, they have half of that, and
// so on in proportion. Arbitrary.
const (
	freshShare    = 2
	yieldingShare = 4
	manyTries     = 64
)

// solvingTask is a task to solve for branch sides that nothing has taken: where a side
// has come up, for all that the closest input to it comes to; then, in turns, for those
// that input words move. False when there is none, or others have their turn.
func (c *Campaign) solvingTask() (task, bool) {
	if c.Without.Solving || c.Without.Prediction || c.Without.Frontier {
		return task{}, false
	}
	var total uint64
	for _, spent := range c.suite.spent {
		total += spent
	}
	solving := c.suite.spent[fromSolving]
	t := task{energy: 1, source: fromSolving, seqLen: c.seqLen}
	if solving*freshShare <= total {
		t.seed = c.suite.nextFresh(c.suite.total, c.rests)
	}
	if t.seed == nil && solving*c.suite.yieldingShare() <= total {
		t.seed, t.side, t.tries = c.suite.nextYielding(c.rand.IntN(aheadShare) > 0, c.rests)
	}
	if t.seed == nil {
		return task{}, false
	}
	if !t.seed.solved { // it may be an input that has just come closer
		t.seed.solved, t.side = true, nil
	}
	return t, true
}

// nextFresh is the closest input to a side of the frontier that was not solved for and is
// due, to one with a target ahead if there is such: first of those whose paths go on
// toward it in the function that is called, since a dispatcher leads everywhere. Nil when
// there is none; seeds that rest have their turn later.
func (s *Suite) nextFresh(now uint64, rests func(*Seed) bool) *Seed {
	leads := func(seed *Seed) bool {
		lid := s.counts[seed.PID].lid
		return lid != nil && lid.leads
	}
	anyway := func(*Seed) bool { return true }
	for _, from := range []struct {
		list  int
		wants func(*Seed) bool
	}{{1, leads}, {1, anyway}, {0, anyway}} {
		fresh := &s.fresh[from.list]
		for i := 0; i < len(*fresh) && (*fresh)[i].since+solvingPatience <= now; {
			e := s.frontier[(*fresh)[i].frontierSide]
			if e != nil && !e.seed.solved && (rests(e.seed) || !from.wants(e.seed)) {
				i++
				continue
			}
			*fresh = slices.Delete(*fresh, i, i+1)
			if e != nil && !e.seed.solved {
				return e.seed
			}
		}
	}
	return nil
}

// yieldingShare: one execution in so many goes to solving for sides that resisted.
func (u *unsolved) yieldingShare() uint64 {
	if len(u.yielding) == 0 {
		return yieldingShare
	}
	least := u.yielding[0].tries
	for _, y := range u.yielding {
		least = min(least, y.tries)
	}
	return yieldingShare * (1 + uint64(least)/manyTries)
}

// nextYielding picks the side that was solved for least often, and the closest input to
// it: of those with a target ahead, if there are such and ahead asks for it. Nil when
// there is none.
func (s *Suite) nextYielding(ahead bool, rests func(*Seed) bool) (seed *Seed, side *branchSide, tries int) {
	s.yielding = slices.DeleteFunc(s.yielding, func(y *yieldingSide) bool { return s.nearestTo(y.side) == nil }) // taken
	if ahead {
		ahead = slices.ContainsFunc(s.yielding, func(y *yieldingSide) bool { return s.frontier[frontierSide{y.side, true}] != nil })
	}
	var best *yieldingSide
	for _, y := range s.yielding {
		if (best == nil || y.tries < best.tries) && (!ahead || s.frontier[frontierSide{y.side, true}] != nil) && !rests(s.nearestTo(y.side)) {
			best = y
		}
	}
	if best == nil {
		return nil, nil, 0
	}
	best.tries++
	return s.nearestTo(best.side), &best.side, best.tries - 1
}

// nearestTo is the closest input to a branch side, one with a target ahead if there is
// such; nil once the side was taken.
func (s *Suite) nearestTo(side branchSide) *Seed {
	for _, ahead := range []bool{true, false} {
		if e := s.frontier[frontierSide{side, ahead}]; e != nil {
			return e.seed
		}
	}
	return nil
}
