package diffmap

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nodeModules is where ./test installs the contracts that tests read.
const nodeModules = "../.cache/npm/node_modules"

// corpusDiff compares two installed packages with git.
func corpusDiff(t testing.TB, base, head string, options ...string) *Diff {
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
	d, err := ParseDiff(out, Limits{})
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
			if isSource(f.NewPath) {
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
			if f.tokenized() {
				list.WriteString("== " + f.NewPath + "\n" + listChanges(lines, head))
			}
		}
		checkGolden(t, "testdata/diff/changes/oz-4.9.3-4.9.4.out", list.String())
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

// TestCorpusTokenize splits every source of the corpus: none has an illegal token
// and the tokens cover all of it.
func TestCorpusTokenize(t *testing.T) {
	files := 0
	for _, pkg := range []string{"oz-4.9.4", "@gnosis.pm/safe-contracts"} {
		root := filepath.Join(nodeModules, pkg)
		if _, err := os.Stat(root); err != nil {
			t.Fatalf("%v: run ./test once, it installs the npm packages the tests need", err)
		}
		err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(name) != ".sol" {
				return err
			}
			files++
			src := readFile(t, name)
			tokens := Tokenize(src)
			if msg := checkTokenStream(src, tokens); msg != "" {
				t.Errorf("%s: %s", name, msg)
			}
			for _, tok := range tokens {
				if tok.Kind == Illegal {
					t.Errorf("%s: illegal token %q at %d", name, src[tok.Start:tok.End], tok.Start)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 200 {
		t.Errorf("only %d sources", files)
	}
}

func BenchmarkChanges(b *testing.B) {
	d := corpusDiff(b, "oz-4.9.3", "oz-4.9.4")
	for b.Loop() {
		for _, f := range d.Files {
			if f.tokenized() {
				if _, err := f.Changes(readFile(b, filepath.Join(nodeModules, f.NewPath))); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
