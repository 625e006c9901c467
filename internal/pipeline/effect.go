package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/report"
)

// errBaseLate is why a run without findings is not compared with the base.
var errBaseLate = errors.New("the base was not compiled in time; a longer --timeout waits longer for it")

// basePatience is how long is waited for the base, at least, after a campaign that found nothing.
// Arbitrary: most projects compile in less.
const basePatience = time.Minute

// compareEffect finds out what contracts do otherwise than on the base. What oracles make of it joins
// the campaign's findings.
func (r *run) compareEffect(ctx context.Context, result *fuzzer.Result, base *compare.Base, noBase error, with *comparisons) {
	if !r.change.HasBase() || !r.oracles.Compares() || len(r.head.Deployment.Space.Callables) == 0 {
		return
	}
	r.report.Effect = &report.Effect{}
	found, err := r.searchEffect(ctx, result, base, noBase)
	if err != nil {
		r.report.Effect.NotCompared = human.OneLine(err)
		return
	}
	r.report.Effect.Executions = found.Executions
	r.report.Effect.Dropped = dropped(found.Dropped)
	if r.oracles.Has(oracle.Behavior) {
		if r.report.Effect.Permissions, err = permissions(r.head.Deployment, found.Permissions); err != nil {
			r.o.Log.Warn("who can write which variable could not be said: %s", human.OneLine(err))
		}
	}
	result.Findings = slices.DeleteFunc(result.Findings, func(f *fuzzer.Finding) bool {
		return slices.ContainsFunc(found.Findings, func(other *fuzzer.Finding) bool { return r.saysMore(other, f) })
	})
	found.Findings = slices.DeleteFunc(found.Findings, func(f *fuzzer.Finding) bool { // what the call breaks, or who takes what is lacking, is said
		return slices.ContainsFunc(result.Findings, func(other *fuzzer.Finding) bool {
			return with.base[other].Is == report.Introduced && (f.Oracle == oracle.GuardLost && compare.SameFunction(f, other) ||
				f.Oracle == oracle.LawLost && other.Oracle == oracle.ThirdPartyLoss && f.Location == other.Location)
		})
	})
	found.Behaviors = slices.DeleteFunc(found.Behaviors, func(b *compare.Behavior) bool {
		return b.Meant == nil && !r.oracles.Has(oracle.Behavior) || b.Meant != nil && !r.oracles.Has(b.Meant.ID)
	})
	said := slices.Clone(result.Findings)
	for _, f := range found.Findings {
		f.First.Executions += result.Stats.Executions // the search came after the campaign
		f.First.Calls += result.Stats.Calls
		f.First.Seconds += result.Stats.Seconds
		tests := found.Meant[f]
		if len(tests) > 0 && r.testsDecide(f) && slices.ContainsFunc(found.Behaviors, func(b *compare.Behavior) bool { return b.Meant == f.Oracle && isOf(f, b) }) {
			continue // the behavior says it
		}
		why := "the same calls from the same state do not do it on the base"
		if found.Alone[f] {
			why = "the base has not all of these calls, and nothing that was tried there does it"
		}
		if len(tests) > 0 {
			why += "; your tests change this (" + tests[0] + human.More(len(tests)-1) + "), which for a finding of this severity takes a waiver that is merged before"
		}
		with.base[f] = compare.Result{Is: report.Introduced, Reason: why}
		said = append(said, f)
	}
	for _, b := range found.Behaviors {
		if slices.ContainsFunc(said, func(f *fuzzer.Finding) bool { return says(f, b) }) {
			continue
		}
		r.report.Effect.Behaviors = append(r.report.Effect.Behaviors, behavior(b))
		r.behaviors = append(r.behaviors, b)
	}
	result.Findings = said
}

// saysMore reports whether what the comparison found says what a finding of the campaign says, and that the base refuses it.
func (r *run) saysMore(compared, f *fuzzer.Finding) bool {
	same := compare.SameFunction(f, compared)
	switch compared.Oracle {
	case oracle.PermissionWidened:
		return f.Oracle == oracle.Takeover && same
	case oracle.ThirdPartyLoss:
		return f.Oracle == oracle.ThirdPartyLoss && (same || compared.Location == f.Location) && slices.Contains(r.head.Deployment.Altered, f.Contract)
	}
	return false
}

// dropped lists what oracles saw and did not report, in the order of their ids.
func dropped(counts map[compare.Dropped]int) []report.Dropped {
	var all []report.Dropped
	for what, n := range counts {
		all = append(all, report.Dropped{Oracle: what.Oracle, Reason: what.Reason, Count: n})
	}
	slices.SortFunc(all, func(a, b report.Dropped) int {
		return cmp.Or(cmp.Compare(a.Oracle, b.Oracle), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

func behavior(b *compare.Behavior) report.Behavior {
	out := report.Behavior{Contract: b.Contract, Function: b.Function.Signature,
		Kind: string(b.Kind), Now: b.Now, Before: b.Before, Anyone: b.Anyone, Through: b.Through, Tests: b.Tests, Sequence: b.Steps}
	if b.Meant != nil {
		out.Oracle = b.Meant.ID
	}
	return out
}

// testsDecide reports whether a finding that tests of the head contradict is none. Where strangers write the
// tests, none of them accepts what is critical: that takes a waiver, which is the base's.
func (r *run) testsDecide(f *fuzzer.Finding) bool {
	return !r.o.Change.Strangers || cmp.Or(f.Severity, f.Oracle.Severity) < oracle.Critical
}

func (r *run) searchEffect(ctx context.Context, result *fuzzer.Result, base *compare.Base, noBase error) (*compare.Effect, error) {
	if noBase != nil {
		return nil, noBase
	}
	sides, err := compare.NewSides(r.head, base, r.change.Mapping.Targets)
	if err != nil {
		return nil, err
	}
	budget := &compare.Budget{Config: r.config, Spent: result.Stats, Saved: r.history.Seeds(r.head.Deployment.Space), Oracles: r.oracles, SameBuilds: r.change.SameBuilds(), Asks: r.planted}
	return sides.Search(ctx, budget, result.Suite, r.o.Log)
}

// says reports whether a finding says what a behavior is: it breaks a function that fails now, or it is the check that the
// function has lost.
func says(f *fuzzer.Finding, b *compare.Behavior) bool {
	return b.Meant == nil && isOf(f, b) && (b.Kind == compare.Reverts || b.Kind == compare.Succeeds && f.Oracle == oracle.GuardLost)
}

// isOf reports whether a finding is of the function whose behavior this is.
func isOf(f *fuzzer.Finding, b *compare.Behavior) bool {
	n := len(f.Sequence)
	return n > 0 && f.Contract == b.Contract && f.Sequence[n-1].Function.Signature == b.Function.Signature
}
