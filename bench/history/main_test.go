package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/report"
)

// repository makes a clone whose second commit changes a contract, removes a line and merges
// nothing; and a library.
func repository(t *testing.T) (clone string, head string) {
	t.Helper()
	clone = filepath.Join(t.TempDir(), "vault")
	write := func(file, text string) {
		file = filepath.Join(clone, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(arguments ...string) string {
		out, err := git(t.Context(), clone, nil, arguments...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	write("src/A.sol", "contract A {\n    uint a;\n    uint b;\n}\n")
	write("README.md", "a\n")
	run("init", "-q", "-b", "main")
	run("add", ".")
	run("commit", "-q", "-m", "first")
	write("README.md", "b\n")
	run("commit", "-q", "-a", "-m", "no Solidity")
	write("src/A.sol", "contract A {\n    uint a;\n    uint c;\n    uint d;\n}\n")
	write("test/A.t.sol", "contract T {}\n")
	run("add", ".")
	run("commit", "-q", "-m", "second")
	return clone, run("rev-parse", "HEAD")
}

// TestCheckOut takes the one commit with a parent that changes Solidity, with its changed
// lines; without an object, the file that it was is left out.
func TestCheckOut(t *testing.T) {
	t.Parallel()
	clone, head := repository(t)
	list, err := commits(t.Context(), clone, 5)
	if err != nil || len(list) != 1 || list[0].head != head || list[0].subject != "second" {
		t.Fatalf("%+v, %v", list, err)
	}
	check := func(left int) {
		t.Helper()
		tree := filepath.Join(t.TempDir(), "tree")
		base, n, err := list[0].checkOut(t.Context(), tree)
		if err != nil || n != left {
			t.Fatalf("%d left out, %v", n, err)
		}
		changed, err := changedLines(t.Context(), tree, base)
		want := []forge.Place{{File: "src/A.sol", Line: 3}, {File: "src/A.sol", Line: 4}, {File: "test/A.t.sol", Line: 1}}
		if got := keys(changed); err != nil || !slices.Equal(got, want) {
			t.Errorf("changed %v, %v", got, err)
		}
	}
	check(0)
	object, err := git(t.Context(), clone, nil, "rev-parse", "HEAD:README.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(clone, ".git", "objects", object[:2], object[2:])); err != nil {
		t.Fatal(err)
	}
	check(1)
}

// TestSubmodules takes one from the clone of its name, and one from a folder; one is nowhere.
func TestSubmodules(t *testing.T) {
	t.Parallel()
	library, head := repository(t)
	tree := t.TempDir()
	for _, arguments := range [][]string{
		{"init", "-q"},
		{"update-index", "--add", "--cacheinfo", "160000," + head + ",lib/a"},
		{"update-index", "--add", "--cacheinfo", "160000," + head + ",lib/b"},
		{"update-index", "--add", "--cacheinfo", "160000," + head + ",lib/c"},
		{"commit", "-q", "-m", "x"},
		{"config", "-f", ".gitmodules", "submodule.a.path", "lib/a"},
		{"config", "-f", ".gitmodules", "submodule.a.url", "https://example.org/x/Vault.git"},
		{"config", "-f", ".gitmodules", "submodule.b.path", "lib/b"},
		{"config", "-f", ".gitmodules", "submodule.b.url", "../kept"},
	} {
		if _, err := git(t.Context(), tree, nil, arguments...); err != nil {
			t.Fatal(err)
		}
	}
	missing, err := submodules(context.Background(), tree, []string{library}, map[string]string{"kept": filepath.Join(library, "src")})
	if err != nil || !slices.Equal(missing, []string{"lib/c"}) {
		t.Errorf("missing %q, %v", missing, err)
	}
	for _, file := range []string{"lib/a/src/A.sol", "lib/b/A.sol"} {
		if _, err := os.Stat(filepath.Join(tree, file)); err != nil {
			t.Error(err)
		}
	}
}

// TestCompare finds the changed line that forge's tests reach and that a green report has
// no word about.
func TestCompare(t *testing.T) {
	t.Parallel()
	at := func(line int) forge.Place { return forge.Place{File: "src/A.sol", Line: line} }
	changed := map[forge.Place]bool{at(1): true, at(2): true, at(3): true, at(4): true, at(5): true, at(6): true, {File: "test/A.t.sol", Line: 1}: true}
	cover := &forge.Coverage{Hits: map[forge.Place]int{at(1): 1, at(2): 1, at(3): 1, at(4): 1, at(5): 0, at(6): 1}, Functions: map[forge.Place]bool{at(6): true}}
	r := &report.Report{Verdict: report.Pass, Lines: []report.Line{
		{File: "src/A.sol", Line: 1, Status: report.Reached}, {File: "src/A.sol", Line: 2, Status: report.Unreached},
		{File: "src/A.sol", Line: 3, Status: report.NoBytecode}, {File: "src/A.sol", Line: 4, Status: report.NoBytecode, Unused: true},
		{File: "src/A.sol", Line: 5, Status: report.OnlyReverts},
	}}
	var o outcome
	o.compare(changed, r, cover)
	if !slices.Equal(o.Silent, []string{"src/A.sol:3 no-bytecode"}) || !slices.Equal(o.Unlisted, []string{"src/A.sol:6"}) || len(o.Missed) != 3 {
		t.Errorf("silent %q, unlisted %q, missed %q", o.Silent, o.Unlisted, o.Missed)
	}
	if o.Lines != 3 || o.Reached != 2 || o.Counted != 5 || o.ForgeReached != 4 || o.BothCounted != 2 {
		t.Errorf("%+v", o)
	}
	o = outcome{}
	r.Verdict = report.Fail
	if o.compare(changed, r, cover); len(o.Silent) != 0 {
		t.Errorf("a red verdict with silent lines %q", o.Silent)
	}
}

// TestJudge: a finding whose test passes is a false alarm, and a test that ends early is not
// confirmed.
func TestJudge(t *testing.T) {
	t.Parallel()
	var s suites
	suite := s["x"]
	suite.Results = map[string]struct {
		Status string   `json:"status"`
		Reason string   `json:"reason"`
		Logs   []string `json:"decoded_logs"`
	}{
		"test_a()": {Status: "Success"}, "test_b()": {Status: "Failure", Reason: "panic"},
		"test_c()": {Status: "Success", Logs: []string{"call 1 fails, unlike when it was found"}},
	}
	s = suites{"test/A.t.sol:Sightline_a": suite}
	for _, test := range []struct {
		c    claim
		said string
	}{
		{claim{function: "test_a", Found: true, fails: true}, falseAlarm},
		{claim{function: "test_b", Found: true, fails: true}, confirmed},
		{claim{function: "test_a"}, confirmed},
		{claim{function: "test_c"}, otherwise},
		{claim{function: "test_d"}, notRun},
	} {
		test.c.text = "contract Sightline_a is T {\n"
		if test.c.judge(s); test.c.Said != test.said {
			t.Errorf("%s: %s (%s), want %s", test.c.function, test.c.Said, test.c.Reason, test.said)
		}
	}
}
