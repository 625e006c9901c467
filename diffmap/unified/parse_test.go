package unified_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

func TestParseDiffGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/diff/*.diff")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".diff"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if d, err := unified.Parse(data, unified.Limits{}); err != nil {
				got = "error: " + err.Error() + "\n"
			} else {
				got = testdiff.List(d)
			}
			golden.Check(t, strings.TrimSuffix(file, ".diff")+".out", got)
		})
	}
}
