package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// TestPage: every part has one place in the page, every place is a part's, and no table is elsewhere: it would be of
// unknown code.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, p := range parts {
		if _, err := replace(page, p, ""); err != nil {
			t.Error(err)
		}
		if mark := "<!-- bench/all: " + p.name + " -->"; strings.Count(page, mark) > 1 {
			t.Errorf("%s is there %d times", mark, strings.Count(page, mark))
		}
	}
	inside := ""
	for i, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "<!-- bench/all: "):
			if inside != "" {
				t.Errorf("line %d: a place in that of %s", i+1, inside)
			}
			inside = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- bench/all: "), " -->")
			if !slices.ContainsFunc(parts, func(p part) bool { return p.name == inside }) {
				t.Errorf("line %d: bench/all does not run %s", i+1, inside)
			}
		case line == "<!-- end -->":
			inside = ""
		case strings.HasPrefix(line, "|") && inside == "":
			t.Errorf("line %d: a table that bench/all does not write", i+1)
		}
	}
}

// TestReplace: only what stands between the marks changes, and a place without an end is an error.
func TestReplace(t *testing.T) {
	p := part{name: "b"}
	page := "a\n<!-- bench/all: b -->\nold\n<!-- end -->\nc\n"
	got, err := replace(page, p, "new\n")
	if want := "a\n<!-- bench/all: b -->\n\nnew\n\n<!-- end -->\nc\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if again, err := replace(got, p, "new\n"); err != nil || again != got {
		t.Errorf("written twice: %q, %v", again, err)
	}
	for _, broken := range []string{"", "<!-- bench/all: bb -->\n<!-- end -->\n", "<!-- bench/all: b -->\nold\n"} {
		if got, err := replace(broken, p, "new\n"); err == nil {
			t.Errorf("%q is written: %q", broken, got)
		}
	}
}

// TestKept: what was measured is found again, for the same arguments alone, and what a comparison prints otherwise is
// refused.
func TestKept(t *testing.T) {
	s := &state{commit: "0123456789", dir: t.TempDir()}
	p := part{name: "guards", command: "guards"}
	if s.has(p, nil) {
		t.Error("there before it was measured")
	}
	printed := []byte(`{"summary": {"solvedShare": 98.5}, "seed": 3, "tables": [{"title": "t", "columns": ["a"], "rows": [["1"]]}]}`)
	if err := s.keep(p, []string{"-runs", "2"}, printed, 90*time.Second); err != nil {
		t.Fatal(err)
	}
	if !s.has(p, []string{"-runs", "2"}) || s.has(p, []string{"-runs", "3"}) {
		t.Error("not found again, or found for other arguments")
	}
	r, err := s.read(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(p, r), "**t**\n\n| a   |\n| --- |\n| 1   |\n\nCommit 0123456789, 2m0s; seed 3: `solvedShare` 98.5.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.shows = figures
	if got := shown(p, r); strings.Contains(got, "|") {
		t.Errorf("figures alone: %q", got)
	}
	if err := s.keep(p, nil, []byte("| a |"), 0); err == nil {
		t.Error("what is not JSON is kept")
	}
}

// TestDigest: the state is all files but pages.
func TestDigest(t *testing.T) {
	const tree = "100644 blob aa\tdocs/benchmarks.md\x00100644 blob bb\tfuzzer/campaign.go\x00"
	if digest(tree) != digest(strings.ReplaceAll(tree, "aa", "cc")) {
		t.Error("a page counts")
	}
	if digest(tree) == digest(strings.ReplaceAll(tree, "bb", "cc")) {
		t.Error("code does not count")
	}
}

// TestParts: names are unique, every comparison of the folder has a part, and what needs clones says so.
func TestParts(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	without := map[string]string{
		"all": "runs the others", "internal": "is shared by them",
		"statetests": "needs the official suites, which are on no registry",
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, ok := without[name]; entry.IsDir() && !ok && !slices.ContainsFunc(parts, func(p part) bool { return p.command == name }) {
			t.Errorf("bench/%s is in no part", name)
		}
	}
	names := map[string]bool{}
	for _, p := range parts {
		if names[p.name] {
			t.Errorf("%s is there twice", p.name)
		}
		names[p.name] = true
		args, needs := p.arguments("", "DIR")
		if (needs != "") != (p.clones != nil) {
			t.Errorf("%s needs %q", p.name, needs)
		}
		if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "{") }) {
			t.Errorf("%s: %q", p.name, args)
		}
	}
	if chosen, err := choose("guards"); err != nil || len(chosen) != 2 {
		t.Errorf("-only guards: %v, %v", chosen, err)
	}
	if _, err := choose("no such"); err == nil {
		t.Error("-only accepts a name that no part has")
	}
}

// TestFigures: the line of main figures is in the order of their names.
func TestFigures(t *testing.T) {
	r := harness.Result{Summary: map[string]float64{"b": 2, "a": 1234.5}}
	if got, want := r.Figures(), "`a` 1,234, `b` 2"; got != want && got != "`a` 1,235, `b` 2" {
		t.Errorf("%q, want %q", got, want)
	}
}
