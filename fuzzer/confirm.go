package fuzzer

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// proof is a sequence of a discovery and its execution by the judge, which has run nothing since.
type proof struct {
	sequence  input.Sequence
	execution *evm.Execution
}

// confirmTarget records that an execution reached a target, if the judge confirms it. Its sequence is minimized later, see
// drafts. One that confirmed another target of the discovery will do.
func (c *Campaign) confirmTarget(h hit, d *discovery, last *proof) {
	t := &c.result.Targets[h.target]
	if t.Reached || t.Entered && !h.kept {
		return
	}
	if !c.affordsJudging(d.work) {
		c.deferHit(h, d)
		return
	}
	reaches := func(seq input.Sequence, exec *evm.Execution) bool {
		entered, kept := c.enters(h.target, seq, exec)
		return kept || entered && !h.kept
	}
	seq, ok := last.sequence.Clone(), last.execution != nil && reaches(last.sequence, last.execution)
	if !ok {
		seq, last.execution, ok = c.confirm(d, h.call, reaches)
		last.sequence = seq
	}
	if !ok {
		last.execution = nil
		c.disagreement(fmt.Sprintf("target %s in %s", c.Targets[h.target].Position, c.Targets[h.target].Contract), d.sequence)
		return
	}
	if t.Unreachable {
		c.fault(Fault{fmt.Sprintf("target %s in %s was reached although it was proved unreachable", c.Targets[h.target].Position, c.Targets[h.target].Contract), seq, nil})
		t.Unreachable = false
	}
	t.Entered, t.Reached = true, h.kept
	t.First, t.Sequence = d.at, seq
	c.drafts.addTarget(h.target, seq, d.work)
	if t.Done(&c.Targets[h.target]) {
		if c.open[h.target] {
			c.open[h.target] = false
			if c.left--; c.left == 0 {
				c.suite.dropBarriers()
			}
			c.epoch++
			c.considerTarget(h.target, d)
		}
		c.tell(Event{At: d.at, Target: h.target, Last: c.left == 0, Stats: c.stats()})
	}
}

// confirmFinding turns an observation into a finding, if the judge confirms it. Its sequence is minimized now, or later, see
// drafts.
func (c *Campaign) confirmFinding(ctx context.Context, seen observation, d *discovery) {
	key := seen.key()
	if c.reported.has(key, seen.presumed) {
		c.keepWay(key, d.sequence[:seen.Call+1])
		return
	}
	if !c.affordsJudging(d.work) {
		c.deferFinding(seen, d)
		return
	}
	seq, exec, ok := c.confirm(d, len(d.sequence)-1, func(seq input.Sequence, exec *evm.Execution) bool {
		return c.observer.sees(key, seq, exec)
	})
	if !ok {
		c.disagreement(fmt.Sprintf("finding of oracle %s", seen.oracle.ID), d.sequence)
		return
	}
	if c.knownWorse(key, seen.presumed) {
		return
	}
	c.reported.add(key, seen.presumed)
	if seen.oracle == oracle.ArbitraryWrite {
		c.taken.add(writeSide(seen.Location))
		c.suite.covered(writeSide(seen.Location))
	}
	f := &Finding{
		Oracle:   seen.oracle,
		Location: seen.Location,
		Contract: seen.Contract,
		Message:  seen.Message,
		Severity: seen.Severity,
		Sequence: seq,
		First:    d.at,

		NeverPassed: seen.oracle == oracle.FailingTest && !c.passed[lastOf(seq)],

		Path: entered(c.Table, exec),

		Chosen: seen.chosen,
	}
	c.keepFinding(f)
	if rough := (findingDraft{f, key, d.work}); c.affordsPrompt() {
		c.minimizeFinding(ctx, &rough)
	} else {
		c.drafts.addFinding(rough)
	}
	c.tell(Event{At: d.at, Target: -1, Found: f, Stats: c.stats()})
}

// knownWorse reports whether a finding is known to be at least as severe.
func (c *Campaign) knownWorse(key findingKey, presumed bool) bool {
	return slices.ContainsFunc(c.result.Findings, func(f *Finding) bool {
		return f.Oracle.ID == key.oracle && f.Location == key.at && f.Chosen == key.chosen && f.presumes(c.Space) == presumed && f.Severity >= key.severity
	})
}

// keepFinding adds a finding, in the place of a less severe one of the same oracle at the same place. Those that presume something are
// kept as well as those that do not, until the campaign is over.
func (c *Campaign) keepFinding(f *Finding) {
	for i, known := range c.result.Findings {
		if f.SamePlace(known) && known.presumes(c.Space) == f.presumes(c.Space) {
			c.result.Findings[i] = f
			return
		}
	}
	c.result.Findings = append(c.result.Findings, f)
}

// keepWay keeps another sequence of a finding.
func (c *Campaign) keepWay(key findingKey, seq input.Sequence) {
	for _, f := range c.result.Findings {
		if f.Oracle.ID == key.oracle && f.Location == key.at && len(f.Ways) < c.Ways {
			f.Ways = append(f.Ways, seq.Clone())
		}
	}
}

// confirm replays a discovery's sequence up to a call on the judge, and returns what was run with its execution: if possible
// the sequence that a worker has shortened. All runs of the judge count as executions; those that confirm may exceed the
// campaign's budget, so that observations made within it are not lost.
func (c *Campaign) confirm(d *discovery, call int, holds holds) (input.Sequence, *evm.Execution, bool) {
	if d.short != nil && len(d.short) < len(d.sequence) && call == len(d.sequence)-1 {
		if exec, ok := c.replay(d.short, holds); ok {
			return d.short.Clone(), exec, true
		}
	}
	seq := d.sequence[: call+1 : call+1]
	exec, ok := c.replay(seq, holds)
	return seq.Clone(), exec, ok
}

// disagreement reports that the judge did not see what a worker's machine saw.
func (c *Campaign) disagreement(what string, seq input.Sequence) {
	c.fault(Fault{what + " was not confirmed by go-ethereum: not reported", seq, nil})
}

// confirmDeferred confirms what the judge may spend its work on now: findings first.
func (c *Campaign) confirmDeferred(ctx context.Context) {
	if len(c.docket.findings) == 0 && len(c.docket.targets) == 0 {
		return
	}
	findings, targets := c.docket.findings, c.docket.targets
	c.docket.findings, c.docket.targets = nil, nil // those that still have to wait come again
	for i := range findings {
		c.confirmFinding(ctx, findings[i].seen, &findings[i].discovery)
	}
	for i := range targets {
		c.confirmTarget(targets[i].hit, &targets[i].discovery, &proof{})
	}
}

// maxDeferred bounds the findings of heavy calls that are confirmed once the campaign is
// over: half a minute's work. Arbitrary.
const maxDeferred = 32

// closeDocket confirms the findings that are left once the campaign is over, whatever that
// takes, but no more than a bound; and targets as far as the judge may.
func (c *Campaign) closeDocket(ctx context.Context) {
	findings := c.docket.findings
	c.docket.findings = nil
	for i := range findings {
		if i == maxDeferred {
			c.docket.dropped = len(findings) - i
			break
		}
		c.docket.judged = 0
		c.confirmFinding(ctx, findings[i].seen, &findings[i].discovery)
	}
	c.docket.judged = 0
	c.confirmDeferred(ctx)
}
