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

// TestFindStrangers: the tool of a stranger's project that belongs to root runs in a copy, as a
// user without rights; git's folder is not part of it, and the project stays as it is.
func TestFindStrangers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change the user")
	}
	folder, err := os.MkdirTemp("", "sightline-test-") // as folders for temporary files are: every user may pass
	if err := errors.Join(err, os.Chmod(folder, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	t.Setenv("TMPDIR", folder)
	root := t.TempDir() // root's alone
	if err := os.CopyFS(root, os.DirFS(fixture("foundry"))); err != nil {
		t.Fatal(err)
	}
	seen := filepath.Join(t.TempDir(), "seen") // nor is this anybody's
	err = errors.Join(os.Rename(filepath.Join(root, "out"), filepath.Join(root, "kept")),
		os.Mkdir(filepath.Join(root, ".git"), 0o755), os.WriteFile(filepath.Join(root, ".git", "config"), []byte("secret"), 0o644),
		os.Symlink("kept", filepath.Join(root, "link")), os.Symlink(seen, filepath.Join(root, "outward")))
	if err != nil {
		t.Fatal(err)
	}
	install(t, root, "forge", `echo "$(id -u) $(id -u -n 2>/dev/null) $PWD $(ls -A | tr '\n' ' ') $(stat -c %U src) $(readlink link)" >&2
echo x > src/Planted.sol || echo "cannot write" >&2
echo x > `+filepath.Join(root, "written")+` 2>/dev/null; echo x > `+seen+` 2>/dev/null
[ -w "$HOME" ] && [ -O "$HOME" ] && echo "home is its own" >&2
while [ "$1" != --out ]; do shift; done; exit 1`)
	_, err = findIn(t, root, func(o *FindOptions) { o.Strangers = true })
	if err == nil {
		t.Fatal("a failing tool is not an error")
	}
	said := err.Error()
	for _, want := range []string{"65533 ", "home is its own", " kept"} {
		if !strings.Contains(said, want) {
			t.Errorf("it lacks %q: %s", want, said)
		}
	}
	for _, never := range []string{".git", root + " ", "cannot write"} {
		if strings.Contains(said, never) {
			t.Errorf("it has %q: %s", never, said)
		}
	}
	for _, path := range []string{filepath.Join(root, "written"), filepath.Join(root, "src", "Planted.sol"), seen} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	install(t, root, "forge", `while [ "$1" != --out ]; do shift; done; cp -R kept "$2"`)
	if found, err := findIn(t, root, func(o *FindOptions) { o.Strangers = true }); err != nil || len(found.Outputs) == 0 {
		t.Errorf("%v, %v", found, err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "sightline-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
