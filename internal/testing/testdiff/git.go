package testdiff

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Files makes the diff of two texts with real git, as two versions of
// file name.
func Files(t testing.TB, name string, old, head []byte, options ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	for folder, text := range map[string][]byte{"old": old, "new": head} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Git(t, dir, append(options, "old/"+name, "new/"+name)...)
}

// Git runs git diff --no-index in a folder.
func Git(t testing.TB, dir string, arguments ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "core.autocrlf=false", "-c", "core.quotePath=false", "diff", "--no-index", "--no-color"}, arguments...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: they differ
		t.Fatalf("git diff: %v", err)
	}
	return out
}
