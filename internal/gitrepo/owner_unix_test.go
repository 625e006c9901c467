//go:build unix

package gitrepo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwner: git runs as the user whose checkout it is, not as root, except where it fetches
// with a credential, which it does without the checkout.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root can be another user
	}
	made, base, _ := made(t)
	place, err := os.MkdirTemp("/tmp", "owner-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(place) })
	dir := filepath.Join(place, "checkout")
	err = errors.Join(os.Chmod(place, 0o755), exec.Command("cp", "-a", made, dir).Run()) // names need not be UTF-8
	err = errors.Join(err, filepath.WalkDir(dir, func(file string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(file, 12345, 12345))
	}))
	tools := filepath.Join(place, "tools")
	log := filepath.Join(tools, "log")
	err = errors.Join(err, os.Mkdir(tools, 0o755), os.WriteFile(log, nil, 0o600), os.Chmod(log, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	fakeGit(t, tools, log)
	r := open(t, dir)
	if _, err := r.Commit(t.Context(), base); err != nil {
		t.Fatal(err)
	}
	for _, tree := range []bool{false, true} {
		if _, err := r.Run(t.Context(), Call{Args: []string{"rev-parse", "HEAD"}, Tree: tree, Limit: 100}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count("\n"+string(text), "\n12345\n"); n != 4 {
		t.Errorf("git ran %d times as the owner, want 4:\n%s", n, text)
	}
}
