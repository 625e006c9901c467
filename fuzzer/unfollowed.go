package fuzzer

// Where a call fails by a check that it has passed before (see [failedAgain]), only the leads of that run get past it: all sides of the check's
// branches have been taken, so that no input is kept for them, and none is solved for. But a task has room for so many leads. Inputs for whose
// leads there was none are followed later, for a small part of the executions.

// Bounds of that. Both arbitrary: loops fail by such checks as well, in one new path after the other.
const (
	maxUnfollowed   = 1024 // inputs that are kept
	unfollowedShare = 16   // one execution in so many, at most
)

// leave keeps an input that is to be followed later.
func (s *Suite) leave(seed *Seed) {
	if len(s.unfollowed) < maxUnfollowed {
		s.unfollowed = append(s.unfollowed, seed)
	}
}

// followingTask follows one of the inputs whose leads were not all made; false where there is none, or its turn has not come.
func (c *Campaign) followingTask() (task, bool) {
	waiting := c.suite.unfollowed
	if len(waiting) == 0 || c.Without.Prediction || c.suite.spent[fromUnfollowed]*unfollowedShare > c.result.Stats.Executions {
		return task{}, false
	}
	i := c.rand.IntN(len(waiting)) // those of a loop are many
	last := len(waiting) - 1
	seed := waiting[i]
	waiting[i], c.suite.unfollowed = waiting[last], waiting[:last]
	if c.skips(seed) {
		return task{}, false
	}
	return task{seed: seed, energy: 1, source: fromUnfollowed, seqLen: c.seqLen}, true
}
