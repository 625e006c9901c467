package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/diffmap"
)

// TestAddEverything: the diff is one that the reader takes, and adds every line
// of what is not a test.
func TestAddEverything(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"contracts/A.sol":         "contract A {\n}\n",
		"contracts/deep/B.sol":    "contract B {\r\n}", // no newline at the end
		"contracts/Empty.sol":     "",
		"contracts/test/T.sol":    "contract T {}\n",
		"contracts/C.t.sol":       "contract C {}\n",
		"contracts/README.md":     "# A\n",
		"elsewhere/contracts.sol": "contract D {}\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := addEverything(root, "contracts")
	if err != nil {
		t.Fatal(err)
	}
	diff, err := diffmap.ParseDiff(text, diffmap.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	lines := map[string]int{}
	for _, f := range diff.Files {
		head, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.Path())))
		if err != nil {
			t.Fatal(err)
		}
		changes, err := f.Changes(head)
		if err != nil {
			t.Fatal(err)
		}
		lines[f.Path()] = len(changes)
	}
	if len(lines) != 3 || lines["contracts/A.sol"] != 2 || lines["contracts/deep/B.sol"] != 2 || lines["contracts/Empty.sol"] != 0 {
		t.Errorf("added lines: %v\n%s", lines, text)
	}
	if _, err := addEverything(root, "contracts/test"); err == nil {
		t.Error("a folder without sources is no error")
	}
}
