package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	files, err := changedLines(context.Background(), root)
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
