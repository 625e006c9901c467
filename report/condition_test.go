package report

import (
	"strings"
	"testing"
)

// TestCondition: every form of a report says what a finding takes.
func TestCondition(t *testing.T) {

	r := &Report{FailOn: "high", Lines: []Line{{Status: Reached}}, Stats: Stats{Executions: 1, Calls: 5}, Findings: []Finding{{
		ID: "SL-1234", Oracle: "assertion", Severity: "high", Comparison: Introduced, Title: "An assertion fails, if the owner calls",
		Message: "assert fails (Panic 0x01)", Condition: "if the owner calls", Location: Place{File: "src/A.sol", Line: 3}, Sequence: []Step{{Sender: "deployer", Call: "a.f()"}},
	}}}
	Decide(r)
	for name, form := range rendered(t, r, Options{}) {
		text := strings.NewReplacer("`", "", `\`, "").Replace(string(form))
		if !strings.Contains(text, "if the owner calls") {
			t.Errorf("%s does not show the condition:\n%s", name, text)
		}
	}
	if said := (&Finding{Title: "An assertion fails, if the owner calls", Condition: "if the owner calls"}).said(); said != "An assertion fails, if the owner calls" {
		t.Errorf("without a message it says %q", said)
	}
}
