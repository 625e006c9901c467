package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestGitOwner: a checkout that belongs to another user is read, and so are its
// submodules.
func TestGitOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dep := newRepo(t)
	dep.write("A.sol", "a\n")
	dep.commit()
	r := newRepo(t)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dep.dir, "lib/dep")
	base := r.commit()
	inner := &repo{t, filepath.Join(r.dir, "lib/dep")}
	inner.write("A.sol", "b\n")
	inner.commit()
	err := filepath.WalkDir(r.dir, func(file string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(file, 12345, 12345))
	})
	if err != nil {
		t.Fatal(err)
	}
	g := r.reader()
	d, err := g.Diff(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	if inside, problems := g.InSubmodules(t.Context(), d); len(problems) > 0 || len(inside.Files) != 1 {
		t.Errorf("%d files, %q", len(inside.Files), problems)
	}
}
