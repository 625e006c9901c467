package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// measureBugs runs Sightline on each pair, both ways, and lists what it says: one of them brings
// in the bug, the other mends it.
func measureBugs(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	l, err := open(ctx, run)
	if err != nil {
		return nil, err
	}
	defer l.close()
	table := harness.Table{Title: "what is said of known bugs", Columns: []string{"contract", "base → head", "brings in", "runs", "with a difference", "with a finding", "oracles: runs, median s until it spoke (executions)", "what the first run said"}}
	shown, gated, silent := 0, 0, 0
	for i, p := range bothWays() {
		said, found, text := 0, 0, ""
		fired := map[string][]first{}
		for seed := range run.Runs {
			r, err := l.runPair(ctx, filepath.Join(l.work, fmt.Sprintf("%d-%d", i, seed)), p, run.Seed+uint64(seed))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			if r.Effect != nil && len(r.Effect.Behaviors) > 0 {
				said++
			}
			if len(r.Findings) > 0 {
				found++
			}
			for id, when := range firsts(r) {
				fired[id] = append(fired[id], when)
			}
			if text == "" {
				text = sayings(r)
			}
		}
		brings := "the fix"
		if p.buggy() {
			brings = "the bug"
			shown += min(said, 1)
			gated += min(found, 1)
		} else if found == 0 {
			silent++
		}
		table.Add(p.harness, p.String(), brings, strconv.Itoa(run.Runs), strconv.Itoa(said), strconv.Itoa(found), inRuns(fired), text)
		run.Logf("%s %s: %s", p.harness, p, text)
	}
	return &harness.Result{Tables: []harness.Table{table}, Summary: map[string]float64{
		"pairs": float64(len(bothWays()) / 2), "shown": float64(shown), "found": float64(gated), "fixesWithoutFinding": float64(silent),
	}}, nil
}

// first is when a run came upon something first, in seconds and executions: of the campaign on the head, or of the
// comparison that follows it.
type first struct {
	seconds, executions float64
}

// firsts are the oracles of a report's findings, each with its first one.
func firsts(r *report.Report) map[string]first {
	all := map[string]first{}
	for i := range r.Findings {
		f := &r.Findings[i]
		when := first{seconds: f.Seconds, executions: float64(f.Executions)}
		if f.Executions > r.Stats.Executions {
			when = first{seconds: f.Seconds - r.Stats.Seconds, executions: float64(f.Executions - r.Stats.Executions)}
		}
		if known, ok := all[f.Oracle]; !ok || when.executions < known.executions {
			all[f.Oracle] = when
		}
	}
	return all
}

// inRuns lists oracles with the number of runs in which each has a finding, and when it first did: medians of them.
func inRuns(fired map[string][]first) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(fired)) {
		var seconds, executions []float64
		for _, when := range fired[id] {
			seconds, executions = append(seconds, when.seconds), append(executions, when.executions)
		}
		all = append(all, fmt.Sprintf("%s: %d, %s s (%s)", id, len(seconds), harness.Number(harness.Median(seconds)), harness.Number(harness.Median(executions))))
	}
	return strings.Join(all, "; ")
}

// sayings are the findings of a report and its most important differences from the base, for
// a cell.
func sayings(r *report.Report) string {
	var all []string
	for i := range r.Findings {
		all = append(all, "**"+r.Findings[i].Oracle+"** "+r.Findings[i].Message)
	}
	if e := r.Effect; e != nil {
		if e.NotCompared != "" {
			all = append(all, "not compared: "+e.NotCompared)
		}
		for i := range e.Behaviors[:min(len(e.Behaviors), 2)] {
			b := &e.Behaviors[i]
			all = append(all, fmt.Sprintf("%s %s; base: %s", b.Function, b.Now, b.Before))
		}
		if n := len(e.Behaviors); n > 2 {
			all = append(all, human.Plural(n-2, "more difference"))
		}
	}
	return strings.ReplaceAll(human.Clean(strings.Join(all, "; "), 300), "|", "/")
}

// runPair runs Sightline on a pair.
func (l *lab) runPair(ctx context.Context, root string, p pair, seed uint64, options ...string) (*report.Report, error) {
	if err := l.makeProject(ctx, root, p); err != nil {
		return nil, err
	}
	out := root + "-out"
	accepted := []int{exit.Pass, exit.Fail, exit.Failure}
	args := append([]string{"run", "--root", root, "--base", "HEAD", "--solc", l.solc(p), "--out", out,
		"--seed", strconv.FormatUint(seed, 10), "--timeout", strconv.FormatFloat(l.run.Seconds, 'f', 3, 64), "--workers", "1"}, options...)
	if _, _, err := l.tool.Output(ctx, accepted, args...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(out, report.JSONFile))
	if err != nil {
		return nil, err
	}
	r := &report.Report{}
	return r, json.Unmarshal(text, r)
}

// buggy reports whether the head has the bug.
func (p pair) buggy() bool {
	const regression = "4.9.4" // the one pair whose newer version brings in the bug, see ../../docs/benchmarks.md
	return p.head == regression || !slices.ContainsFunc(pairs, func(other pair) bool { return other == p }) && p.base != regression
}
