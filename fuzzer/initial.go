package fuzzer

import (
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Sequences of a task, arbitrary: a few milliseconds of seeds, and few enough saved inputs
// that the share of the budget for them is kept where each takes all the gas it may.
const (
	seedsOfTask = 64
	savedOfTask = 8
)

// initialTasks are the property functions on the initial state, then the seeds: each
// function once with zero arguments, the given sequences, the saved corpus, inputs of others, functions of contracts
// with targets by every sender. They are split so that all workers get some.
func (c *Campaign) initialTasks() []task {
	mutator := input.NewMutator(c.Space, input.NewDictionary(nil), input.Options{SeqLen: c.seqLen})
	tasks := append([]task{{properties: true}}, split(task{}, slices.Concat(mutator.Seeds(), c.Seeds), seedsOfTask)...)
	saved := c.Saved
	if c.Corpus != nil {
		var notes []string
		saved, notes = c.Corpus.Load(c.Space)
		c.result.Notes = append(c.result.Notes, notes...)
	}
	tasks = append(tasks, split(task{saved: true}, saved, savedOfTask)...)
	tasks = append(tasks, split(task{saved: true}, c.Given, savedOfTask)...)
	bySender := c.Space.SeedsBySender(func(contract *bytecode.Contract) bool {
		return slices.ContainsFunc(c.Targets, func(t bytecode.Target) bool { return t.Contract == contract.QualifiedName() })
	})
	return append(tasks, split(task{}, bySender, seedsOfTask)...)
}

// split makes tasks like t that run the sequences, so many each.
func split(t task, sequences []input.Sequence, size int) []task {
	var tasks []task
	for chunk := range slices.Chunk(sequences, size) {
		t.run = chunk
		tasks = append(tasks, t)
	}
	return tasks
}

// nextInitial is the next task of those that the campaign begins with. Where heavy calls have
// used up their share, functions are sounded first, and those that burn gas wait while there
// is something else to fuzz.
func (c *Campaign) nextInitial() (task, bool) {
	if c.initial = c.withoutCostly(c.initial); len(c.initial) == 0 {
		return task{}, false
	}
	next := 0
	if c.exhausted() {
		next = slices.IndexFunc(c.initial, func(t task) bool { return !t.burning })
		if next < 0 && len(c.suite.Seeds) > 0 && c.affordable() != nil {
			return task{}, false
		}
		next = max(next, 0)
	}
	t := c.initial[next]
	c.initial = slices.Delete(c.initial, next, next+1)
	t.sounding = c.exhausted() && !t.burning
	return t, true
}

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
