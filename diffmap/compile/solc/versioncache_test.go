package solc

import (
	"os"
	"path/filepath"
	"testing"
)

// TestVersionCache asks a soljson file for its version once, and again when the file
// or what is remembered of it is another.
func TestVersionCache(t *testing.T) {
	t.Parallel()
	folder, cache := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, "soljson.js")
	open := func() string {
		t.Helper()
		c, err := openCompiler(t.Context(), file, Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		return c.Version()
	}
	install := func(version string) {
		t.Helper()
		// Asking is seen by the process's own id: each run of node has another.
		text := `exports._solidity_version = () => {}; exports.cwrap = () => () => '` + version + `+commit.' + process.pid.toString(16).padStart(8, '0');`
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	install("0.8.1")
	first := open()
	if again := open(); again != first {
		t.Errorf("asked twice: %s, %s", first, again)
	}
	install("0.8.2")
	if other := open(); other[:5] != "0.8.2" {
		t.Errorf("another file: %s", other)
	}
	install("0.8.1")
	kept, err := filepath.Glob(filepath.Join(cache, "solc-*"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("%v %v", kept, err)
	}
	for _, name := range kept {
		if err := os.WriteFile(name, []byte("no version"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if spoilt := open(); spoilt[:5] != "0.8.1" || spoilt == first {
		t.Errorf("a spoilt memory: %s, first %s", spoilt, first)
	}
}
