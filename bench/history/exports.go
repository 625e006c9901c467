package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

// What forge says of an exported test.
const (
	confirmed  = "confirmed"   // it does what it claims
	falseAlarm = "false alarm" // a finding's test should fail, and passes
	otherwise  = "otherwise"   // another test does not do what it claims
	broken     = "broken"      // it does not compile
	notRun     = "not run"     // a test is missing, or forge does not build the project
)

// claim is a finding or a reached line, and what forge says of it.
type claim struct {
	Of     string `json:"of"` // the finding's title, or the line
	Gates  bool   `json:"gates,omitempty"`
	Found  bool   `json:"found,omitempty"` // a finding, not a line
	Said   string `json:"said"`
	Reason string `json:"reason,omitempty"`

	text     string // of the test
	fails    bool   // what it claims to do
	file     string // that it belongs to
	function string
}

// gates reports whether a finding fails the check as it is by default.
func gates(f *report.Finding) bool {
	return f.Comparison != report.PreExisting && f.Release != report.ReleaseAbsent && f.Waived == nil && (f.Severity == "high" || f.Severity == "critical")
}

// claims are the findings of a run with their tests, and the tests of at most n of its
// reached lines: of the longest sequences, since those claim the most.
func claims(ctx context.Context, tool *harness.Tool, out string, r *report.Report, n int) ([]*claim, error) {
	var list []*claim
	for i := range r.Findings {
		f := &r.Findings[i]
		c := &claim{Of: f.ID + " " + f.Title, Gates: gates(f), Found: true}
		switch {
		case f.Test == nil:
			c.Said, c.Reason = notRun, "no test was exported"
		case f.Test.Text == "":
			c.Said, c.Reason = notRun, f.Test.Reason
		default:
			c.text, c.fails = f.Test.Text, f.Test.Fails
		}
		list = append(list, c)
	}
	reached := slices.DeleteFunc(slices.Clone(r.Targets), func(t report.Target) bool { return t.Status != report.Reached || t.Reproducer == "" })
	slices.SortStableFunc(reached, func(a, b report.Target) int { return len(b.Sequence) - len(a.Sequence) })
	seen := map[string]bool{}
	for _, t := range reached {
		if n == 0 {
			break
		}
		if seen[t.Reproducer] {
			continue
		}
		seen[t.Reproducer] = true
		n--
		c := &claim{Of: fmt.Sprintf("%s:%d %s", t.File, t.Line, t.Contract)}
		text, _, err := tool.Output(ctx, []int{exit.Pass}, "replay", "--out", out, "--foundry-test", filepath.Join(out, filepath.FromSlash(t.Reproducer)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			c.Said, c.Reason = notRun, err.Error()
		} else {
			c.text = string(text)
		}
		list = append(list, c)
	}
	return list, nil
}

// Where a test says it belongs, and its function.
var (
	savedAs  = regexp.MustCompile(`(?m)^// Save it as (.+), and run: forge test --match-test (\w+)`)
	contract = regexp.MustCompile(`(?m)^contract (\w+)`)
)

// suites is what is read of forge's JSON: results by contract and function.
type suites map[string]struct {
	Results map[string]struct {
		Status string   `json:"status"`
		Reason string   `json:"reason"`
		Logs   []string `json:"decoded_logs"`
	} `json:"test_results"`
}

// testTime bounds forge's build and run of exported tests. Arbitrary.
const testTime = 10 * time.Minute

// check runs the claims' tests under forge in a work tree, and takes them out again.
func check(ctx context.Context, program, tree string, environment []string, list []*claim) error {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	written, err := write(tree, list)
	defer func() {
		for _, c := range written {
			os.Remove(c.file)
		}
	}()
	if err != nil {
		return err
	}
	for left := slices.Clone(written); len(left) > 0; {
		results, said, err := run(ctx, program, tree, environment, left)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if results != nil {
			for _, c := range left {
				c.judge(results)
			}
			return nil
		}
		kept := blame(left, said)
		if len(kept) == len(left) {
			for _, c := range left {
				c.Said, c.Reason = notRun, said
			}
			return nil
		}
		left = kept
	}
	return nil
}

// write writes the tests of claims to where they belong; without an error, all that have one.
func write(tree string, list []*claim) (written []*claim, err error) {
	for _, c := range list {
		if c.Said != "" {
			continue
		}
		m := savedAs.FindStringSubmatch(c.text)
		if m == nil {
			c.Said, c.Reason = broken, "it does not say where it belongs"
			continue
		}
		c.file, c.function = filepath.Join(tree, filepath.FromSlash(m[1])), m[2]
		if err := os.MkdirAll(filepath.Dir(c.file), 0o755); err != nil {
			return written, err
		}
		if err := os.WriteFile(c.file, []byte(c.text), 0o600); err != nil {
			return written, err
		}
		written = append(written, c)
	}
	return written, nil
}

// blame takes out the tests that the compiler names, which are broken; the others are tried
// without them.
func blame(list []*claim, said string) (kept []*claim) {
	for _, c := range list {
		if !strings.Contains(said, filepath.Base(c.file)) {
			kept = append(kept, c)
			continue
		}
		c.Said, c.Reason = broken, said
		os.Remove(c.file)
	}
	return kept
}

// run runs the exported tests of claims, and none that they inherit; without results, it says why
// there are none.
func run(ctx context.Context, program, tree string, environment []string, list []*claim) (results suites, said string, err error) {
	var functions []string
	for _, c := range list {
		functions = append(functions, c.function)
	}
	out, err := forge.Output(ctx, program, tree, environment, "test", "--json", "-vv", "--match-contract", "^Sightline_",
		"--match-test", `^(`+strings.Join(functions, "|")+`)\(`, "--fuzz-seed", "1")
	if err != nil {
		return nil, err.Error(), nil
	}
	for line := range bytes.Lines(out) { // warnings, with the code that they are of, stand before
		if bytes.HasPrefix(line, []byte("{")) && json.Valid(line) {
			err := json.Unmarshal(line, &results)
			return results, "", err
		}
	}
	return nil, end(out), nil
}

// judge takes what forge says of the test.
func (c *claim) judge(all suites) {
	m := contract.FindAllStringSubmatch(c.text, -1)
	for name, suite := range all {
		_, named, _ := strings.Cut(name, ":")
		if !slices.ContainsFunc(m, func(groups []string) bool { return groups[1] == named && strings.HasPrefix(named, "Sightline_") }) {
			continue
		}
		for function, r := range suite.Results {
			if function == "setUp()" {
				c.Said, c.Reason = otherwise, "setUp() fails: "+r.Reason
				return
			}
			if function != c.function+"()" {
				continue
			}
			early := slices.IndexFunc(r.Logs, func(log string) bool { return strings.Contains(log, "unlike when it was found") })
			failed := r.Status == "Failure"
			switch {
			case early >= 0:
				c.Said, c.Reason = otherwise, r.Logs[early]
			case failed != c.fails:
				c.Said, c.Reason = otherwise, strings.TrimSpace(r.Status+" "+r.Reason)
			default:
				c.Said = confirmed
				if failed {
					c.Reason = r.Reason
				}
			}
			if c.Found && c.fails && c.Said == otherwise {
				c.Said = falseAlarm
			}
			return
		}
	}
	c.Said, c.Reason = notRun, "forge does not know the test"
}
