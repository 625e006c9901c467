package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAddEverything: git itself takes the diff and makes the same files of it,
// those that are not tests.
func TestAddEverything(t *testing.T) {
	root := t.TempDir()
	sources := map[string]string{
		"contracts/A.sol":         "contract A {\n}\n",
		"contracts/deep/B.sol":    "contract B {\r\n}", // no newline at the end
		"contracts/Empty.sol":     "",
		"contracts/test/T.sol":    "contract T {}\n",
		"contracts/C.t.sol":       "contract C {}\n",
		"contracts/README.md":     "# A\n",
		"elsewhere/contracts.sol": "contract D {}\n",
	}
	for name, text := range sources {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	diff, err := AddEverything(root, "contracts")
	if err != nil {
		t.Fatal(err)
	}
	applied := t.TempDir()
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir = applied
	cmd.Stdin = strings.NewReader(string(diff))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
	}
	added := map[string]bool{"contracts/A.sol": true, "contracts/deep/B.sol": true, "contracts/Empty.sol": true}
	for name, want := range sources {
		got, err := os.ReadFile(filepath.Join(applied, filepath.FromSlash(name)))
		if (err == nil) != added[name] || err == nil && string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := AddEverything(root, "contracts/test"); err == nil {
		t.Error("a folder without sources is no error")
	}
}
