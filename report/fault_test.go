package report

import (
	"strings"
	"testing"
)

// TestFault: every form of a report shows a fault, and those for people and programs name
// its file.
func TestFault(t *testing.T) {
	r := &Report{FailOn: "high", Lines: []Line{{Status: Reached}}, Stats: Stats{Calls: 5},
		Faults: []Fault{{Message: "the machines disagree", File: "faults/0123.json"}}}
	Decide(r)
	for name, form := range rendered(t, r, Options{}) {
		file := name == "sightline.sarif" || strings.Contains(string(form), "faults/0123.json")
		if text := string(form); !strings.Contains(text, "the machines disagree") || !file {
			t.Errorf("%s does not show the fault and its file:\n%s", name, text)
		}
	}
	if r.Verdict != Error {
		t.Errorf("verdict %v", r.Verdict)
	}
}
