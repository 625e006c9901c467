// Package testfiles writes, copies and packs folders for tests, and finds what ./test
// installs.
package testfiles

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// NodeModules is the folder of node packages that ./test installs, symbolic links
// resolved.
func NodeModules(t testing.TB) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("the test does not run below the module's root")
		}
		root = filepath.Dir(root)
	}
	folder, err := filepath.EvalSymlinks(filepath.Join(root, ".cache", "npm", "node_modules"))
	if err != nil {
		t.Fatalf("%v: run ./test once, it installs the compilers and contracts that tests need", err)
	}
	return folder
}

// Main runs a package's tests without what, in the environment, would change which compiler
// is found.
func Main(m *testing.M) {
	for _, name := range []string{"SOLC", "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "FOUNDRY_PROFILE"} {
		_ = os.Unsetenv(name) // fails for no name without "="
	}
	m.Run() // the test binary exits with its result
}

// Write writes a file, in a folder that is made if need be.
func Write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Pack packs a folder into one text: a line "-- NAME --" before each file.
// (txtar's own reader panics on some texts.)
func Pack(t testing.TB, root string) []byte {
	t.Helper()
	var packed bytes.Buffer
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		fmt.Fprintf(&packed, "-- %s --\n%s\n", filepath.ToSlash(relative), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// Unpack writes an archive's files; false where that is not possible.
func Unpack(root string, text []byte) bool {
	files := bytes.Split(append([]byte("\n"), text...), []byte("\n-- "))[1:]
	for i, file := range files {
		name, text, _ := strings.Cut(string(file), " --\n")
		if i >= 20 || len(name) > 100 || !fs.ValidPath(name) || strings.ContainsRune(name, 0) {
			return false
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), 0o644) != nil {
			return false
		}
	}
	return true
}

// Copy makes a copy of a folder, to be changed.
func Copy(t testing.TB, folder string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return root
}
