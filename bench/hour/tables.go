package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// Limits of the first comment with a build at hand, seconds: half of the pull requests, nearly
// all, and a project as large as v4-core.
const (
	limitHalf    = 60
	limitNearly  = 90
	limitLargest = 180
)

// taken is a step of the terminal, over all rounds.
type taken struct {
	part, name, note string
	seconds          []float64
	err              error
}

// acted is the action on a project in one pass, over all rounds.
type acted struct {
	project, pull, pass, note string
	moments                   []moments
	err                       error
}

// record is what all rounds have given.
type record struct {
	steps  []*taken
	events []*acted
}

// step adds a step, and returns its error with the step's name.
func (r *record) step(part, name string, seconds float64, note string, err error) error {
	at := slices.IndexFunc(r.steps, func(s *taken) bool { return s.part == part && s.name == name })
	if at < 0 {
		at = len(r.steps)
		r.steps = append(r.steps, &taken{part: part, name: name})
	}
	s := r.steps[at]
	s.seconds = append(s.seconds, seconds)
	if note != "" {
		s.note = note
	}
	if err != nil {
		s.err = fmt.Errorf("%s: %s: %w", part, name, err)
	}
	return s.err
}

// event adds a run of the action.
func (r *record) event(p *project, pass string, m moments, note string, err error) {
	at := slices.IndexFunc(r.events, func(a *acted) bool { return a.project == p.name && a.pass == pass })
	if at < 0 {
		at = len(r.events)
		r.events = append(r.events, &acted{project: p.name, pull: p.pull, pass: pass})
	}
	a := r.events[at]
	a.moments = append(a.moments, m)
	if note != "" {
		a.note = note
	}
	if err != nil {
		a.err = fmt.Errorf("%s, the action %s a build at hand: %w", p.name, pass, err)
	}
}

// failures are the steps that failed.
func (r *record) failures() error {
	var all []error
	for _, s := range r.steps {
		all = append(all, s.err)
	}
	for _, a := range r.events {
		all = append(all, a.err)
	}
	return errors.Join(all...)
}

// quantile is the smallest value that a share of all values does not exceed: of eight, the
// 95th percentile is the largest. Not a number for none.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}

// median of one moment of all rounds; a failed run is later than any other.
func (a *acted) median(moment func(moments) float64) float64 {
	if a.err != nil {
		return math.Inf(1)
	}
	var values []float64
	for _, m := range a.moments {
		values = append(values, moment(m))
	}
	return harness.Median(values)
}

// Moments of a run, in the order of the table's columns.
var columns = []func(moments) float64{
	func(m moments) float64 { return m.firstCall },
	func(m moments) float64 { return m.firstComment },
	func(m moments) float64 { return m.lastComment },
	func(m moments) float64 { return m.end },
}

func firstComment(m moments) float64 { return m.firstComment }

// result makes the tables.
func (r *record) result(campaign float64) *harness.Result {
	result := &harness.Result{Summary: map[string]float64{}}
	steps := harness.Table{Title: "in the terminal", Columns: []string{"part", "step", "s", "result"}}
	for _, s := range r.steps {
		seconds, note := harness.Number(harness.Median(s.seconds)), s.note
		if s.err != nil {
			seconds, note = "—", "failed: "+lastLines(s.err.Error())
		}
		steps.Add(s.part, s.name, seconds, note)
	}
	r.summarizeSteps(result.Summary)
	events := harness.Table{Title: "the action: seconds from the event", Columns: []string{"project", "pull request", "build at hand", "first call", "first comment", "last comment", "end", "result"},
		Notes: []string{fmt.Sprintf("Campaigns take %s s. Of examples with a build tool, the build comes from an earlier job; without a build at hand, nothing that an earlier run has compiled is there.", harness.Number(campaign))}}
	first := map[string][]float64{}
	for _, a := range r.events {
		cells := []string{a.project, a.pull, a.pass}
		for _, moment := range columns {
			cells = append(cells, harness.Number(a.median(moment)))
		}
		note := a.note
		if a.err != nil {
			note = "failed: " + lastLines(a.err.Error())
		}
		events.Add(append(cells, note)...)
		first[a.pass] = append(first[a.pass], a.median(firstComment))
	}
	result.Tables = []harness.Table{steps, events, r.targets(first, result.Summary)}
	return result
}

// summarizeSteps notes the steps that scripts compare.
func (r *record) summarizeSteps(summary map[string]float64) {
	for _, s := range r.steps {
		seconds := harness.Median(s.seconds)
		switch {
		case s.err != nil:
		case s.part == partStart && s.name == "git clone":
			summary["cloneSeconds"] = seconds
		case s.part == partReadme && summary["demoSeconds"] == 0:
			summary["demoSeconds"] = seconds // the first command that it names
		}
	}
}

// targets compares the first comments with their limits.
func (r *record) targets(first map[string][]float64, summary map[string]float64) harness.Table {
	t := harness.Table{Title: "first comment", Columns: []string{"", "build at hand", "projects", "s", "limit", ""}}
	add := func(what, pass string, values []float64, share, limit float64, name string) {
		value := quantile(values, share)
		verdict, shown := "missed", "—"
		if value <= limit {
			verdict = "met"
		}
		if limit > 0 {
			shown = harness.Number(limit)
		} else {
			verdict = ""
		}
		if len(values) > 0 {
			t.Add(what, pass, fmt.Sprint(len(values)), harness.Number(value), shown, verdict)
		}
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			summary[name] = value
		}
	}
	add("p50", passAtHand, first[passAtHand], 0.5, limitHalf, "firstCommentP50")
	add("p95", passAtHand, first[passAtHand], 0.95, limitNearly, "firstCommentP95")
	for _, a := range r.events {
		if a.project == largest && a.pass == passAtHand {
			add(largest, passAtHand, []float64{a.median(firstComment)}, 1, limitLargest, "firstComment v4-core")
		}
	}
	add("p50", passCold, first[passCold], 0.5, 0, "coldFirstCommentP50")
	add("p95", passCold, first[passCold], 0.95, 0, "coldFirstCommentP95")
	return t
}
