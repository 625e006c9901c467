package clones

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sorted are the places of a set of one line per file and number, in order.
func sorted(set map[Place]string) []Place {
	return slices.SortedFunc(maps.Keys(set), Place.Compare)
}

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
		out, err := Git(t.Context(), clone, nil, arguments...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	write("src/A.sol", "contract A {\n    uint a;\n    uint b;\n    uint e = 1 + 2;\n}\n")
	write("README.md", "a\n")
	run("init", "-q", "-b", "main")
	run("add", ".")
	run("commit", "-q", "-m", "first")
	write("README.md", "b\n")
	run("commit", "-q", "-a", "-m", "no Solidity")
	write("test/B.t.sol", "contract U {}\n")
	run("add", ".")
	run("commit", "-q", "-a", "-m", "a test")
	write("src/A.sol", "contract A {\n    uint a;\n    uint c;\n    uint d;\n    // said\n    uint e =\n        1 + 2; // three\n}\n")
	write("test/A.t.sol", "contract T {}\n")
	run("add", ".")
	run("commit", "-q", "-m", "second")
	return clone, run("rev-parse", "HEAD")
}

// TestCheckOut takes the one commit with a parent that changes Solidity, with its changed
// lines, without comments and what is only arranged differently; without an object, the file that it was is left out.
func TestCheckOut(t *testing.T) {
	t.Parallel()
	clone, head := repository(t)
	list, err := Commits(t.Context(), clone, 5, true)
	if err != nil || len(list) != 1 || list[0].Head != head || list[0].Subject != "second" {
		t.Fatalf("%+v, %v", list, err)
	}
	if list, err := Commits(t.Context(), clone, 5, false); err != nil || len(list) != 2 {
		t.Errorf("with tests: %+v, %v", list, err)
	}
	check := func(left int) {
		t.Helper()
		tree := filepath.Join(t.TempDir(), "tree")
		made, err := list[0].CheckOut(t.Context(), tree, Sources{})
		if err != nil || made.Left != left {
			t.Fatalf("%+v, %v", made, err)
		}
		changed, err := ChangedLines(t.Context(), tree, made.Base)
		want := []Place{{File: "src/A.sol", Line: 3}, {File: "src/A.sol", Line: 4}, {File: "test/A.t.sol", Line: 1}}
		if got := sorted(changed); err != nil || !slices.Equal(got, want) {
			t.Errorf("changed %v, %v", got, err)
		}
		if text := changed[want[1]]; text != "    uint d;" {
			t.Errorf("text %q", text)
		}
	}
	check(0)
	object, err := Git(t.Context(), clone, nil, "rev-parse", "HEAD:README.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(clone, ".git", "objects", object[:2], object[2:])); err != nil {
		t.Fatal(err)
	}
	check(1)
}

// TestSubmodules takes one from the clone of its name, and one from a folder; one is nowhere.
// git is content with the result: the first is as it should be, and the others are no
// submodules any more.
func TestSubmodules(t *testing.T) {
	t.Parallel()
	library, head := repository(t)
	clone := t.TempDir()
	for _, arguments := range [][]string{
		{"init", "-q"},
		{"config", "-f", ".gitmodules", "submodule.a.path", "lib/a"},
		{"config", "-f", ".gitmodules", "submodule.a.url", "https://example.org/x/Vault.git"},
		{"config", "-f", ".gitmodules", "submodule.b.path", "lib/b"},
		{"config", "-f", ".gitmodules", "submodule.b.url", "../kept"},
		{"add", "."},
		{"update-index", "--add", "--cacheinfo", "160000," + head + ",lib/a"},
		{"update-index", "--add", "--cacheinfo", "160000," + head[:39] + "0,lib/b"},
		{"update-index", "--add", "--cacheinfo", "160000," + head[:39] + "1,lib/c"},
		{"commit", "-q", "-m", "x"},
	} {
		if _, err := Git(t.Context(), clone, nil, arguments...); err != nil {
			t.Fatal(err)
		}
	}
	tree := filepath.Join(t.TempDir(), "tree")
	c := Commit{Repository: clone, Head: "HEAD", Base: "HEAD"}
	sources := Sources{Clones: []string{library}, Libraries: Libraries{"kept": filepath.Join(library, "src")}}
	made, err := c.CheckOut(t.Context(), tree, sources)
	if err != nil || !slices.Equal(made.Missing, []string{"lib/c"}) {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, file := range []string{"lib/a/src/A.sol", "lib/b/A.sol"} {
		if _, err := os.Stat(filepath.Join(tree, file)); err != nil {
			t.Error(err)
		}
	}
	status, err := Git(t.Context(), tree, nil, "submodule", "status")
	if err != nil || !strings.HasPrefix(status, head+" lib/a") || strings.Count(status, "\n") > 0 {
		t.Errorf("submodules %q, %v", status, err)
	}
	if status, err := Git(t.Context(), tree, nil, "status", "--short"); err != nil || status != "" {
		t.Errorf("status %q, %v", status, err)
	}
}

func TestMayBeCode(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{"    a = 1;": true, "  }": false, "": false, "// a": false, "   * a": false, "import {A} from \"a\";": false, "return;": true} {
		if got := MayBeCode(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
