// Command mazes measures how many assertions of generated mazes are raised: by
// Sightline, by Sightline without some of what it knows, and by forge.
//
//	main.go       what is measured, and the tables
//	sightline.go  campaigns
//	forge.go      the same maze as a Foundry project
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/maze"
	"github.com/sightline-evm/sightline/fuzzer"
)

const doc = `Generates mazes (bench/internal/maze), a fresh one for each of -runs seeds, and lets every
way look for their assertions for -seconds each, with one worker or thread on one
processor. What Sightline raises was replayed on go-ethereum.

summary: feasibleShare, percent of the feasible assertions that Sightline raises, and the
same without prediction, without sequences, and by forge ` + forge.Version + ` without and with coverage
guidance; mazes, their number; worstShare, of the worst maze; halfCalls and mostCalls, after
how many calls Sightline has raised half and nine tenths of what is feasible, the median over
the mazes (infinite where it has not).`

var options struct {
	size  int
	ways  string
	calls uint64
	// targets are the lines that campaigns steer toward.
	targets string
}

// What -targets may be.
const (
	targetsNone    = "none"
	targetsAsserts = "asserts"
	targetsLines   = "lines"
)

func flags(f *flag.FlagSet) {
	f.IntVar(&options.size, "size", 7, "cells of a maze's side")
	f.StringVar(&options.ways, "ways", "", "ways to measure, parts of their names separated by commas; empty: all")
	f.StringVar(&options.targets, "targets", targetsNone, "lines that Sightline steers toward: none, asserts or lines (all of them)")
	f.Uint64Var(&options.calls, "calls", 0, "end Sightline's campaigns after so many calls instead of -seconds; 0: do not")
}

func main() {
	harness.Main(harness.Comparison{Name: "mazes", Doc: doc, Seconds: 60, SecondsDoc: "length of one campaign in seconds: -runs × the number of ways of them are made", Runs: 5, Measure: measure, Flags: flags})
}

// way is a way to fuzz a maze.
type way struct {
	name    string
	summary string
	// without leaves techniques out of Sightline's campaign.
	without fuzzer.Techniques
	forge   bool
	guided  bool // forge's coverage guidance, which is off by default
}

var ways = []way{
	{name: "sightline", summary: "feasibleShare"},
	{name: "without prediction", summary: "withoutPredictionShare", without: fuzzer.Techniques{Prediction: true}},
	{name: "without sequences", summary: "withoutSequencesShare", without: fuzzer.Techniques{Sequences: true}},
	{name: "forge", summary: "forgeShare", forge: true},
	{name: "forge, coverage-guided", summary: "forgeGuidedShare", forge: true, guided: true},
}

// wanted are the ways to measure.
func wanted() ([]way, error) {
	var some []way
	for _, w := range ways {
		// A comma is in a name, too.
		if slices.ContainsFunc(strings.Split(options.ways, ","), func(part string) bool { return strings.Contains(w.name, strings.TrimSpace(part)) }) {
			some = append(some, w)
		}
	}
	if len(some) == 0 {
		return nil, fmt.Errorf("-ways %s: none has such a name", options.ways)
	}
	return some, nil
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	some, err := wanted()
	if err != nil {
		return nil, err
	}
	modules, err := run.Install(ctx, "mazes", forge.Packages(compiler))
	if err != nil {
		return nil, err
	}
	table := harness.Table{Title: "assertions raised", Columns: []string{"maze", "assertions", "feasible", "far"}}
	for _, w := range some {
		table.Columns = append(table.Columns, w.name)
	}
	all, worst := 0, 100.0
	raised := map[string]int{}
	var half, most []float64
	for i := range run.Runs {
		m, err := maze.New(run.Seed+uint64(i), options.size)
		if err != nil {
			return nil, err
		}
		s, err := open(ctx, run, modules, m)
		if err != nil {
			return nil, err
		}
		feasible, far := count(m)
		all += feasible
		row := []string{strconv.FormatUint(m.Seed, 10), strconv.Itoa(len(m.Guarded())), strconv.Itoa(feasible), strconv.Itoa(far)}
		for _, w := range some {
			a, err := s.attempt(ctx, run, w, time.Duration(run.Seconds*float64(time.Second)))
			if err != nil {
				return nil, fmt.Errorf("maze %d, %s: %w", m.Seed, w.name, err)
			}
			if err := s.check(a); err != nil {
				return nil, err
			}
			run.Logf("maze %d, %s: %d of %d, %s", m.Seed, w.name, len(a.raised), feasible, a.effort)
			raised[w.summary] += len(a.raised)
			row = append(row, strconv.Itoa(len(a.raised)))
			if w.summary == ways[0].summary {
				worst = min(worst, percent(len(a.raised), feasible))
				late := a.after(feasible)
				run.Logf("  half after %.0f calls, nine of ten after %.0f", late[0], late[1])
				half, most = append(half, late[0]), append(most, late[1])
				s.explain(run, a)
			}
		}
		table.Add(row...)
	}
	result := &harness.Result{Summary: map[string]float64{"mazes": float64(run.Runs)}, Tables: []harness.Table{table}}
	for _, w := range some {
		result.Summary[w.summary] = percent(raised[w.summary], all)
		if w.summary == ways[0].summary {
			result.Summary["worstShare"] = worst
			result.Summary["halfCalls"], result.Summary["mostCalls"] = harness.Median(half), harness.Median(most)
		}
	}
	result.Tables[0].Notes = []string{fmt.Sprintf("Mazes of %d × %d cells by their seeds; far: assertions more than 9 moves away, infeasible ones included. %s s each.",
		options.size, options.size, harness.Number(run.Seconds))}
	return result, nil
}

// after is after how many calls half of what is feasible had been raised, and nine tenths; infinite where less was.
func (a *attempt) after(feasible int) [2]float64 {
	calls := slices.Sorted(maps.Values(a.calls))
	late := [2]float64{math.Inf(1), math.Inf(1)}
	for i, share := range [...]float64{0.5, 0.9} {
		if n := int(math.Ceil(share * float64(feasible))); n <= len(calls) {
			late[i] = float64(calls[n-1])
		}
	}
	return late
}

func percent(some, all int) float64 { return 100 * float64(some) / float64(all) }

// count counts the assertions that can be raised, and all that are far away.
func count(m *maze.Maze) (feasible, far int) {
	for _, c := range m.Guarded() {
		if c.Guard.Contradiction == "" {
			feasible++
		}
		if c.Distance > maze.Far {
			far++
		}
	}
	return feasible, far
}

// check fails when something was raised that the generator proves infeasible: then one
// of the two is wrong.
func (s *subject) check(a *attempt) error {
	for _, c := range s.maze.Guarded() {
		if a.raised[c.ID] && c.Guard.Contradiction != "" {
			return fmt.Errorf("maze %d: assertion %d was raised although %s", s.maze.Seed, c.ID, c.Guard.Contradiction)
		}
	}
	return nil
}

// explain tells which comparisons of an assertion that was missed were passed.
func (s *subject) explain(run *harness.Run, a *attempt) {
	lines := strings.Split(s.maze.Source(nil), "\n")
	for _, c := range s.maze.Guarded() {
		if a.raised[c.ID] || c.Guard.Contradiction != "" {
			continue
		}
		run.Logf("  missed %d, %d moves away; the witness is %v", c.ID, c.Distance, c.Guard.Witness)
		first := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, fmt.Sprintf("function check%d(", c.ID)) })
		for i, line := range lines[first+1:] {
			if line == "" || line == "    }" {
				break
			}
			if strings.Contains(line, "if (") && a.lines[first+2+i] {
				run.Logf("    came to %s", strings.TrimSpace(line))
			}
		}
	}
}
