package fuzzer

import "slices"

// unsolved holds the untaken branch sides that are to be solved for.
type unsolved struct {
	// fresh lists those that were not solved for yet, in order of appearance; those with
	// a target ahead are at 1.
	fresh [2][]freshSide
	// resisting lists those whose operands input words are known to move.
	resisting []*resistingSide
}

// freshSide is a branch side that was not solved for.
type freshSide struct {
	frontierSide
	since uint64 // executions when it came up
}

// solvingPatience is the number of executions before a side is solved for. Secant steps
// and direct proposals get through most branches in less time than solving takes to try
// the words of a call; arbitrary.
const solvingPatience = 256

// resistingSide is an untaken branch side whose operands input words move.
type resistingSide struct {
	side    branchSide
	tries   int
	refuted *Seed // no numbers of this one take it
}

// addResisting adds a side whose operands input words move; each worker reports it once.
func (u *unsolved) addResisting(side branchSide) {
	if !slices.ContainsFunc(u.resisting, func(y *resistingSide) bool { return y.side == side }) {
		u.resisting = append(u.resisting, &resistingSide{side: side})
	}
}

// refute notes that no numbers of a seed take a side.
func (u *unsolved) refute(side branchSide, seed *Seed) {
	for _, y := range u.resisting {
		if y.side == side {
			y.refuted = seed
		}
	}
}

// refutedTries is how often a side that no numbers of its closest input take is solved for all the same: calls before it may help. Arbitrary: as
// often as a worker tries that, in every other try.
const refutedTries = leadUpInterval * maxLeadUps

// isSkipped reports whether a side is left alone until another input comes closer.
func (s *Suite) isSkipped(y *resistingSide) bool {
	return y.tries >= refutedTries && y.refuted != nil && y.refuted == s.nearestTo(y.side)
}

// Shares of the executions that go to solving, as long as there is something to solve
// for: all but one in freshShare when a branch side has just come up, an eighth when no target is ahead of it, a quarter when it
// resisted. Many resist
// because no input takes them: when each was tried manyTries times, their share is half
// of that, and so on in proportion. Arbitrary, but for freshShare: with 2, half of a maze's assertions are raised after 64,000 to
// 93,000 calls, with 4 after 34,000 to 49,000 (bench/mazes, seeds 28001 to 28004), and the campaigns of bench/targets toward
// targets below 4,000 executions took no more.
const (
	freshShare     = 4
	resistingShare = 4
	asideShare     = 8
	manyTries      = 64
)

// solvingTask is a task to solve for untaken branch sides: where a side has come up, for
// all that the closest input to it passes; then, in turns, for those that input words
// move. False when there is none, or solving has used up its share.
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
	if solving*freshShare <= total*(freshShare-1) {
		t.seed = c.suite.nextFresh(c.suite.total, c.skips, !c.Schedule.directed || c.left == 0 || solving*asideShare <= total)
	}
	if t.seed == nil && solving*c.suite.resistingShare() <= total {
		t.seed, t.side, t.tries = c.suite.nextResisting(c.rand.IntN(aheadShare) > 0, c.skips)
	}
	if t.seed == nil {
		return task{}, false
	}
	t.writers = c.suite.writersFor(t.seed)
	if !t.seed.solved { // it may be an input that has just come closer
		t.seed.solved, t.side = true, nil
	}
	return t, true
}

// nextFresh is the closest input to a side of the frontier that was not solved for and is
// due, if possible one with a target ahead: first of those whose paths lead toward it in
// the function that is called, since a dispatcher leads everywhere. Nil when there is
// none; seeds that are skipped stay for later. Sides without a target ahead are left out unless aside is set.
func (s *Suite) nextFresh(now uint64, skips func(*Seed) bool, aside bool) *Seed {
	leads := func(seed *Seed) bool {
		lid := s.counts[seed.PID].lid
		return lid != nil && lid.leads
	}
	anyway := func(*Seed) bool { return true }
	for _, from := range []struct {
		list  int
		wants func(*Seed) bool
	}{{1, leads}, {1, anyway}, {0, anyway}} {
		if from.list == 0 && !aside {
			break
		}
		fresh := &s.fresh[from.list]
		for i := 0; i < len(*fresh) && (*fresh)[i].since+solvingPatience <= now; {
			e := s.frontier[(*fresh)[i].frontierSide]
			if e != nil && !e.seed.solved && (skips(e.seed) || !from.wants(e.seed)) {
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

// resistingShare: one execution in so many may go to solving for sides that resisted.
func (s *Suite) resistingShare() uint64 {
	least := -1
	for _, y := range s.resisting {
		if !s.isSkipped(y) && (least < 0 || y.tries < least) {
			least = y.tries
		}
	}
	return resistingShare * (1 + uint64(max(least, 0))/manyTries)
}

// nextResisting picks the side that was solved for least often, and the closest input to
// it; with ahead, only among sides with a target ahead, if there are any. Nil when there
// is none.
func (s *Suite) nextResisting(ahead bool, skips func(*Seed) bool) (seed *Seed, side *branchSide, tries int) {
	s.resisting = slices.DeleteFunc(s.resisting, func(y *resistingSide) bool { return s.nearestTo(y.side) == nil }) // taken
	if ahead {
		ahead = slices.ContainsFunc(s.resisting, func(y *resistingSide) bool {
			return s.frontier[frontierSide{y.side, true}] != nil && !s.isSkipped(y)
		})
	}
	var best *resistingSide
	for _, y := range s.resisting {
		if (best == nil || y.tries < best.tries) && (!ahead || s.frontier[frontierSide{y.side, true}] != nil) && !skips(s.nearestTo(y.side)) && !s.isSkipped(y) {
			best = y
		}
	}
	if best == nil {
		return nil, nil, 0
	}
	best.tries++
	return s.nearestTo(best.side), &best.side, best.tries - 1
}

// nearestTo is the closest input to a branch side, if possible one with a target ahead;
// nil once the side was taken.
func (s *Suite) nearestTo(side branchSide) *Seed {
	for _, ahead := range []bool{true, false} {
		if e := s.frontier[frontierSide{side, ahead}]; e != nil {
			return e.seed
		}
	}
	return nil
}
