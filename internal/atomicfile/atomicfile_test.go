package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "file")
	for _, text := range []string{"first", "second"} {
		if err := Write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// A file that cannot be replaced stays, and no temporary file remains.
	if err := os.MkdirAll(filepath.Join(folder, "taken", "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(folder, "taken"), nil); err == nil {
		t.Error("a folder was replaced")
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}
