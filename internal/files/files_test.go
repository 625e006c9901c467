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
