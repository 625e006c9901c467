package evm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/testforge"
)

// TestForge: forge says of each function of the test contracts what their names say, and
// so what [TestCheatcodes] holds our machines to.
func TestForge(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(cheatsFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string][]byte{}
	for _, file := range files {
		if sources[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	tests := 0
	for contract, results := range testforge.Test(t, sources) {
		for name, result := range results {
			tests++
			if passed := result.Status == "Success"; passed == strings.HasPrefix(name, "testBad") {
				t.Errorf("%s %s: %s %s", contract, name, result.Status, result.Reason)
			}
		}
	}
	if want := len(cheatTests(t)); tests != want {
		t.Errorf("forge ran %d functions, we run %d", tests, want)
	}
}
