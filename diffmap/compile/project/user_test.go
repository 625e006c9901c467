package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindUser: where we are root a project's tool runs as the project's owner, who
// can write it, has a home, and cannot read our environment.
func TestFindUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change the user")
	}
	const owner = 12345 // nobody that a system knows
	t.Setenv("HOME", t.TempDir())
	root, err := os.MkdirTemp("", "sightline-test-") // t.TempDir() is root's alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if err := os.CopyFS(root, os.DirFS(fixture("foundry"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, "out"), filepath.Join(root, "kept")); err != nil {
		t.Fatal(err)
	}
	install(t, root, "forge", `id -u > seen; echo "$HOME" >> seen; [ -w "$HOME" ] && echo writable >> seen
cat /proc/$PPID/environ > /dev/null 2>&1 && echo readable >> seen
while [ "$1" != --out ]; do shift; done; cp -R kept "$2"`)
	err = filepath.WalkDir(root, func(file string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(file, owner, owner))
	})
	if err := errors.Join(err, os.Chmod(root, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := findIn(t, root, nil); err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(filepath.Join(root, "seen"))
	if want := "12345\n" + os.TempDir() + "\nwritable\n"; err != nil || string(seen) != want {
		t.Errorf("got %q, %v; want %q", seen, err, want)
	}
	// A home of the user's own stays; so does all of a project that is root's.
	home := filepath.Join(root, "src")
	t.Setenv("HOME", home)
	if _, err := findIn(t, root, nil); err != nil {
		t.Fatal(err)
	}
	if seen, err := os.ReadFile(filepath.Join(root, "seen")); err != nil || !strings.HasPrefix(string(seen), "12345\n"+home+"\n") {
		t.Errorf("got %q, %v", seen, err)
	}
	if err := os.Chown(root, 0, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := findIn(t, root, nil); err != nil {
		t.Fatal(err)
	}
	if seen, err := os.ReadFile(filepath.Join(root, "seen")); err != nil || !strings.HasPrefix(string(seen), "0\n"+home+"\n") {
		t.Errorf("got %q, %v", seen, err)
	}
}
