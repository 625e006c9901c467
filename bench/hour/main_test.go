package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCommandsOf: what a page says is what is run, whatever else is on it.
func TestCommandsOf(t *testing.T) {
	page := "# A page\n\n" +
		"```sh\nbefore\n```\n\n" +
		"## Try it\n\nYou need Go:\n\n" +
		"```sh\ngo run ./cmd demo # it has a bug\n\n# a comment\ngo run ./cmd replay SL-1#2\n```\n\n" +
		"```yaml\n    name: other\n```\n\n" +
		"    indented && cd ..\n    sightline run\n\n" +
		"- a list\n    goes on\n\n" +
		"## Later\n\n```sh\nafter\n```\n"
	for _, test := range []struct {
		heading string
		want    []string
	}{
		{"Try it", []string{"go run ./cmd demo", "go run ./cmd replay SL-1#2", "indented && cd ..", "sightline run"}},
		{"Later", []string{"after"}},
		{"", []string{"before", "go run ./cmd demo", "go run ./cmd replay SL-1#2", "indented && cd ..", "sightline run", "after"}},
	} {
		got, err := commandsOf(page, test.heading)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %v, want %q", test.heading, got, err, test.want)
		}
	}
	if got, err := commandsOf(page, "Nowhere"); err == nil {
		t.Errorf("a heading that is not there: %q", got)
	}
}

// TestPagesHaveCommands: the pages say what the first hour does.
func TestPagesHaveCommands(t *testing.T) {
	for page, want := range map[string]struct{ heading, command string }{
		"README.md":                  {"Try it", "go run ./cmd/sightline demo"},
		"examples/foundry/README.md": {"", "sightline run"},
		"examples/hardhat/README.md": {"", "sightline run"},
	} {
		text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		commands, err := commandsOf(string(text), want.heading)
		if err != nil || !slices.Contains(commands, want.command) {
			t.Errorf("%s: %q, %v, want %q among them", page, commands, err, want.command)
		}
	}
}

func TestFuzzes(t *testing.T) {
	for command, want := range map[string]bool{
		"go run ./cmd/sightline demo":             true,
		"sightline run --timeout 30":              true,
		"sightline run":                           true,
		"sightline map":                           false,
		"go run ./cmd/sightline replay SL-36f8":   false,
		"git init && git commit --message demo":   false,
		"go install ./cmd/sightline && echo runs": false,
	} {
		if fuzzes(command) != want {
			t.Errorf("%q: %v", command, !want)
		}
	}
}

// TestQuantile: a project that failed is slower than any other, and few values have no
// percentile between them.
func TestQuantile(t *testing.T) {
	failed := math.Inf(1)
	for _, test := range []struct {
		values []float64
		share  float64
		want   float64
	}{
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 1, 3, 2}, 0.5, 2},
		{[]float64{8, 7, 6, 5, 4, 3, 2, 1}, 0.95, 8},
		{[]float64{5, failed, 1, 2}, 0.5, 2},
		{[]float64{5, failed, 1, 2}, 0.95, failed},
		{[]float64{7}, 0.95, 7},
	} {
		if got := quantile(test.values, test.share); got != test.want {
			t.Errorf("%v, %v: %v, want %v", test.values, test.share, got, test.want)
		}
	}
	if got := quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("of nothing: %v", got)
	}
}

// TestResult: medians of rounds, limits, and failures that are named and never fast.
func TestResult(t *testing.T) {
	r := &record{}
	_ = r.step(partStart, "git clone", 2, "", nil)
	_ = r.step(partStart, "git clone", 4, "", nil)
	_ = r.step(partReadme, "sightline demo", 30, "fail", nil)
	_ = r.step(partHardhat, "npm install", 1, "", errors.New("no network"))
	for _, seconds := range []float64{10, 30, 20} {
		r.event(&project{name: "vault", pull: "one"}, passAtHand, moments{1, seconds, seconds, seconds + 1}, "pass", nil)
	}
	r.event(&project{name: largest}, passAtHand, moments{1, 190, 190, 191}, "pass", nil)
	r.event(&project{name: "token"}, passCold, moments{firstComment: 3}, "", errors.New("exit code 3"))
	result := r.result(30)
	for name, want := range map[string]float64{"cloneSeconds": 3, "demoSeconds": 30, "firstCommentP50": 20, "firstCommentP95": 190, "firstComment v4-core": 190} {
		if result.Summary[name] != want {
			t.Errorf("%s is %v, want %v", name, result.Summary[name], want)
		}
	}
	if v, there := result.Summary["coldFirstCommentP50"]; there {
		t.Errorf("a pass in which all failed took %v", v)
	}
	var verdicts []string
	for _, row := range result.Tables[2].Rows {
		verdicts = append(verdicts, row[0]+" "+row[len(row)-1])
	}
	if want := []string{"p50 met", "p95 missed", largest + " missed", "p50 ", "p95 "}; !slices.Equal(verdicts, want) {
		t.Errorf("%q, want %q", verdicts, want)
	}
	err := r.failures()
	for _, part := range []string{"hardhat example: npm install: no network", "token, the action without a build at hand: exit code 3"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
}

func TestLongVersion(t *testing.T) {
	got, err := longVersion("solc, the solidity compiler\nVersion: 0.8.30+commit.73712a01.Linux.g++\n")
	if err != nil || got != "0.8.30+commit.73712a01" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := longVersion("usage"); err == nil {
		t.Errorf("%q of no version", got)
	}
}

// TestEdit: an edit that no longer fits is an error, not another pull request.
func TestEdit(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "A.sol")
	if err := os.WriteFile(file, []byte("a b a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&edit{"A.sol", "b", "c"}).apply(folder); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "a c a" {
		t.Errorf("%q, %v", text, err)
	}
	if err := (&edit{"A.sol", "a", "c"}).apply(folder); err == nil || !strings.Contains(err.Error(), "2 times") {
		t.Errorf("two places: %v", err)
	}
}
