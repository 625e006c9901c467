package fuzzer

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Campaign is one run of the fuzzer. Its state belongs to the goroutine of [Campaign.Run].
type Campaign struct {
	Config
	suite  *Suite
	rand   *rand.Rand
	result Result
	start  time.Time

	// What executions have reached.
	blocks map[blockRef]bool
	taken  sideSet
	open   []bool // by target: not yet reached, and not proved unreachable
	left   int    // number of open targets
	seqLen int    // at most so many calls a mutant now, see Config.SeqLen
	// maxSeqLen is the bound of seqLen, and of what is demanded.
	maxSeqLen int
	unpaid    []input.Sequence // see isUnpaid
	fuzzTests
	ration

	// What makes earlier analysis results stale.
	epoch   int // rises when targets fall or a call leads somewhere new
	changed int // rises when state is changed by an instruction for the first time
	// reanalysisCost is the cost of analyzing seeds again so far, in steps of the analysis.
	reanalysisCost uint64

	// What confirms findings, see confirm.go.
	judge    evm.Machine
	observer *observer // of the judge's executions
	encoded  evm.Sequence
	reported reports

	// Workers and their budget.
	initial  []task // what the campaign begins with, as far as it was not dispatched
	idle     []int  // workers without a task
	busy     int
	reserved uint64 // calls that the current tasks may still use
	ranSaved bool   // a task of saved inputs
	failing  int    // consecutive tasks that ended in a fault before anything was run
	grace    grace
	docket
	drafts   drafts
	timeline timeline
	traffic  traffic
}

// Run runs the campaign until its budget is used up or ctx is done. An error means that
// no campaign was possible; faults on the way are in the Result.
//
// It is Algorithm 1 of the lookahead paper, with predicted inputs in addition to mutants as
// in Harvey's. The outer loop is here; each worker runs the inner loop for its own seed.
//
//	 1  PIDs ← RunSeeds(S, prog)                            Campaign.initialTasks
//	 2  while ¬Interrupted() do                             Campaign.budgetRemains
//	 3    input ← PickInput(PIDs)                           Campaign.pick
//	 4    energy ← 0                                        worker.fuzz
//	 6    maxEnergy ← LookaheadAssignEnergy(input)          Campaign.assignEnergy, in line 5's place
//	 7    while energy < maxEnergy do                       worker.fuzz
//	 8      input′ ← FuzzInput(input), or a prediction      mutation.mutate, worker.follow
//	 9      PID′ ← Run(input′, prog)                        runner.run
//	10      if IsNew(PID′, PIDs) then                       worker.isNew
//	11        LID, SPs ← LookaheadAnalyze(prog, input′, T)  worker.analyze
//	12        PIDs ← Add(PID′, input′, LID, SPs, PIDs)      Campaign.merge, Suite.add
//	13      energy ← energy + 1                             worker.fuzz
//	    Output: Test suite Inputs(PIDs)                     Campaign.conclude
func (c *Campaign) Run(ctx context.Context) (*Result, error) {
	if err := c.prepare(); err != nil {
		return nil, err
	}
	ctx, cancel := c.deadline(ctx)
	defer cancel()
	tasks, batches, stop, err := c.startWorkers(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()

	c.initial = c.initialTasks()
	for {
		for len(c.idle) > 0 && c.budgetRemains(ctx) { // line 2
			t, ok := c.nextTask() // lines 1, 3 and 6
			if !ok {
				break
			}
			c.dispatch(t, tasks) // line 7
		}
		switch {
		case c.busy > 0:
			c.merge(ctx, <-batches) // line 12
		case !c.resumes(ctx):
			return c.conclude(ctx), nil
		}
	}
}

// nextTask is what a worker does next; false while there is nothing to do.
func (c *Campaign) nextTask() (task, bool) {
	if t, ok := c.nextInitial(); ok { // line 1
		return t, true
	}
	if len(c.suite.Seeds) == 0 {
		c.result.Stopped = "no seed could be run" // overwritten once one has
		return task{}, false
	}
	for _, next := range []func() (task, bool){c.receivedTask, c.solvingTask, c.planningTask, c.followingTask} { // what the papers do not have
		if t, ok := next(); ok {
			return t, true
		}
	}
	seed, from := c.pick()               // line 3
	energy := c.assignEnergy(seed, from) // line 6
	return c.fuzzingTask(seed, energy, from), true
}
