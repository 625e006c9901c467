package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/lcov"
)

// cmdIntact is "intact DIR": fails unless the output folder of a run holds what
// docs/report.md promises of every run, and every reproducer it names.
func cmdIntact(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "intact DIR")
	if problems := checkOutput(ts.MkAbs(args[0])); len(problems) > 0 {
		ts.Fatalf("%s:\n%s", args[0], strings.Join(problems, "\n"))
	}
}

// checkOutput lists what is wrong with the output folder of a run.
func checkOutput(dir string) []string {
	c := &outputCheck{dir: dir}
	for _, name := range []string{report.SARIFFile, report.CommentFile, report.SummaryFile, report.HTMLFile} {
		c.file(name)
	}
	r, err := report.Read(c.file(report.JSONFile))
	if err != nil {
		return append(c.problems, err.Error())
	}
	c.run(r)
	c.lcov(r)
	for i := range r.Targets {
		c.target(&r.Targets[i], r.Withheld.Findings > 0)
	}
	for i := range r.Findings {
		c.finding(&r.Findings[i])
	}
	if len(c.named) > 0 {
		c.file(replay.SnapshotFile)
	}
	if r.World.File != "" {
		c.file(r.World.File)
	}
	left, err := filepath.Glob(filepath.Join(dir, "reproducers", "*"))
	c.expect(err == nil && len(left) == len(c.named), "%d reproducers are there, %d are named (%v)", len(left), len(c.named), err)
	hidden, _ := filepath.Glob(filepath.Join(dir, ".*"))
	c.expect(len(hidden) == 0, "temporary files were left: %v", hidden)
	return c.problems
}

type outputCheck struct {
	dir      string
	named    []string // reproducers
	problems []string
}

func (c *outputCheck) expect(ok bool, format string, args ...any) {
	if !ok {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

// file is the content of a file that has to be there.
func (c *outputCheck) file(name string) []byte {
	data, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
	c.expect(err == nil, "%v", err)
	c.expect(err != nil || len(data) > 0, "%s is empty", name)
	return data
}

// lcov checks that lcov.info has the report's lines that have bytecode, and no other.
func (c *outputCheck) lcov(r *report.Report) {
	want, got := map[string]bool{}, map[string]bool{} // whether it was reached, by place
	counts := []string{report.Reached, report.OnlyReverts, report.Unreached, report.Unreachable, report.Undeployable}
	named := lcov.Writable // no tracefile can name others
	for _, l := range r.Lines {
		if slices.Contains(counts, l.Status) && named(l.File) {
			want[fmt.Sprintf("%s:%d", l.File, l.Line)] = l.Status == report.Reached
		}
	}
	for _, t := range r.Targets {
		if slices.Contains(counts, t.Status) && t.File != "" && named(t.File) {
			place := fmt.Sprintf("%s:%d", t.File, t.Line)
			want[place] = want[place] || t.Status == report.Reached
		}
	}
	text, err := os.ReadFile(filepath.Join(c.dir, report.LCOVFile))
	c.expect(err == nil, "%v", err)
	if len(want) > 0 {
		sources, err := lcov.Read(text)
		c.expect(err == nil, "%s: %v", report.LCOVFile, err)
		for _, s := range sources {
			for line, hits := range s.Hits {
				got[fmt.Sprintf("%s:%d", s.Path, line)] = hits > 0
			}
		}
	}
	c.expect(maps.Equal(got, want) && (len(want) > 0 || len(text) == 0), "%s has %v, the report %v", report.LCOVFile, got, want)
}

func (c *outputCheck) run(r *report.Report) {
	c.expect(slices.Contains([]string{report.Pass, report.Fail, report.Skipped, report.Error}, r.Verdict), "verdict %q", r.Verdict)
	c.expect(r.Reason != "", "the verdict has no reason")
	c.expect(len(r.Faults) == 0, "faults: %+v", r.Faults)
	c.expect(len(r.Oracles) > 0, "no oracle is listed")
	if r.Stats.Executions == 0 {
		return
	}
	c.expect(r.Stats.Calls >= r.Stats.Executions, "%d calls in %d executions", r.Stats.Calls, r.Stats.Executions)
	c.expect(r.Stats.Stopped != "", "it is not said why the campaign ended")
	c.expect((r.Stats.Seconds > 0) == (r.Stats.CallsPerSecond > 0), "%v s, %v calls/s", r.Stats.Seconds, r.Stats.CallsPerSecond)
}

func (c *outputCheck) target(t *report.Target, withheld bool) {
	at := fmt.Sprintf("target %s:%d %s", t.File, t.Line, t.Contract)
	c.expect(t.File != "" && t.Line > 0 || t.PC > 0, "%s has no place", at)
	c.expect(t.Contract != "", "%s has no contract", at)
	if t.Status != report.Reached {
		c.expect(t.Reason != "", "%s is %s without a reason", at, t.Status)
	}
	if t.Status != report.Reached && t.Status != report.OnlyReverts {
		c.expect(t.Reproducer == "" && t.Executions == 0, "%s is %s, and yet was executed", at, t.Status)
		return
	}
	c.expect(t.Executions > 0 && t.Calls >= t.Executions, "%s: %d executions, %d calls", at, t.Executions, t.Calls)
	if withheld && t.Status == report.OnlyReverts { // may be on the way to what is withheld
		c.expect(len(t.Sequence) == 0 && t.Reproducer == "", "%s has calls next to a finding that is withheld", at)
		return
	}
	c.expect(len(t.Sequence) > 0, "%s has no sequence", at)
	c.reproducer(at, t.Reproducer)
}

func (c *outputCheck) finding(f *report.Finding) {
	at := "finding " + f.ID
	c.expect(strings.HasPrefix(f.ID, "SL-"), "%s: an id of another kind", at)
	c.expect(f.Oracle != "" && f.Severity != "" && f.Title != "" && f.Message != "", "%s says too little: %+v", at, f)
	c.expect(f.Location.Contract != "", "%s has no location", at)
	c.expect(f.Executions > 0 && f.Calls >= f.Executions, "%s: %d executions, %d calls", at, f.Executions, f.Calls)
	c.expect(len(f.Sequence) > 0, "%s has no sequence", at)
	c.reproducer(at, f.Reproducer)
}

// reproducer notes a reproducer that has to be there.
func (c *outputCheck) reproducer(at, name string) {
	if name == "" {
		c.expect(false, "%s has no reproducer", at)
		return
	}
	c.expect(!slices.Contains(c.named, name), "%s is named twice", name)
	c.named = append(c.named, name)
	c.file(name)
}
