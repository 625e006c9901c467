package compare

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
)

// BaseShare is the part of the campaign's budget that is spent on the base in addition to
// it, before a finding counts as not reproduced there (a tenth, as documented).
const BaseShare = 10

// minCalls is the least budget of that campaign in calls: one sequence of the usual
// length (Harvey, section 5).
const minCalls = 8

// Budget is what the campaign on the base may use, and what it begins with.
type Budget struct {
	// Config is that of the head's campaign. The base gets its oracles, schedule, seed and
	// workers, and a [BaseShare] of its limits.
	Config fuzzer.Config
	// Saved are the inputs that the head's campaign began with.
	Saved []input.Sequence
}

// Findings compares each finding with the base. why is the reason where there is no base.
func Findings(ctx context.Context, findings []*fuzzer.Finding, head *deploy.Deployment, b *Base, why error, budget *Budget, log *progress.Log) map[*fuzzer.Finding]Result {
	known := map[*fuzzer.Finding]Result{}
	if why != nil {
		for _, f := range findings {
			known[f] = unknown("%v", why)
		}
		return known
	}
	var candidates, open []*candidate
	for _, f := range findings {
		c := b.lookUp(f, head)
		if c.tryOwn(b) {
			open = append(open, c)
		}
		candidates = append(candidates, c)
	}
	b.trySaved(ctx, open, head, budget.Saved)
	open = slices.DeleteFunc(open, func(c *candidate) bool { return c.others })
	b.fuzz(ctx, open, budget, log)
	for _, c := range candidates {
		known[c.finding] = c.decide()
	}
	return known
}

// candidate is a finding with the evidence from the base.
type candidate struct {
	evidence
	finding  *fuzzer.Finding
	at       []bytecode.Location // on the base where it may be observed
	sequence input.Sequence      // the finding's, as far as it fits
}

// lookUp looks for a finding's code and calls in the base.
func (b *Base) lookUp(f *fuzzer.Finding, head *deploy.Deployment) *candidate {
	c := &candidate{finding: f, at: b.places[f]}
	c.contract, c.project, c.there = f.Contract, b.covers(f.Contract), b.Deployment.Contract(f.Contract) != nil
	_, c.located = head.Positions.TextAt(f.Location)
	c.textual, c.places = textual(f.Contract, &b.Deployment.Build), len(c.at)
	var err error
	if c.sequence, err = input.Parse(b.Deployment.Space, input.Format(head.Space, f.Sequence)); err != nil {
		c.missing = err.Error()
	}
	c.fitting = len(c.sequence)
	return c
}

// shows reports whether something that was observed is the finding.
func (c *candidate) shows(observed []fuzzer.Observed) bool {
	return slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		return o.Oracle == c.finding.Oracle.ID && slices.Contains(c.at, o.Location)
	})
}

// tryOwn makes the finding's own calls. It reports whether other calls are worth trying.
func (c *candidate) tryOwn(b *Base) bool {
	if c.places == 0 || c.fitting == 0 {
		return false
	}
	exec, observed, err := b.replay(c.sequence)
	if err != nil {
		c.fault = err.Error()
		return false
	}
	if c.same = c.shows(observed); c.same {
		return false
	}
	c.outcome = "succeeds"
	if last := exec.Calls[len(exec.Calls)-1]; last.Outcome != evm.Success {
		c.outcome = "reverts: " + last.Reason()
	}
	return true
}

func (b *Base) replay(seq input.Sequence) (*evm.Execution, []fuzzer.Observed, error) {
	return fuzzer.Replay(b.judge, &fuzzer.Config{Space: b.Deployment.Space, Oracles: oracle.Known()}, seq)
}

// trySaved tries the saved inputs, as the campaign did on the head: a failure that they
// cause on the base is old. They are few (fuzzer.Corpus.Trim), and not part of the base's
// share.
func (b *Base) trySaved(ctx context.Context, open []*candidate, head *deploy.Deployment, all []input.Sequence) {
	if len(open) == 0 {
		return
	}
	for _, saved := range all {
		if ctx.Err() != nil {
			return
		}
		seq, _ := input.Parse(b.Deployment.Space, input.Format(head.Space, saved)) // as far as it fits
		if len(seq) == 0 {
			continue
		}
		_, observed, err := b.replay(seq)
		if err != nil {
			continue // it shows nothing
		}
		for _, c := range open {
			c.others = c.others || c.shows(observed)
		}
	}
}

// fuzz looks for other calls that break the places on the base that the findings' own calls
// do not break: with a campaign that starts from those calls and aims at those places.
func (b *Base) fuzz(ctx context.Context, open []*candidate, budget *Budget, log *progress.Log) {
	if len(open) == 0 {
		return
	}
	config := budget.share(b.Deployment, open)
	log.Line("base    trying to reproduce %s there, limit %s", human.Plural(len(open), "finding"), describeLimit(&config))
	result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	for _, c := range open {
		switch {
		case err != nil:
			c.fault = err.Error()
			continue
		case ctx.Err() != nil:
			c.fault = "the run was canceled before the base was tried"
			continue
		case len(result.Faults) > 0:
			c.fault = "the tool failed on the base: " + result.Faults[0].Message
			continue
		}
		c.tried = result.Stats.Executions
		c.others = slices.ContainsFunc(result.Findings, func(f *fuzzer.Finding) bool {
			return f.Oracle.ID == c.finding.Oracle.ID && f.Contract == c.finding.Contract && slices.Contains(c.at, f.Location)
		})
	}
}

// share is the configuration of the campaign on the base for the findings that are open.
func (b *Budget) share(d *deploy.Deployment, open []*candidate) fuzzer.Config {
	head := &b.Config
	config := fuzzer.Config{
		World: d.World, Space: d.Space, Table: d.Table, Oracles: head.Oracles, NewMachine: d.NewMachine, NewJudge: d.NewJudge,
		Schedule: head.Schedule, Without: head.Without, Seed: head.Seed, Workers: head.Workers, SeqLen: head.SeqLen,
		Timeout: head.Timeout / BaseShare, Now: head.Now,
	}
	if head.MaxCalls > 0 {
		config.MaxCalls = max(head.MaxCalls/BaseShare, uint64(max(config.SeqLen, minCalls)))
	}
	for _, c := range open {
		config.Seeds = append(config.Seeds, c.sequence)
		config.Targets = append(config.Targets, bytecode.Target{Entries: c.at, Contract: c.finding.Contract})
	}
	return config
}

func describeLimit(c *fuzzer.Config) string {
	if c.Timeout > 0 {
		return human.Clock(c.Timeout.Round(time.Second).Seconds())
	}
	return fmt.Sprintf("%s calls", human.Count(c.MaxCalls))
}
