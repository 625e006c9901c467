package pipeline

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// SelfCheck says how many mistakes are planted in the changed lines, and how long is looked for each: what a green is worth.
type SelfCheck struct {
	Mutants int           // at most so many are tried; 0: none
	Timeout time.Duration // of the campaigns against one; 0: by Calls
	Calls   uint64        // likewise; 0: no limit
	Tests   bool          // whether the project's own Foundry tests are tried on the mistakes as well
}

func (c *SelfCheck) plants() bool { return c.Mutants > 0 }

// firstRound is the share of the time for a mistake after which it is looked at whether that was enough: most are caught at once,
// and what is left over is not spent. Arbitrary.
const firstRound = 8

// plant lists mistakes that may be planted in the changed lines, more than are tried: some do not compile, or change nothing.
func (r *run) plant() []change.Planted {
	if !r.o.SelfCheck.plants() {
		return nil
	}
	return r.change.Plant(r.o.SelfCheck.Mutants * spareMutants)
}

// spareMutants: so many mistakes for each that is tried are listed, since some do not compile, or change nothing. Arbitrary.
const spareMutants = 4

// selfCheck plants mistakes, each on its own, and says of each whether the run would have caught it.
func (r *run) selfCheck(ctx context.Context, list []change.Planted) {
	check := &r.o.SelfCheck
	if !check.plants() {
		return
	}
	result := &report.SelfCheck{Mutants: []report.Mutant{}, Limits: report.Limits{Seconds: check.Timeout.Seconds(), Calls: check.Calls}}
	r.report.SelfCheck = result
	r.o.Log.Section("Self-check")
	seeds := textsOf(r.head.Deployment.Space, r.suite)
	own := r.openOwnTests(ctx, list, result)
	defer own.close()
	for i := range list {
		if result.Valid()+result.Count(report.Untried) >= check.Mutants {
			result.Omitted = len(list) - i
			break
		}
		p := &list[i]
		m := report.Mutant{ID: p.ID(), Operator: string(p.Operator), File: p.File, Line: p.Line, Contract: p.Contract, Function: p.Function, Description: p.Description, Patch: p.Patch}
		began := r.o.Now()
		r.try(ctx, p, &m, seeds)
		own.try(ctx, p, &m)
		m.Seconds = r.o.Now().Sub(began).Seconds()
		result.Mutants = append(result.Mutants, m)
		if m.Result != report.Equivalent && m.Result != report.Invalid {
			r.o.Log.Line("planted %s, %s: %s", human.Printable(m.Place()), human.Printable(m.Description), human.Printable(describeMutant(&m)))
		}
	}
}

// describeMutant is what became of a mistake, in words.
func describeMutant(m *report.Mutant) string {
	text := m.Result
	if len(m.Oracles) > 0 {
		text += " by " + human.First(m.Oracles, 3)
	}
	if m.Reason != "" {
		text += ", " + m.Reason
	}
	return text
}

// try fuzzes a mistake as a pull request on top of the change: first for a share of its time, then for all of it if that was not enough.
func (r *run) try(ctx context.Context, p *change.Planted, m *report.Mutant, seeds []string) {
	check := &r.o.SelfCheck
	for _, share := range []uint64{firstRound, 1} {
		if end := r.o.Campaign.Deadline; ctx.Err() != nil || !end.IsZero() && r.o.Now().Add(check.Timeout).After(end) {
			if m.Result == "" {
				m.Result, m.Reason = report.Untried, "there was no time left"
			}
			return
		}
		quiet := progress.NewLog(io.Discard, r.o.Now)
		e, err := r.change.Edited(ctx, p.File, p.Text, quiet)
		if err != nil {
			m.Result, m.Reason = report.Untried, human.OneLine(err)
			if change.IsRefused(err) {
				m.Result = report.Invalid
			}
			return
		}
		if r.change.SameCode(e) {
			m.Result, m.Reason = report.Equivalent, "the compiler makes the same code of it"
			return
		}
		o := *r.o
		o.Log, o.Output, o.SelfCheck, o.shards = quiet, Output{}, SelfCheck{}, nil
		o.Gate = Gate{FailOn: r.o.Gate.FailOn, AllowStarved: true}
		o.Campaign.CorpusDir, o.Campaign.Deadline = "", time.Time{}
		o.Campaign.Timeout, o.Campaign.Calls = check.Timeout/time.Duration(share), check.Calls/share
		of := begin(&o, e)
		of.seeds, of.planted = seeds, true
		head, recipe, err := deploy.Edited(ctx, e, r.head.Deployment, r.head.Recipe)
		if err == nil {
			err = of.deployed(head, recipe)
		}
		if err == nil {
			err = of.work(ctx)
		}
		if err != nil {
			m.Result, m.Reason = report.Untried, human.OneLine(err)
			return
		}
		report.Decide(of.report)
		of.closeWorld()
		of.foundryTests()
		of.judgeMutant(m)
		if m.Result != report.Missed {
			return
		}
	}
	if r.change.SameOptimized(ctx, p.File, p.Text) {
		m.Result, m.Reason = report.Equivalent, "the optimizer makes the same code of it"
	}
}

// judgeMutant says what the report of a planted mistake makes of it.
func (r *run) judgeMutant(m *report.Mutant) {
	m.Result, m.Reason, m.Oracles, m.Message, m.Test, m.Executions = report.Missed, "", nil, "", nil, r.report.Stats.Executions
	for _, f := range r.report.Gating() {
		note(m, report.Caught, f.Oracle, f.Title, f.Test)
	}
	if m.Result == report.Missed {
		for i := range r.report.Findings {
			if f := &r.report.Findings[i]; f.Comparison == report.Introduced {
				note(m, report.Noted, f.Oracle, f.Title, f.Test)
			}
		}
		r.noteEffect(m)
	}
	for i := 0; m.Test == nil && m.Result != report.Missed && i < len(r.behaviors); i++ {
		m.Test = r.behaviorTest(i)
	}
	if m.Result == report.Missed {
		r.whyMissed(m)
	}
}

// note adds what tells of a mistake.
func note(m *report.Mutant, result, by, message string, test *report.FoundryTest) {
	if m.Result == report.Missed {
		m.Result, m.Message = result, message
	}
	if !slices.Contains(m.Oracles, by) {
		m.Oracles = append(m.Oracles, by)
	}
	if m.Test == nil && test != nil && test.Fails {
		m.Test = test
	}
}

// noteEffect adds what the comment says of what the mistake does.
func (r *run) noteEffect(m *report.Mutant) {
	e := r.report.Effect
	if e == nil {
		return
	}
	for i := range e.Behaviors {
		note(m, report.Noted, oracle.Behavior, e.Behaviors[i].Describe(), nil)
	}
	for i := range e.Permissions {
		// What no sender was seen to write may be what no call reached.
		if p := &e.Permissions[i]; p.Changed && p.Now == report.Anyone && p.Before != report.Unseen {
			note(m, report.Noted, oracle.Behavior, p.Describe(), nil)
		}
	}
}

// whyMissed says why nothing tells of a mistake, as far as that is known.
func (r *run) whyMissed(m *report.Mutant) {
	unreachable, reached := 0, 0
	for i := range r.report.Lines {
		switch r.report.Lines[i].Status {
		case report.Unreachable:
			unreachable++
		case report.Reached, report.OnlyReverts:
			reached++
		}
	}
	switch e := r.report.Effect; {
	case len(r.report.Lines) > 0 && unreachable == len(r.report.Lines):
		m.Result, m.Reason = report.Equivalent, "the line was proved unreachable"
	case reached == 0:
		m.Reason = "no call reached it"
	case e != nil && e.NotCompared != "":
		m.Reason = "it was not compared with the code as it is: " + e.NotCompared
	}
}

// differs is how the kinds of behaviors are told by a Foundry test.
var differs = map[compare.Kind]replay.Differs{
	compare.Succeeds: replay.DiffersInOutcome, compare.Reverts: replay.DiffersInOutcome, compare.Returns: replay.DiffersInOutput, compare.Emits: replay.DiffersInEvents,
	compare.Stores: replay.DiffersAfter, compare.Sends: replay.DiffersAfter,
}

// behaviorTest is a behavior of the report as a Foundry test that fails as long as it is so; nil: there is none.
func (r *run) behaviorTest(i int) *report.FoundryTest {
	b := r.behaviors[i]
	claim := replay.Claim{Kind: replay.FindingClaim, Contract: b.Contract, Oracle: oracle.Behavior, Message: r.report.Effect.Behaviors[i].Describe(), Differs: differs[b.Kind]}
	if claim.Differs == "" || r.files.Snapshot == nil {
		return nil
	}
	if b.Answer != nil {
		claim.Answer = &replay.Answer{To: b.Answer.To, Data: b.Answer.Data, Head: b.Answer.Head, Base: b.Answer.Base}
	}
	text := input.Format(r.head.Deployment.Space, b.Sequence)
	test, err := r.files.Snapshot.FoundryTest(r.head.Deployment.Table, "behavior.json", &replay.Reproducer{Claim: claim, Sequence: strings.Split(strings.TrimSuffix(text, "\n"), "\n")})
	if err != nil || !test.Fails {
		return nil
	}
	return &report.FoundryTest{Text: test.Text, Fails: true}
}

// textsOf are sequences as text, by which another version of the code has them.
func textsOf(space *input.Space, suite []input.Packed) (texts []string) {
	for _, packed := range suite {
		if !packed.IsTest() {
			texts = append(texts, input.Format(space, packed.Unpack()))
		}
	}
	return texts
}

// fitting are the sequences of texts that a space has.
func fitting(space *input.Space, texts []string) (seqs []input.Sequence) {
	for _, text := range texts {
		if seq, err := input.Parse(space, text); err == nil && len(seq) > 0 {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}
