package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/report"
)

func TestCheck(t *testing.T) {
	files := []changedFile{{"contracts/A.sol", map[int]bool{1: true, 2: true}}}
	target := func(line int) report.Line {
		return report.Line{File: "contracts/A.sol", Line: line, Kind: "added", Status: statusTarget}
	}
	tests := []struct {
		name  string
		lines []report.Line
		want  string // part of the only violation; empty for none
	}{
		{"all there", []report.Line{target(1), target(2)}, ""},
		{"a deletion besides", []report.Line{target(1), target(2), {File: "contracts/A.sol", Line: 9, Kind: "deletion", Status: statusTarget}}, ""},
		{"one missing", []report.Line{target(2)}, "A.sol:1 changed and has no status"},
		{"one twice", []report.Line{target(1), target(2), target(2)}, "A.sol:2 is there 2 times"},
		{"no status", []report.Line{target(1), {File: "contracts/A.sol", Line: 2, Reason: "why"}}, `A.sol:2 has the status ""`},
		{"no reason", []report.Line{target(1), {File: "contracts/A.sol", Line: 2, Status: "no-bytecode"}}, "no-bytecode without a reason"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, violations := check(files, test.lines)
			if test.want == "" && len(violations) > 0 || test.want != "" && (len(violations) != 1 || !strings.Contains(violations[0], test.want)) {
				t.Errorf("got %q, want %q", violations, test.want)
			}
		})
	}
}

// TestCompareLines: a line that our reader has and git has not is noticed, and
// the other way round; a mapping may go beyond git's lines.
func TestCompareLines(t *testing.T) {
	const text = "diff --git a/A.sol b/A.sol\nindex 1111111..2222222 100644\n--- a/A.sol\n+++ b/A.sol\n@@ -1,2 +1,3 @@\n-old\n+new\n x\n+more\n"
	parsed, err := unified.Parse([]byte(text), unified.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	changed := func(name string, lines ...int) changedFile {
		f := changedFile{name, map[int]bool{}}
		for _, line := range lines {
			f.added[line] = true
		}
		return f
	}
	for _, test := range []struct {
		name  string
		files []changedFile
		want  int
	}{
		{"the same", []changedFile{changed("A.sol", 1, 3)}, 0},
		{"only deletions", []changedFile{changed("A.sol", 1, 3), changed("B.sol")}, 0},
		{"another line", []changedFile{changed("A.sol", 1, 2)}, 1},
		{"a line more", []changedFile{changed("A.sol", 1, 2, 3)}, 1},
		{"a line less", []changedFile{changed("A.sol", 1)}, 1},
		{"another file", []changedFile{changed("B.sol", 1, 3)}, 2},
	} {
		if got := compareLines(test.files, parsed); len(got) != test.want {
			t.Errorf("%s: %q, want %d", test.name, got, test.want)
		}
	}
	lines := []report.Line{{File: "A.sol", Line: 1, Kind: "edited"}, {File: "A.sol", Line: 9, Kind: "edited"},
		{File: "A.sol", Line: 10, Kind: "deletion"}, {File: "A.sol", Line: 11, Kind: "indirect"}}
	if n := beyond([]changedFile{changed("A.sol", 1, 3)}, lines); n != 1 {
		t.Errorf("%d lines beyond git's, want 1", n)
	}
}

// TestProject: the commit is the base version, the working tree the head version,
// both with what changed and what that imports.
func TestProject(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []string{"base", "head"} {
		write(version+"/token/Token.sol", "import \"../utils/Math.sol\";\ncontract "+version+" {}\n")
		write(version+"/utils/Math.sol", "library Math {}\n")
		write(version+"/utils/Other.sol", "library Other {}\n")
	}
	write("head/utils/New.sol", "library New {\n}\n")
	root := filepath.Join(folder, "project")
	if err := makeProject(context.Background(), root, filepath.Join(folder, "base"), filepath.Join(folder, "head"), "contract Harness {}\n"); err != nil {
		t.Fatal(err)
	}
	files, err := changedLines(context.Background(), root, "--no-renames", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 || files[0].path != "contracts/token/Token.sol" || files[1].path != "contracts/utils/New.sol" {
		t.Fatalf("changed: %v", files)
	}
	if a, b := files[0].added, files[1].added; len(a) != 1 || !a[2] || len(b) != 2 || !b[1] || !b[2] {
		t.Errorf("changed lines: %v", files)
	}
	for name, want := range map[string]bool{"Harness.sol": true, "utils/Math.sol": true, "utils/Other.sol": false} {
		if _, err := os.Stat(filepath.Join(root, "contracts", filepath.FromSlash(name))); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}
