package forge

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestHomeTwice makes one home several times at once, as benchmarks do that run side by side.
func TestHomeTwice(t *testing.T) {
	t.Parallel()
	modules, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	versions := []string{"0.6.12", "0.8.30"}
	for _, version := range versions {
		folder := filepath.Join(modules, "solc-"+version)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "soljson.js"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wait.Go(func() { _, errs[i] = Home(home, modules) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	for _, version := range versions {
		info, err := os.Stat(filepath.Join(home, ".svm", version, "solc-"+version))
		if err != nil || info.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s: %v, %v", version, info, err)
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("%v, %v: other files than compilers", left, err)
	}
}
