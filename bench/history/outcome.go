package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/clones"
	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

// outcome is what came of one commit: a line of the file that -resume names.
type outcome struct {
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	Date       string `json:"date"`
	Subject    string `json:"subject"`
	// Left is how many files the clone lacks, and Missing the submodules that are nowhere.
	Left    int      `json:"left,omitempty"`
	Missing []string `json:"missing,omitempty"`

	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	// Cold is the run in a fresh work tree, without any cache, and Warm another one up to its first call.
	Cold *attempt `json:"cold"`
	Warm *attempt `json:"warm,omitempty"`

	Claims []*claim `json:"claims,omitempty"`

	// Notes is how many notes a comment shows before what is folded away; nil: nothing was compared with the base.
	Notes *int `json:"notes,omitempty"`
	// Oracles is all that oracles and the comparison with the base said.
	Oracles []said `json:"oracles,omitempty"`

	// Of the changed lines of contracts that ship and that the report has a status for other
	// than no-bytecode: all, and those that were executed.
	Lines   int `json:"lines"`
	Reached int `json:"reached"`
	// Unlisted are changed lines that the report does not have although their file has others.
	Unlisted []string `json:"unlisted,omitempty"`

	// Forge is how its coverage went.
	Forge string `json:"forge,omitempty"`
	// Of the changed lines of contracts that ship and that forge's coverage counts: all,
	// those that forge's tests reach, those that we execute, and those that only one of the two does.
	Counted      int      `json:"counted,omitempty"`
	ForgeReached int      `json:"forgeReached,omitempty"`
	BothCounted  int      `json:"bothCounted,omitempty"`
	Missed       []string `json:"missed,omitempty"` // that forge's tests reach and we do not, with status
	// Silent are changed lines that forge's tests reach, on which the verdict is green and
	// that were neither fuzzed nor named.
	Silent []string `json:"silent,omitempty"`
}

// bench is what all commits have in common.
type bench struct {
	*harness.Run
	tool        *harness.Tool
	forge       string
	environment []string
	sources     clones.Sources
	exports     int
	coverage    time.Duration
}

// folder is where everything of a commit is.
func (b *bench) folder(c clones.Commit) string {
	return filepath.Join(b.Cache, "history", clones.Name(c.Repository), c.Head[:12])
}

// measure runs one commit.
func (b *bench) measure(ctx context.Context, c clones.Commit) (*outcome, error) {
	o := &outcome{Repository: clones.Name(c.Repository), Commit: c.Head, Date: c.Date, Subject: c.Subject}
	folder := b.folder(c)
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	tree := filepath.Join(folder, o.Repository)
	made, err := c.CheckOut(ctx, tree, b.sources)
	if err != nil {
		return nil, err
	}
	base := made.Base
	o.Left, o.Missing = made.Left, made.Missing
	changed, err := clones.ChangedLines(ctx, tree, base)
	if err != nil {
		return nil, err
	}
	tool := b.tool.With("XDG_CACHE_HOME=" + filepath.Join(folder, "cache"))
	out := filepath.Join(folder, "out")
	if o.Cold, err = fuzz(ctx, tool, tree, base, out, b.Seconds, b.Seed, false); err != nil {
		return nil, err
	}
	r := o.Cold.Report
	if r == nil {
		o.Verdict, o.Reason = "none", fmt.Sprintf("exit code %d: %s", o.Cold.Code, o.Cold.Said)
		if o.Cold.Code == exit.Failure {
			o.Verdict = report.Error
		}
		return o, nil
	}
	o.Verdict, o.Reason, o.Oracles, o.Notes = r.Verdict, r.Reason, saidIn(r), notesIn(r)
	if o.Cold.FirstCall > 0 {
		if o.Warm, err = fuzz(ctx, tool, tree, base, filepath.Join(folder, "warm"), b.Seconds, b.Seed, true); err != nil {
			return nil, err
		}
	}
	if o.Claims, err = claims(ctx, tool, out, r, b.exports); err != nil {
		return nil, err
	}
	if err := forge.RenameBelow(tree); err != nil {
		return nil, err
	}
	if err := check(ctx, b.forge, tree, b.environment, o.Claims); err != nil {
		return nil, err
	}
	if b.coverage > 0 && hasCode(changed) {
		bound, cancel := context.WithTimeout(ctx, b.coverage)
		defer cancel()
		// Few runs of tests with arguments: more reach hardly more lines.
		cover, err := forge.Cover(bound, b.forge, tree, append(b.environment, "FOUNDRY_FUZZ_RUNS=32", "FOUNDRY_INVARIANT_RUNS=8", "FOUNDRY_INVARIANT_DEPTH=32"), "--fuzz-seed", "1")
		if err != nil {
			o.Forge = err.Error()
		} else {
			o.Forge = cover.Tests
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o.compare(changed, r, cover)
	} else {
		o.compare(changed, r, nil)
	}
	return o, nil
}

// hasCode reports whether a line of a contract that ships may be code.
func hasCode(changed map[forge.Place]string) bool {
	for at, text := range changed {
		if clones.Ships(at.File) && clones.MayBeCode(text) {
			return true
		}
	}
	return false
}

// status is what a report says of a changed line.
type status struct {
	of     string // its status; empty: it is not in the report
	unused bool
	unread bool // nothing looked at its file
}

// executed reports whether a call ran the line.
func (s status) executed() bool { return s.of == report.Reached || s.of == report.OnlyReverts }

// named reports whether a reader of the report learns that the line has code, or that nothing
// looked at it.
func (s status) named() bool {
	return s.of != "" && s.of != report.NoBytecode || s.unused || s.unread
}

// String is the status for people.
func (s status) String() string { return cmp.Or(s.of, "not in the report") }

// statuses looks up lines in a report.
func statuses(r *report.Report) func(forge.Place) status {
	lines := map[forge.Place]status{}
	for _, l := range r.Lines {
		lines[forge.Place{File: l.File, Line: l.Line}] = status{of: l.Status, unused: l.Unused}
	}
	unread := map[string]bool{}
	for _, u := range r.Unread {
		unread[u.File] = true
	}
	return func(at forge.Place) status {
		s := lines[at]
		s.unread = unread[at.File]
		return s
	}
}

// compare counts the changed lines, by the report and by forge's coverage, which may be nil.
func (o *outcome) compare(changed map[forge.Place]string, r *report.Report, cover *forge.Coverage) {
	statusOf := statuses(r)
	green := r.Verdict == report.Pass || r.Verdict == report.Skipped
	for _, at := range slices.SortedFunc(maps.Keys(changed), forge.Place.Compare) {
		if !clones.Ships(at.File) {
			continue
		}
		s := statusOf(at)
		if s.of == "" && !s.unread {
			o.Unlisted = append(o.Unlisted, fmt.Sprintf("%s:%d", at.File, at.Line))
		}
		if s.of != "" && s.of != report.NoBytecode {
			o.Lines++
			if s.executed() {
				o.Reached++
			}
		}
		if cover != nil {
			o.compareLine(at, s, cover, green)
		}
	}
}

// compareLine counts a changed line by forge's coverage. Where a function is declared there
// need be no code.
func (o *outcome) compareLine(at forge.Place, s status, cover *forge.Coverage, green bool) {
	hits, counted := cover.Hits[at]
	if !counted || cover.Functions[at] {
		return
	}
	o.Counted++
	if s.executed() {
		o.BothCounted++
	}
	if hits == 0 {
		return
	}
	o.ForgeReached++
	text := fmt.Sprintf("%s:%d %s", at.File, at.Line, s)
	if !s.executed() {
		o.Missed = append(o.Missed, text)
	}
	if green && !s.named() {
		o.Silent = append(o.Silent, text)
	}
}
