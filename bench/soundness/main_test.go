package main

import (
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/solgen"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/report"
)

// trySmall tries one program in the ways that the tests need.
func trySmall(t *testing.T) *trial {
	t.Helper()
	work := t.TempDir()
	testsolc.UseStandIn(t)
	t.Setenv("XDG_CACHE_HOME", work)
	asked.calls = 300
	b, err := newBuilder(t.Context(), filepath.Join(testfiles.NodeModules(t), "solc"), work)
	if err != nil {
		t.Fatal(err)
	}
	b.ways = []way{{"legacy, optimizer", true, false}, {"via IR", false, true}} // one that is fuzzed as it is, one that is not
	const seed = 54                                                             // a small program with lines of every status
	run := &harness.Run{Seed: seed, Log: io.Discard, Now: time.Now}
	got, err := b.try(t.Context(), run, seed, solgen.New(seed), nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestSoundness: what reports say of a program holds, and a report that says something else
// is contradicted.
func TestSoundness(t *testing.T) {
	got := trySmall(t)
	for _, v := range got.violations {
		t.Errorf("%s: %s, line %d: %s: %s", v.way.name, v.kind, v.line, v.text, v.what)
	}
	if got.executions < 500 || got.checked < 20 || got.reached == 0 || got.unreachable == 0 {
		t.Errorf("%d executions, %d sequences checked, %d lines reached, %d unreachable: too few to say anything",
			got.executions, got.checked, got.reached, got.unreachable)
	}
	optimized := slices.IndexFunc(got.jobs, func(j *job) bool { return j.way.optimizer && !j.way.viaIR })
	j := got.jobs[optimized]
	target := slices.IndexFunc(j.report.Targets, func(r report.Target) bool { return r.Status == report.Reached && got.marks[r.Line] != 0 })
	other := slices.IndexFunc(j.report.Targets, func(r report.Target) bool {
		return r.Status == report.Unreachable && got.marks[r.Line] != 0
	})
	if target < 0 || other < 0 {
		t.Fatal("no line is reached, or none is unreachable")
	}
	for _, c := range []struct {
		kind string
		lie  func(r *report.Report)
	}{
		{kindUnreachable, func(r *report.Report) { r.Targets[target].Status = report.Unreachable }},
		{kindReached, func(r *report.Report) {
			r.Targets[other].Status, r.Targets[other].Reproducer = report.Reached, r.Targets[target].Reproducer
		}},
		{kindFuzzed, func(r *report.Report) {
			r.Targets[other].Status, r.Targets[other].Reproducer = report.OnlyReverts, r.Targets[target].Reproducer
		}},
		{kindNoBytecode, func(r *report.Report) {
			i := slices.IndexFunc(r.Lines, func(l report.Line) bool { return l.Line == r.Targets[target].Line })
			r.Lines[i].Status = report.NoBytecode
		}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			lying := *j.report
			lying.Targets, lying.Lines = slices.Clone(lying.Targets), slices.Clone(lying.Lines)
			c.lie(&lying)
			with := &trial{marks: got.marks, text: got.text, jobs: slices.Clone(got.jobs)}
			told := *j
			told.report = &lying
			with.jobs[optimized] = &told
			if err := with.check(); err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(with.violations, func(v violation) bool { return v.kind == c.kind }) {
				t.Errorf("nothing contradicts the report: %+v", with.violations)
			}
		})
	}
}
