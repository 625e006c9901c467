package report

import (
	"encoding/json"
	"testing"
)

// TestDeprecated: findings and targets are written with the earlier names of their fields, and those are not read.
func TestDeprecated(t *testing.T) {
	r := load(t, "fail")
	r.Findings[0].Comparison, r.Findings[0].ComparisonReason = PreExisting, "it breaks there"
	r.Findings[0].Release, r.Findings[0].ReleaseReason = ReleaseAbsent, "it reverts there"
	r.Targets[0].Release, r.Targets[0].ReleaseReason, r.Targets[0].Setup = ReleaseUnknown, "no release build", "VaultTest.setUp()"
	data := encodeReport(t, r, false)
	if r.Findings[0].DeprecatedFinding != nil || r.Targets[0].DeprecatedTarget != nil {
		t.Error("the report was changed")
	}
	var written struct{ Findings, Targets []map[string]any }
	if err := json.Unmarshal(data, &written); err != nil {
		t.Fatal(err)
	}
	of := map[string]map[string]any{"findings": written.Findings[0], "targets": written.Targets[0]}
	for _, f := range renamed {
		if fields, ok := of[f.in]; ok && (fields[f.new] == nil || fields[f.old] != fields[f.new]) {
			t.Errorf("%s: %s is %v, and %s %v", f.in, f.new, fields[f.new], f.old, fields[f.old])
		}
	}

	back, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if back.Findings[0].DeprecatedFinding != nil || back.Targets[0].DeprecatedTarget != nil {
		t.Error("fields with earlier names are read")
	}
}
