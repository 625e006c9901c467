package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// auditor audits samples.
type auditor struct {
	run   *harness.Run
	calls uint64 // of each audit; 0: by time
}

// newAuditor finds the compilers that are on the machine: nothing is downloaded.
func newAuditor(run *harness.Run, calls uint64) (*auditor, error) {
	modules := []string{filepath.Join(run.Root, ".cache", "npm", "node_modules")}
	if given := os.Getenv("SIGHTLINE_NODE_MODULES"); given != "" {
		modules = append(modules, given)
	}
	return &auditor{run, calls}, os.Setenv("SIGHTLINE_NODE_MODULES", strings.Join(modules, string(os.PathListSeparator)))
}

// exact is a pragma that one compiler alone satisfies.
var exact = regexp.MustCompile(`(pragma\s+solidity\s+)=?(\d+\.\d+\.\d+\s*;)`)

// A source without a pragma is older than pragmas: of a compiler for which every function takes ether.
var (
	versioned = regexp.MustCompile(`pragma\s+solidity`)
	fallback  = regexp.MustCompile(`\bfunction\s*\(\s*\)\s*\{`)
)

// loosened is a text that later compilers of the same language take as well: samples often name one
// that is not on the machine, for no reason of the language. The fallback of one that names none takes ether, as it did.
func loosened(text string) string {
	if !versioned.MatchString(text) {
		text = fallback.ReplaceAllString(text, "function() payable {")
	}
	return exact.ReplaceAllString(text, "$1^$2")
}

// result is what audits of a sample reported.
type result struct {
	*sample
	failure  string              // why it could not be audited; empty: it was
	reported map[string][]string // places, by the number of a weakness, or by an oracle that has none
	lines    string              // how many of them were reached
}

// audit audits a sample with each seed.
func (a *auditor) audit(ctx context.Context, s *sample) result {
	r := result{sample: s, reported: map[string][]string{}}
	folder, err := os.MkdirTemp("", "audit")
	if err != nil {
		r.failure = err.Error()
		return r
	}
	defer os.RemoveAll(folder)
	root := filepath.Join(folder, "sources")
	if err := os.Mkdir(root, 0o700); err != nil {
		r.failure = err.Error()
		return r
	}
	if err := os.WriteFile(filepath.Join(root, s.file), []byte(loosened(s.text)), 0o600); err != nil {
		r.failure = err.Error()
		return r
	}
	for seed := range a.run.Runs {
		made, err := pipeline.Run(ctx, a.options(root, filepath.Join(folder, "out"), a.run.Seed+uint64(seed)))
		if err != nil {
			r.failure = human.OneLine(err)
			return r
		}
		r.take(made)
	}
	return r
}

func (a *auditor) options(root, out string, seed uint64) *pipeline.Options {
	o := &pipeline.Options{
		Change:   change.Options{Root: root, Audit: true, Offline: true, Verify: change.VerifyIfPossible},
		Campaign: pipeline.Campaign{Calls: a.calls, Workers: 1, Schedule: fuzzer.Lookahead.Name, Seed: seed},
		Gate:     pipeline.Gate{FailOn: "low", AllowStarved: true}, Output: pipeline.Output{Dir: out},
		Now: a.run.Now, Log: progress.NewLog(io.Discard, a.run.Now),
	}
	if a.calls == 0 {
		o.Campaign.Timeout = time.Duration(a.run.Seconds * float64(time.Second))
	}
	return o
}

// take adds what a report has.
func (r *result) take(made *report.Report) {
	for i := range made.Findings {
		f := &made.Findings[i]
		key := f.SWC
		if key == "" {
			key = f.Oracle
		}
		at := fmt.Sprintf("%s.%s", f.Location.Contract[strings.LastIndexByte(f.Location.Contract, ':')+1:], f.Function)
		if !slices.Contains(r.reported[key], at) {
			r.reported[key] = append(r.reported[key], at)
		}
	}
	reached, code := 0, 0
	for _, l := range made.Lines {
		if l.Status != report.NoBytecode {
			code++
		}
		if l.Status == report.Reached {
			reached++
		}
	}
	r.lines = fmt.Sprintf("%d of %s reached", reached, human.Plural(code, "line"))
	if made.Verdict == report.Error || made.Verdict == report.Skipped {
		r.failure = made.Reason
	}
}

// describe says what was reported.
func (r *result) describe() string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(r.reported)) {
		parts = append(parts, key+" in "+strings.Join(r.reported[key], ", "))
	}
	if len(parts) == 0 {
		return "nothing, " + r.lines
	}
	return strings.Join(parts, "; ")
}

// expects is what is known of a sample.
func (r *result) expects() string {
	text := strings.Join(r.expected, ", ")
	if text == "" {
		return "unknown"
	}
	if r.fixed {
		return "no " + text
	}
	return text
}

// verdict compares what was reported with what is known.
func (r *result) verdict(classes []string) string {
	known := slices.DeleteFunc(slices.Clone(r.expected), func(number string) bool { return !slices.Contains(classes, number) })
	reported := slices.DeleteFunc(slices.Clone(known), func(number string) bool { return len(r.reported[number]) == 0 })
	switch {
	case len(known) == 0:
		return "out of scope"
	case r.fixed && len(reported) > 0:
		return "alarm"
	case r.fixed:
		return "silent"
	case len(reported) == len(known):
		return "yes"
	}
	return "no"
}
