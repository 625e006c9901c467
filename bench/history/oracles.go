package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// said is what an oracle said of a commit, for a person to judge.
type said struct {
	Oracle string   `json:"oracle"` // "effect": what the change does
	Title  string   `json:"title"`
	Gates  bool     `json:"gates,omitempty"`
	Calls  []string `json:"calls"`
}

// effects is the name under which differences from the base are counted.
const effects = "effect"

// saidIn lists the findings of a report and the differences from the base.
func saidIn(r *report.Report) []said {
	calls := func(sequence []report.Step) []string {
		texts := []string{}
		for _, s := range sequence {
			texts = append(texts, human.Clean(s.Sender+" "+s.Call, 200))
		}
		return texts
	}
	var all []said
	for i := range r.Findings {
		f := &r.Findings[i]
		all = append(all, said{f.Oracle, fmt.Sprintf("%s, %s: %s", f.Severity, f.Comparison, f.Title), gates(f), calls(f.Sequence)})
	}
	if r.Effect != nil {
		for i := range r.Effect.Behaviors {
			b := &r.Effect.Behaviors[i]
			all = append(all, said{effects, fmt.Sprintf("%s.%s %s; on the base it %s", b.Contract, b.Function, b.Now, b.Before), false, calls(b.Sequence)})
		}
	}
	return all
}

// shownFunctions is for how many functions a comment says at once what they do otherwise.
const shownFunctions = 3

// notesIn counts the notes that a comment shows before what is folded away: of functions that do something
// otherwise, and introduced findings that do not gate. nil: nothing was compared with the base.
func notesIn(r *report.Report) *int {
	if r.Effect == nil || r.Effect.NotCompared != "" {
		return nil
	}
	functions := map[string]bool{}
	for i := range r.Effect.Behaviors {
		functions[r.Effect.Behaviors[i].Contract+"."+r.Effect.Behaviors[i].Function] = true
	}
	notes := min(len(functions), shownFunctions)
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Comparison == report.Introduced && !gates(f) {
			notes++
		}
	}
	return &notes
}

// medianNotes is the median of those of commits that were compared with their base; 0 where none was.
func medianNotes(done []*outcome) float64 {
	var notes []float64
	for _, o := range done {
		if o.Notes != nil {
			notes = append(notes, float64(*o.Notes))
		}
	}
	if len(notes) == 0 {
		return 0
	}
	return harness.Median(notes)
}

// oracleTable counts what each oracle said for every 100 commits.
func oracleTable(done []*outcome) harness.Table {
	t := harness.Table{Title: "what oracles said, for every 100 commits", Columns: []string{"oracle", "commits", "gating", "not gating", "median of a commit that has any"},
		Notes: []string{"The file that -resume names has each with its calls. effect: differences from the base under \"What this change does\"."}}
	gating, others, counts := map[string]int{}, map[string]int{}, map[string][]float64{}
	for _, o := range done {
		n := map[string]float64{}
		for _, s := range o.Oracles {
			n[s.Oracle]++
			if s.Gates {
				gating[s.Oracle]++
			} else {
				others[s.Oracle]++
			}
		}
		for oracle, count := range n {
			counts[oracle] = append(counts[oracle], count)
		}
	}
	each := func(n int) string { return harness.Number(100 * float64(n) / float64(len(done))) }
	for _, oracle := range slices.Sorted(maps.Keys(counts)) {
		t.Add(oracle, strconv.Itoa(len(counts[oracle])), each(gating[oracle]), each(others[oracle]), harness.Number(harness.Median(counts[oracle])))
	}
	return t
}
