package fuzzer

import (
	"context"
	"errors"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
)

// grace is the rest of the budget that is spent on breaking the targets once all
// of them are reached.
type grace struct {
	begun   bool
	calls   uint64  // when it began
	seconds float64 // likewise
}

// DefaultAfterReached is [Config.AfterReached] where it is not set. Arbitrary: half the budget
// goes to breaking what was reached easily. An audit has nothing else to do, and does not end
// early.
const DefaultAfterReached = 0.5

// EveryTargetReached is [Result.Stopped] of a campaign that ended early for that.
const EveryTargetReached = "every target reached"

// budgetRemains reports whether another task may be dispatched; if not, Stopped says
// why.
func (c *Campaign) budgetRemains(ctx context.Context) bool {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		c.result.Stopped = "time limit"
	case ctx.Err() != nil:
		c.result.Stopped = Canceled
	case c.timeToTidy():
		c.result.Stopped = "time limit"
	case !c.affords(uint64(c.seqLen) + c.owes()):
		c.result.Stopped = "call limit"
	case c.failing >= maxFaults:
		c.result.Stopped = "too many faults of the tool"
	case c.graceIsOver():
		c.result.Stopped = EveryTargetReached
	default:
		return true
	}
	return false
}

// The part of the whole budget, one in so many, that is left for minimizing at most: of the calls, and of the time, since the
// judge takes longer for a call. Arbitrary.
const (
	tidyShare     = 8
	tidyTimeShare = 16
)

// owes is the number of calls that are to be left for minimizing; 0: nothing is to be minimized, or the budget is in time.
func (c *Campaign) owes() uint64 { return min(c.drafts.owed, c.MaxCalls/tidyShare) }

// timeToTidy reports whether the rest of a budget in time is for minimizing.
func (c *Campaign) timeToTidy() bool {
	return c.MaxCalls == 0 && c.Timeout > 0 && c.drafts.owed > 0 && c.seconds() >= c.Timeout.Seconds()*(1-1./tidyTimeShare)
}

// affords reports whether so many calls are left, not counting those reserved for the
// workers' tasks.
func (c *Campaign) affords(calls uint64) bool {
	return c.MaxCalls == 0 || c.result.Stats.Calls+c.reserved+calls <= c.MaxCalls
}

func (c *Campaign) graceIsOver() bool {
	if len(c.Targets) == 0 || c.left > 0 || c.Audit {
		return false
	}
	if !c.grace.begun {
		c.grace = grace{begun: true, calls: c.result.Stats.Calls, seconds: c.seconds()}
	}
	share := DefaultAfterReached
	if c.AfterReached != nil && c.stats().Reached > 0 {
		share = *c.AfterReached // where all are proved unreachable, bugs are all that is left to look for
	}
	if c.MaxCalls > 0 && float64(c.result.Stats.Calls-c.grace.calls) >= share*float64(c.MaxCalls) {
		return true
	}
	// A campaign limited in calls is decided by calls alone.
	return c.MaxCalls == 0 && c.Timeout > 0 && c.seconds()-c.grace.seconds >= share*c.Timeout.Seconds()
}

// The budget for analyzing seeds again, in steps of the analysis. Seeds are due for it
// whenever a target falls, with thousands of targets all the time. Old results stay
// right when goals fall away; they only point to targets that are reached already.
const (
	// freeQuestions may be spent at once, about 30 ms; arbitrary.
	freeQuestions = 100_000
	// questionShare may be spent for each execution. An execution takes about 30 µs and
	// a step 0.3 µs, so this is about 2 % of the time.
	questionShare = 2
	// executionCost is the cost of running a seed for the analysis.
	executionCost = 100
	// The cost of a question that needs no fixed point, and of nodes of a graph in which
	// distances are computed (measured, roughly).
	stepsPerQuestion = 2
	nodesPerStep     = 8
)

// affordsQuestions reports whether a seed's path may be analyzed again.
func (c *Campaign) affordsQuestions() bool {
	return c.reanalysisCost < freeQuestions+questionShare*c.result.Stats.Executions
}

// questionCost is the cost of an analysis, in steps.
func questionCost(s lookahead.Stats) uint64 {
	return uint64(s.Steps + stepsPerQuestion*s.Questions + s.Nodes/nodesPerStep)
}
