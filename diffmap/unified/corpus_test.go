package unified_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// nodeModules is where ./test installs the contracts that tests read.
const nodeModules = "../../.cache/npm/node_modules"

// corpusDiff compares two installed packages with git.
func corpusDiff(t testing.TB, base, head string, options ...string) *unified.Diff {
	t.Helper()
	for _, name := range []string{base, head} {
		if _, err := os.Stat(filepath.Join(nodeModules, name)); err != nil {
			t.Fatalf("%v: run ./test once, it installs the npm packages the tests need", err)
		}
	}
	args := append([]string{"-c", "core.quotePath=false", "diff", "--no-index", "--no-color", "-M", "--src-prefix=a/", "--dst-prefix=b/"}, options...)
	cmd := exec.Command("git", append(args, base, head)...)
	cmd.Dir = nodeModules
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("git diff: %v", err)
	}
	d, err := unified.Parse(out, unified.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCorpusPullRequest reads a real pull request: OpenZeppelin Contracts 4.9.3 →
// 4.9.4.
func TestCorpusPullRequest(t *testing.T) {
	for _, options := range [][]string{nil, {"-U0"}, {"--function-context"}, {"--patience"}} {
		d := corpusDiff(t, "oz-4.9.3", "oz-4.9.4", options...)
		root := filepath.Join(nodeModules, "oz-4.9.4")
		sources := 0
		for i := range d.Files {
			f := &d.Files[i]
			_, f.OldPath, _ = strings.Cut(f.OldPath, "/") // below the package's folder
			_, f.NewPath, _ = strings.Cut(f.NewPath, "/")
			if unified.IsSource(f.NewPath) {
				sources++
			}
		}
		if sources != 5 || len(d.Files) != 25 {
			t.Fatalf("%v: %d source files of %d files, want 5 of 25", options, sources, len(d.Files))
		}
		var list strings.Builder
		for i := range d.Files {
			f := d.Files[i]
			head := readFile(t, filepath.Join(root, f.NewPath))
			old, err := f.OldText(head)
			if err != nil {
				t.Fatal(err)
			}
			if string(old) != string(readFile(t, filepath.Join(nodeModules, "oz-4.9.3", f.OldPath))) {
				t.Errorf("%v: the base text of %s is not exact", options, f.OldPath)
			}
			lines, err := f.Changes(head)
			if err != nil {
				t.Fatal(err)
			}
			if unified.IsSource(f.NewPath) {
				list.WriteString("== " + f.NewPath + "\n" + listChanges(lines, head))
			}
		}
		golden.Check(t, "testdata/diff/changes/oz-4.9.3-4.9.4.out", list.String())
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func BenchmarkChanges(b *testing.B) {
	d := corpusDiff(b, "oz-4.9.3", "oz-4.9.4")
	for b.Loop() {
		for _, f := range d.Files {
			if unified.IsSource(f.NewPath) {
				if _, err := f.Changes(readFile(b, filepath.Join(nodeModules, f.NewPath))); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
