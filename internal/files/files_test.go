package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadBounded: what is larger than the limit is refused, also where no size is known.
func TestReadBounded(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadBounded(file, 5); err != nil || string(text) != "12345" {
		t.Errorf("%q, %v", text, err)
	}
	for path, want := range map[string]string{
		file: "it has 5 bytes; the limit is 4", dir: "it is a folder", filepath.Join(dir, "missing"): "no such file",
	} {
		if text, err := ReadBounded(path, 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %q", path, text, err, want)
		}
	}
	if text, err := ReadBounded("/dev/zero", 4); err == nil {
		t.Errorf("a device without end: %d bytes", len(text))
	}
}

// TestBelow: links lead neither out, nor to hidden files, nor into .git; hidden files that are
// asked for by their own names are read by Below, not by Visible.
func TestBelow(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "root")
	for name, text := range map[string]string{"secret": "s", "root/a/b.sol": "b", "root/.env": "e", "root/.git/config": "g", "root/.deps/c.sol": "c"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"link.sol": "a/b.sol", "folder": "a", "out": "../secret", "absolute": filepath.Join(inside, "a", "b.sol"), "env.sol": ".env",
		"git.sol": "a/../.git/config", "dotgit": ".git", "loop": "loop", "a/up.sol": "../folder/b.sol",
	} {
		if err := os.Symlink(to, filepath.Join(inside, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, below, visible string }{ // empty: an error
		{"a/b.sol", "b", "b"}, {"link.sol", "b", "b"}, {"folder/b.sol", "b", "b"}, {"a/up.sol", "b", "b"}, {"a/../a/./b.sol", "b", "b"},
		{".env", "e", ""}, {".deps/c.sol", "c", ""},
		{"out", "", ""}, {"absolute", "", ""}, {"env.sol", "", ""}, {"git.sol", "", ""}, {"dotgit/config", "", ""}, {".git/config", "", ""},
		{"loop", "", ""}, {"../secret", "", ""}, {"a", "", ""}, {"missing", "", ""}, {"/etc/passwd", "", ""}, {"a/b.sol/c", "", ""},
	} {
		for i, read := range []func(string) ([]byte, error){Below(inside), Visible(inside)} {
			want := []string{c.below, c.visible}[i]
			if got, err := read(c.name); string(got) != want || (err == nil) != (want != "") {
				t.Errorf("%s, reader %d: %q, %v; want %q", c.name, i, got, err, want)
			}
		}
	}
}

// TestOpenFolder: below the working directory, no link is followed; elsewhere, the caller's
// word counts.
func TestOpenFolder(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	for name, to := range map[string]string{"link": elsewhere, "inner": "real"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"new/folder": true, ".": true, filepath.Join(dir, "absolute"): true, filepath.Join(elsewhere, "x", "y"): true, "a/../b": true,
		"link": false, "link/x": false, "inner": false, "inner/x": false, "file": false, "file/x": false, filepath.Join(dir, "link"): false,
	} {
		folder, err := OpenFolder(name, true)
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			folder.Close()
		}
	}
	if _, err := OpenFolder("nowhere", false); !os.IsNotExist(err) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
