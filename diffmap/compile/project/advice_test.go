package project

import (
	"os"
	"path/filepath"
	"testing"
)

// TestEmptySubmodule: the advice names the submodule that the import is in.
func TestEmptySubmodule(t *testing.T) {
	root := t.TempDir()
	text := "[submodule \"a\"]\n\tpath = lib/a\n[submodule \"b\"]\n\tpath = lib/b\n[submodule \"full\"]\n\tpath = lib/full\n"
	if err := os.WriteFile(filepath.Join(root, ".gitmodules"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "lib", "full", "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	for missing, want := range map[string]string{"": "lib/a", "lib/b/src/B.sol": "lib/b", "b/B.sol": "lib/b", "full/F.sol": "lib/a", "@other/bb/B.sol": "lib/a"} {
		if got := emptySubmodule(root, missing); got != want {
			t.Errorf("%q: %q, want %q", missing, got, want)
		}
	}
}
