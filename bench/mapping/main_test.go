package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
)

// TestCheck: a mapping that leaves a line out, or has one twice, is no figure.
func TestCheck(t *testing.T) {
	pr := &pullRequest{lines: 2}
	const first = `{"file": "A.sol", "line": 1, "status": "target"}`
	for _, test := range []struct{ name, lines, want string }{
		{"each once", first + `, {"file": "A.sol", "line": 2, "status": "no-bytecode"}`, ""},
		{"one missing", first, "1 lines have a status, of 2"},
		{"one twice", first + ", " + first, "A.sol:1 has no status, or two"},
		{"no status", first + `, {"file": "A.sol", "line": 2}`, "A.sol:2 has no status"},
		{"cut short", first + ",", "the output of sightline map"},
	} {
		targets, err := pr.check([]byte(`{"lines": [` + test.lines + `]}`))
		switch {
		case test.want == "" && (err != nil || targets != 1):
			t.Errorf("%s: %d targets, %v", test.name, targets, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestMakePullRequest: the diff has exactly the files it is to have, sources
// first, and its lines are counted as the reader of diffs counts them.
func TestMakePullRequest(t *testing.T) {
	from := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("contracts/A.sol", "contract A {\n}\n")
	write("contracts/deep/B.sol", "contract B {\n}")
	write("artifacts/build-info/1.json", "{}")
	for i := range files {
		write(fmt.Sprintf("types/%03d.ts", i), "export {}\n")
	}
	pr, err := makePullRequest(t.TempDir(), from)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pr.diff)
	if err != nil {
		t.Fatal(err)
	}
	d, err := unified.Parse(text, unified.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for i := range d.Files {
		if f := &d.Files[i]; strings.HasSuffix(f.NewPath, ".sol") {
			lines += len(f.Edits[0].New)
		}
	}
	if len(d.Files) != files || lines != 4 || pr.lines != lines {
		t.Errorf("%d files, %d lines of sources, counted as %d", len(d.Files), lines, pr.lines)
	}
	if _, err := makePullRequest(t.TempDir(), filepath.Join(from, "contracts")); err == nil {
		t.Error("a package without a build is no error")
	}
	write("artifacts/build-info/2.json", "{}")
	if _, err := makePullRequest(t.TempDir(), from); err == nil || !strings.Contains(err.Error(), "ships 2 builds") {
		t.Errorf("two builds: %v", err)
	}
}
