package forge

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestReadCoverage reads a tracefile, and none that is not one.
func TestReadCoverage(t *testing.T) {
	c, err := ReadCoverage([]byte("TN:\nSF:src/A.sol\nFN:1,A.f\nDA:1,3\nDA:2,0\nBRDA:1,0,0,1\nend_of_record\nSF:src/B.sol\nDA:1,1\nend_of_record\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := map[Place]int{{"src/A.sol", 1}: 3, {"src/A.sol", 2}: 0, {"src/B.sol", 1}: 1}; !maps.Equal(c.Hits, want) {
		t.Errorf("hits %v", c.Hits)
	}
	if want := map[Place]bool{{"src/A.sol", 1}: true}; !maps.Equal(c.Functions, want) {
		t.Errorf("functions %v", c.Functions)
	}
	for _, bad := range []string{"", "SF:src/A.sol\nDA:x,1\nend_of_record\n"} {
		if _, err := ReadCoverage([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestHome puts compilers where forge looks for them.
func TestHome(t *testing.T) {
	modules, home := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(modules, "solc-0.8.30"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(modules, "solc-0.8.30", "soljson.js"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Home(home, modules); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(home, ".svm", "0.8.30", "solc-0.8.30")); err != nil {
		t.Error(err)
	}
}
