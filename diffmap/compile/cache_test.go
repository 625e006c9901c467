package compile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// TestTrimCache: what was used last is kept, and nothing else than answers is removed.
func TestTrimCache(t *testing.T) {
	folder := t.TempDir()
	begin := time.Now().Add(-time.Hour)
	for i, name := range []string{"a.json", "solc-version", "b.json", "c.json"} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(`"`+strings.Repeat("x", 8)+`"`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, begin, begin.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := readCached(filepath.Join(folder, "a.json"), reading.Limits{}.WithDefaults()); !ok {
		t.Fatal("it is not read")
	}
	trimCache(folder, 25) // two answers of 10 bytes
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if got := strings.Join(left, " "); got != "a.json c.json solc-version" {
		t.Error(got)
	}
}
