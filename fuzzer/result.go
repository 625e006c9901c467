package fuzzer

import (
	"cmp"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Event is progress of a campaign, for display.
type Event struct {
	At     Mark
	Target int      // index of a target newly reached, −1 otherwise
	Last   bool     // the Target is the last one that was not reached
	Found  *Finding // a new finding, nil otherwise
	Stats  Stats    // of this moment
}

// TargetResult is the outcome for one target.
type TargetResult struct {
	Unreachable bool           // proved: no execution ever reaches it
	Reached     bool           // executed in a call that succeeded
	Entered     bool           // executed at all
	First       Mark           // when Reached, or only Entered, became true
	Sequence    input.Sequence // minimized; nil when not entered
	// Stops are where executions leave the way to a target that was not reached: those that
	// none passed first, then the most frequent; empty for others, and without
	// [Config.FunctionAt].
	Stops []Stop
	// Strangers are stops at which msg.sender is compared with an account that sends no calls, the
	// nearest to the target first; they may be among Stops.
	Strangers []Stop
}

// Result is the result of a campaign.
type Result struct {
	Targets  []TargetResult      // parallel to Config.Targets
	Findings []*Finding          // in order of discovery
	Entered  []bytecode.Location // the start of every block that any call entered, sorted
	// Suite is the suite in the end, in order: an input of each path that was kept, and those whose last call a contract could not pay, for what the change has made of it.
	Suite   []input.Packed
	Faults  []Fault
	Notes   []string // what happened to the saved corpus
	Stats   Stats
	Stopped string // why it ended
	// Timeline are samples of the campaign from its first task to its end.
	Timeline []Sample
	// Useful is the number of executions without those in which a heavy call failed.
	Useful uint64
	// Burners are the functions with heavy calls, the most expensive first.
	Burners []Burner
	// Passed are the project's own fuzz tests that passed with some arguments.
	Passed []input.Callable
	// Unconfirmed counts what oracles saw in calls so heavy that the judge had no time for them.
	Unconfirmed int
	// Exchange counts what was exchanged with other campaigns; nil without [Config.Exchange].
	Exchange *ExchangeStats
}

// Canceled is [Result.Stopped] of a campaign that was canceled.
const Canceled = "canceled"

// soFar is the result with what is summed up of the campaign's state.
func (c *Campaign) soFar() *Result {
	result := c.result
	for _, seed := range c.suite.Seeds {
		result.Suite = append(result.Suite, seed.Calls)
	}
	for _, seq := range c.unpaid {
		result.Suite = append(result.Suite, input.Pack(seq, nil))
	}
	result.Timeline = c.closeTimeline()
	result.Stats = c.stats()
	result.Useful, result.Burners, result.Unconfirmed = result.Stats.Executions-min(c.ration.failed, result.Stats.Executions), c.burners(), c.dropped
	for test := range c.passed { // sorted below
		result.Passed = append(result.Passed, test)
	}
	slices.SortFunc(result.Passed, func(a, b input.Callable) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Function.Signature, b.Function.Signature))
	})
	if c.Exchange != nil {
		stats := c.traffic.stats
		result.Exchange = &stats
	}
	for b := range c.blocks { // sorted below
		if p := c.Table.Program(b.code); p != nil {
			result.Entered = append(result.Entered, bytecode.Location{Code: b.code, PC: p.Blocks[b.block].Start})
		}
	}
	slices.SortFunc(result.Entered, bytecode.Location.Compare)
	return &result
}

// tell tells of progress, and lets it be kept.
func (c *Campaign) tell(e Event) {
	c.Progress(e)
	if c.Checkpoint != nil {
		c.Checkpoint(e, c.soFar)
	}
}

// maxFaults bounds the faults of the tool that are kept. When as many consecutive tasks
// fail before running anything, the campaign stops. Arbitrary.
const maxFaults = 100

// fault keeps a fault of the tool.
func (c *Campaign) fault(f Fault) {
	if len(c.result.Faults) < maxFaults {
		c.result.Faults = append(c.result.Faults, f)
	}
}
