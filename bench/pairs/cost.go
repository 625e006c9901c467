package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/report"
)

// measureCost runs Sightline on each pair with all oracles and with those of a single execution alone, in
// turns, and compares the executions per second of the campaign on the head.
func measureCost(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	l, err := open(ctx, run)
	if err != nil {
		return nil, err
	}
	defer l.close()
	table := harness.Table{Title: "executions per second of the campaign on the head", Columns: []string{"contract", "base → head", "runs", "with all oracles", "with those of one execution", "ratio", "compared", "compared in % of the campaign's"}}
	var ratios []float64
	for i, p := range pairs {
		var with, without, compared, shares []float64
		for seed := range run.Runs {
			root := filepath.Join(l.work, fmt.Sprintf("%d-%d", i, seed))
			all, err := l.runPair(ctx, root+"-all", p, run.Seed+uint64(seed))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			few, err := l.runPair(ctx, root+"-few", p, run.Seed+uint64(seed), "--oracles", oracle.Assertion.ID+","+oracle.ArbitraryWrite.ID)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			if all.Stats.Seconds == 0 || few.Stats.Seconds == 0 || all.Effect == nil {
				return nil, errors.New("a run has no campaign to measure: " + p.String())
			}
			with, without = append(with, rate(all)), append(without, rate(few))
			compared = append(compared, float64(all.Effect.Executions))
			shares = append(shares, 100*float64(all.Effect.Executions)/float64(all.Stats.Executions))
		}
		ratio := harness.Median(with) / harness.Median(without)
		ratios = append(ratios, ratio)
		table.Add(p.harness, p.String(), strconv.Itoa(run.Runs), harness.Number(harness.Median(with)), harness.Number(harness.Median(without)), harness.Number(ratio), harness.Number(harness.Median(compared)), harness.Number(harness.Median(shares)))
		run.Logf("%s %s: %.3f", p.harness, p, ratio)
	}
	return &harness.Result{Tables: []harness.Table{table}, Summary: map[string]float64{"medianRatio": harness.Median(ratios), "worstRatio": slices.Min(ratios)}}, nil
}

func rate(r *report.Report) float64 { return float64(r.Stats.Executions) / r.Stats.Seconds }
