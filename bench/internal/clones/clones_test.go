package clones

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	list, err := Commits(t.Context(), clone, 5)
	if err != nil || len(list) != 1 || list[0].Head != head || list[0].Subject != "second" {
		t.Fatalf("%+v, %v", list, err)
	}
	check := func(left int) {
		t.Helper()
		tree := filepath.Join(t.TempDir(), "tree")
		base, n, err := list[0].CheckOut(t.Context(), tree)
		if err != nil || n != left {
			t.Fatalf("%d left out, %v", n, err)
		}
		changed, err := ChangedLines(t.Context(), tree, base)
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
		if _, err := Git(t.Context(), tree, nil, arguments...); err != nil {
			t.Fatal(err)
		}
	}
	missing, err := Submodules(context.Background(), tree, []string{library}, map[string]string{"kept": filepath.Join(library, "src")})
	if err != nil || !slices.Equal(missing, []string{"lib/c"}) {
		t.Errorf("missing %q, %v", missing, err)
	}
	for _, file := range []string{"lib/a/src/A.sol", "lib/b/A.sol"} {
		if _, err := os.Stat(filepath.Join(tree, file)); err != nil {
			t.Error(err)
		}
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
