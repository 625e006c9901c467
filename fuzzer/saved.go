package fuzzer

import (
	"fmt"
	"slices"
)

// savedShare is the part of the budget, one in so many, after which no more saved inputs
// are run. Those that a campaign saves take less than a hundredth of it; those that anyone
// else put there must not take it all.
const savedShare = 4

// withoutCostly drops the tasks that are left of the saved inputs if the budget's share for
// them is spent. The first is always run.
func (c *Campaign) withoutCostly(tasks []task) []task {
	next := slices.IndexFunc(tasks, func(t task) bool { return !t.burning }) // the others wait
	if len(tasks) == 0 || !tasks[max(next, 0)].saved {
		return tasks
	}
	if !c.ranSaved {
		c.ranSaved = true
		return tasks
	}
	used := c.result.Stats.Calls + c.reserved
	if (c.MaxCalls == 0 || used < c.MaxCalls/savedShare) && (c.Timeout == 0 || c.seconds() < c.Timeout.Seconds()/savedShare) {
		return tasks
	}
	dropped := 0
	tasks = slices.DeleteFunc(tasks, func(t task) bool {
		if t.saved {
			dropped += len(t.run)
		}
		return t.saved
	})
	c.result.Notes = append(c.result.Notes, fmt.Sprintf("%d saved inputs of the corpus were not run: the others took a quarter of the budget", dropped))
	return tasks
}
