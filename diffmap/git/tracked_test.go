package git

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTracked: what git knows is told from what lies beside it, also through links and in
// submodules.
func TestTracked(t *testing.T) {
	dep := newRepo(t)
	dep.write("A.sol", "a\n")
	dep.commit()
	r := newRepo(t)
	r.write("out/a.json", "{}")
	r.write("fixtures/c.json", "{}")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dep.dir, "lib/dep")
	for name, target := range map[string]string{"link": "elsewhere", "top": "."} {
		if err := os.Symlink(target, filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r.commit()
	r.write("out/b.json", "{}")
	r.write("elsewhere/d.json", "{}")
	r.write("lib/dep/out/e.json", "{}")
	r.write("staged/f.json", "{}")
	r.git("add", "staged")
	r.git("rm", "--quiet", "--cached", "fixtures/c.json")
	if err := os.Symlink("fixtures", filepath.Join(r.dir, "untracked")); err != nil {
		t.Fatal(err)
	}
	tracked, err := r.reader().Tracked(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]bool{
		"out/a.json": true, "out/b.json": false, "link/d.json": true, "elsewhere/d.json": false, "top/out/a.json": true, "top/out/b.json": true,
		"lib/dep/out/e.json": true, "staged/f.json": true, "fixtures/c.json": true, "untracked/c.json": true, "missing.json": false,
	} {
		if got := tracked(filepath.Join(r.dir, filepath.FromSlash(file))); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
	if tracked(filepath.Join(t.TempDir(), "x.json")) {
		t.Error("a file elsewhere is tracked")
	}
}
