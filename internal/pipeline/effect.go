package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

var (
	errNoBase   = errors.New("without a diff there is no base to compare with")
	errBaseLate = errors.New("the base was not compiled in time")
)

// basePatience is how long is waited for the base, at least, after a campaign that found nothing.
// Arbitrary: most projects compile in less.
const basePatience = time.Minute

// compareEffect finds out what contracts do otherwise than on the base.
// What oracles make of it joins the campaign's findings.
func (r *run) compareEffect(ctx context.Context, result *fuzzer.Result, base *compare.Base, noBase error, with *comparisons) {
	if !r.change.HasBase() || len(r.head.Deployment.Space.Callables) == 0 {
		return
	}
	effect := &report.Effect{}
	r.report.Effect = effect
	if noBase != nil {
		effect.NotCompared = human.OneLine(noBase)
		return
	}
	sides, err := compare.NewSides(r.head, base, r.change.Mapping.Targets)
	if err != nil {
		effect.NotCompared = human.OneLine(err)
		return
	}
	budget := &compare.Budget{Config: r.config, Saved: r.history.Seeds(r.head.Deployment.Space)}
	found, err := sides.Search(ctx, budget, result.Suite, r.o.Log)
	if err != nil {
		effect.NotCompared = human.OneLine(err)
		return
	}
	effect.Executions = found.Executions
	judge, err := sides.Head.NewJudge()
	if err != nil {
		effect.NotCompared = human.OneLine(err)
		return
	}
	for _, b := range found.Behaviors {
		if b.Kind == compare.Reverts && slices.ContainsFunc(result.Findings, func(f *fuzzer.Finding) bool {
			return f.Contract == b.Contract && len(f.Sequence) > 0 && f.Sequence[len(f.Sequence)-1].Function.Signature == b.Function.Signature
		}) {
			continue // the finding says it
		}
		exec, err := judge.Run(sides.Head.Space.Encode(b.Sequence, nil))
		if err != nil {
			continue
		}
		out := report.Behavior{Contract: b.Contract, Function: b.Function.Signature, Kind: string(b.Kind), Now: b.Now, Before: b.Before,
			Anyone: b.Anyone, Sequence: replay.Steps(sides.Head.Space, b.Sequence, exec)}
		if own := fmt.Sprintf("%s.%s", sides.Head.Space.Instances[b.Sequence[len(b.Sequence)-1].Instance].Contract.Name, b.Function.Name); !slices.Contains(b.Entered, own) {
			out.Through = b.Entered
		}
		effect.Behaviors = append(effect.Behaviors, out)
	}
	for _, f := range found.Findings {
		if with.base == nil {
			with.base = map[*fuzzer.Finding]compare.Result{}
		}
		with.base[f] = compare.Result{Is: report.Introduced, Reason: "the same calls from the same state do not do it on the base"}
		result.Findings = append(result.Findings, f)
	}
	slices.SortStableFunc(effect.Behaviors, func(a, b report.Behavior) int {
		return cmp.Or(cmp.Compare(slices.Index(compare.Kinds, compare.Kind(a.Kind)), slices.Index(compare.Kinds, compare.Kind(b.Kind))), cmp.Compare(len(a.Through), len(b.Through)))
	})
}
