package pipeline

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
	"github.com/sightline-evm/sightline/report"
)

const meter = "// SPDX-License-Identifier: MIT\npragma solidity 0.8.30;\n\ncontract Meter {\n    uint256 public total;\n    uint256 public last;\n\n" +
	"    function spend(uint256 x) external {\n        total += x;\n        assert(x != 1234);\n    }\n}\n"

const meterDiff = `--- a/src/Meter.sol
+++ b/src/Meter.sol
@@ -6,6 +6,7 @@
     uint256 public last;
 
     function spend(uint256 x) external {
+        last = x;
         total += x;
         assert(x != 1234);
     }
`

// fuzzMeter runs the job on meterDiff, with a build of the base that has no standard-JSON
// input, and so no text of any source.
func fuzzMeter(t *testing.T, base string) *report.Report {
	t.Helper()
	root := t.TempDir()
	head := strings.Replace(meter, "        total += x;\n", "        last = x;\n        total += x;\n", 1)
	if err := os.Mkdir(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"src/Meter.sol": head, "pr.diff": meterDiff} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, headBuild := testbuild.Write(t, root, "head", "0.8.30", map[string]string{"src/Meter.sol": head}, nil)
	input, baseBuild := testbuild.Write(t, root, "base", "0.8.30", map[string]string{"src/Meter.sol": base}, nil)
	if err := os.Remove(input); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), &Options{
		Change:   change.Options{Root: root, Diff: filepath.Join(root, "pr.diff"), Builds: []string{headBuild}, BaseBuilds: []string{baseBuild}},
		Campaign: Campaign{Calls: 3_000, Workers: 1, Schedule: fuzzer.Lookahead.Name},
		Gate:     Gate{FailOn: "high"},
		Output:   Output{Dir: filepath.Join(root, "out")},
		Now:      time.Now, Log: progress.NewLog(io.Discard, time.Now),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 {
		t.Fatalf("%d findings, want one: %v", len(r.Findings), r.Warnings)
	}
	return r
}

// TestBaseWithoutTexts: texts that the base's build lacks are taken from the diff, read
// backwards. What is said of the base's build when it is read late is in the report.
func TestBaseWithoutTexts(t *testing.T) {
	r := fuzzMeter(t, meter)
	if f := r.Findings[0]; f.Comparison != report.PreExisting || r.Verdict != report.Pass {
		t.Errorf("%s: %s (%s), want pre-existing", r.Verdict, f.Comparison, f.ComparisonReason)
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "base.output.json does not say its settings") }) {
		t.Errorf("warnings %q: nothing about the base's build", r.Warnings)
	}
}

// TestBaseOfOtherTexts: where the base's build was made of another text than the diff
// gives, nothing is called introduced. What its code does in the same calls is known.
func TestBaseOfOtherTexts(t *testing.T) {
	r := fuzzMeter(t, "// A line that the diff does not know.\n"+meter)
	if f := r.Findings[0]; f.Comparison != report.PreExisting {
		t.Errorf("%s (%s), want pre-existing", f.Comparison, f.ComparisonReason)
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "base.output.json has no text of src/Meter.sol") }) {
		t.Errorf("warnings %q: nothing about the missing text", r.Warnings)
	}
}
