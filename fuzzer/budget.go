package fuzzer

import (
	"context"
	"errors"
)

// grace is the rest of the budget that is spent on breaking the targets once all
// of them are reached.
type grace struct {
	begun   bool
	calls   uint64  // when it began
	seconds float64 // likewise
}

// graceShare: once every target is reached, the campaign goes on for so much of
// the whole budget and ends early after that. Arbitrary: half the budget goes to
// breaking what was found easily.
const graceShare = 0.5

// budgetRemains tells whether another task may be handed out; if not, Stopped
// says why.
func (c *Campaign) budgetRemains(ctx context.Context) bool {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		c.result.Stopped = "time limit"
	case ctx.Err() != nil:
		c.result.Stopped = "cancelled"
	case !c.affords(uint64(c.SeqLen)):
		c.result.Stopped = "call limit"
	case c.failing >= maxFaults:
		c.result.Stopped = "too many faults of the tool"
	case c.graceIsOver():
		c.result.Stopped = "every target reached"
	default:
		return true
	}
	return false
}

// affords tells whether so many calls are left beside those that workers may
// still use.
func (c *Campaign) affords(calls uint64) bool {
	return c.MaxCalls == 0 || c.result.Stats.Calls+c.reserved+calls <= c.MaxCalls
}

func (c *Campaign) graceIsOver() bool {
	if len(c.Targets) == 0 || c.left > 0 {
		return false
	}
	if !c.grace.begun {
		c.grace = grace{begun: true, calls: c.result.Stats.Calls, seconds: c.seconds()}
	}
	if c.MaxCalls > 0 && float64(c.result.Stats.Calls-c.grace.calls) >= graceShare*float64(c.MaxCalls) {
		return true
	}
	// A campaign limited in calls is decided by calls alone.
	return c.MaxCalls == 0 && c.Timeout > 0 && c.seconds()-c.grace.seconds >= graceShare*c.Timeout.Seconds()
}
