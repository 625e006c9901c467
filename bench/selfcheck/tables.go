package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/report"
)

// result is what one run says of the mistakes in a project.
type result struct {
	project *project
	check   *report.SelfCheck
	failure string // why there is none; empty: there is
}

// tally counts mistakes by what became of them.
type tally map[string]int

func (t tally) valid() int { return t[report.Caught] + t[report.Noted] + t[report.Missed] }

// cells are those of a row.
func (t tally) cells() []string {
	told := t[report.Caught] + t[report.Noted]
	return []string{strconv.Itoa(t.valid()), strconv.Itoa(told), share(told, t.valid()), strconv.Itoa(t[report.Caught]), strconv.Itoa(t[report.Noted]), strconv.Itoa(t[report.Missed]),
		strconv.Itoa(t[report.Equivalent]), strconv.Itoa(t[report.Invalid])}
}

var columns = []string{"mistakes", "caught", "share", "fail the check", "named in the comment", "unseen", "change nothing", "do not compile"}

func share(part, whole int) string {
	if whole == 0 {
		return "—"
	}
	return harness.Percent(float64(part) / float64(whole))
}

// tables sum up the results.
func tables(results []result) *harness.Result {
	by := harness.Table{Title: "by project", Columns: append([]string{"project"}, columns...)}
	operators, oracles, all := map[string]tally{}, map[string]int{}, tally{}
	missed := harness.Table{Title: "unseen", Columns: []string{"project", "where", "mistake", "why, as far as that is known"}}
	out := &harness.Result{Summary: map[string]float64{}}
	failed := harness.Table{Title: "not run", Columns: []string{"project", "why"}}
	for _, r := range results {
		if r.failure != "" {
			failed.Add(r.project.name(), r.failure)
			continue
		}
		own := tally{}
		for i := range r.check.Mutants {
			m := &r.check.Mutants[i]
			if operators[m.Operator] == nil {
				operators[m.Operator] = tally{}
			}
			own[m.Result]++
			all[m.Result]++
			operators[m.Operator][m.Result]++
			for _, oracle := range m.Oracles {
				oracles[oracle]++
			}
			if m.Result == report.Missed {
				missed.Add(r.project.name(), m.Place(), m.Description, m.Reason)
			}
		}
		by.Add(append([]string{r.project.name()}, own.cells()...)...)
		if n := own.valid(); n > 0 {
			out.Summary["caught "+r.project.name()] = 100 * float64(own[report.Caught]+own[report.Noted]) / float64(n)
		}
	}
	by.Add(append([]string{"all"}, all.cells()...)...)
	ofOperators := harness.Table{Title: "by operator", Columns: append([]string{"operator"}, columns...)}
	for _, name := range slices.Sorted(maps.Keys(operators)) {
		ofOperators.Add(append([]string{name}, operators[name].cells()...)...)
	}
	ofOracles := harness.Table{Title: "by oracle", Columns: []string{"oracle", "mistakes that it tells of"}}
	for _, name := range slices.SortedFunc(maps.Keys(oracles), func(a, b string) int { return oracles[b] - oracles[a] }) {
		ofOracles.Add(name, fmt.Sprint(oracles[name]))
	}
	if n := all.valid(); n > 0 {
		out.Summary["caught"] = 100 * float64(all[report.Caught]+all[report.Noted]) / float64(n)
		out.Summary["failing"] = 100 * float64(all[report.Caught]) / float64(n)
	}
	out.Tables = []harness.Table{by, ofOperators, ofOracles, missed}
	if len(failed.Rows) > 0 {
		out.Tables = append(out.Tables, failed)
	}
	return out
}
