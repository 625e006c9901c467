package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Mark is a moment in a campaign.
type Mark struct {
	Executions uint64
	Calls      uint64
	Seconds    float64
}

// Stats are the counts of a campaign so far.
type Stats struct {
	Executions uint64
	Calls      uint64
	Seconds    float64
	Paths      int // distinct path identifiers
	Seeds      int // entries of the suite
	Blocks     int // distinct blocks entered
	Reached    int // targets
	Findings   int

	Analysis        lookahead.Stats // of all workers
	AnalysisSeconds float64         // spent in the analysis, by all workers and before they begin
}

// now is the present moment.
func (c *Campaign) now() Mark {
	return Mark{c.result.Stats.Executions, c.result.Stats.Calls, c.seconds()}
}

// Done reports whether the outcome is all that can be asked for of a target: it was executed in a call that succeeded or, where
// whatever runs it reverts, at all.
func (t *TargetResult) Done(target *bytecode.Target) bool {
	return t.Reached || t.Entered && target.Reverts
}

// stats sums up what was done so far.
func (c *Campaign) stats() Stats {
	s := c.result.Stats
	s.Seconds = c.seconds()
	s.Paths = c.suite.paths()
	s.Seeds = len(c.suite.Seeds)
	s.Blocks = len(c.blocks)
	for i := range c.result.Targets {
		if c.result.Targets[i].Done(&c.Targets[i]) {
			s.Reached++
		}
	}
	s.Findings = len(c.result.Findings)
	return s
}

// seconds since the campaign began.
func (c *Campaign) seconds() float64 { return c.Now().Sub(c.start).Seconds() }
