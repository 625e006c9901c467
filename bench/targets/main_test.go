package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
)

// TestTargetsAreFrozen: enough of them, over contracts and brackets, each where
// its baseline says.
func TestTargetsAreFrozen(t *testing.T) {
	list, err := readTargets(&harness.Run{Root: filepath.Join("..", "..")})
	if err != nil {
		t.Fatal(err)
	}
	cases, perBracket, seen := map[string]bool{}, map[uint64]int{}, map[string]bool{}
	for _, f := range list {
		if f.Baseline <= float64(f.Bracket) || f.Baseline > float64(f.Bracket*bracketFactor) {
			t.Errorf("%s: its median %v is not in the bracket of %d", f.name(), f.Baseline, f.Bracket)
		}
		if seen[f.name()] {
			t.Errorf("%s is there twice", f.name())
		}
		seen[f.name()], cases[f.Case] = true, true
		perBracket[f.Bracket]++
	}
	if len(list) < 20 || len(cases) < 6 {
		t.Errorf("%d targets in %d cases", len(list), len(cases))
	}
	for _, start := range brackets {
		if perBracket[start] == 0 {
			t.Errorf("no target is in the bracket of %d", start)
		}
	}
}

// made is a goal with a sample for each number of executions; those at the limit
// were missed.
func made(limit uint64, executions ...uint64) []timetotarget.Sample {
	var list []timetotarget.Sample
	for _, n := range executions {
		list = append(list, timetotarget.Sample{Reached: n < limit, Executions: min(n, limit), Seconds: float64(n) / 1000, Analysis: 0.001, Questions: 10})
	}
	return list
}

// TestTables: the first schedule wins on one target, loses on one, and a third
// says nothing.
func TestTables(t *testing.T) {
	goals := []*goal{{frozen: frozen{Case: "a", Bracket: 1000}}, {frozen: frozen{Case: "b", Bracket: 1000}}, {frozen: frozen{Case: "c", Bracket: 4000}}}
	few, many := made(8000, 10, 20, 30, 40, 50), made(8000, 100, 200, 300, 9000, 9000)
	result, err := tables(goals, []*fuzzer.Schedule{fuzzer.Lookahead, fuzzer.Cutoff}, samples{{few, many}, {many, few}, {few, few}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"targets": 3, "seeds": 5, "wins": 1, "losses": 1, "winsSeconds": 1, "lossesSeconds": 1, "medianRatio": 1} {
		if got := result.Summary[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if row := strings.Join(result.Tables[0].Rows[0], " "); !strings.Contains(row, "2, 0") || !strings.Contains(row, "+") {
		t.Errorf("the row of the win is %s", row)
	}
}

func TestNames(t *testing.T) {
	if _, err := namedSchedules("lookahead,none"); err == nil {
		t.Error("an unknown schedule is taken")
	}
	if _, err := namedSchedules("lookahead"); err == nil {
		t.Error("one schedule is compared with nothing")
	}
}
