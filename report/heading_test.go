package report

import (
	"strings"
	"testing"
)

// Why the verdict is what it is can be read at the top, whatever decided it.
func TestHeading(t *testing.T) {
	lines := []Line{{File: "a.sol", Line: 1, Status: Reached}, {File: "a.sol", Line: 2, Status: Unreached}}
	bug := Finding{ID: "SL-1", Severity: "high", Novelty: Introduced}
	old := Finding{ID: "SL-2", Severity: "high", Novelty: PreExisting}
	for name, c := range map[string]struct {
		r    Report
		want string
	}{
		"finding":           {Report{Verdict: Fail, FailOn: "high", Findings: []Finding{bug}, Lines: lines, Reason: "1 at or above high"}, "### ❌ 1 introduced bug · 1 of 2 changed lines reached\n\n**"},
		"condition":         {Report{Verdict: Fail, FailOn: "high", Lines: lines, Reason: "reached is 50%"}, "### ❌ Gate failed · 1 of 2 changed lines reached\n\nReached is 50%.\n"},
		"condition and old": {Report{Verdict: Fail, FailOn: "high", Findings: []Finding{old}, Lines: lines, Reason: "reached is 50%"}, "### ❌ 1 pre-existing bug · 1 of 2 changed lines reached\n\nReached is 50%.\n"},
		"no diff":           {Report{Verdict: Error, FailOn: "high", Reason: "the diff is unavailable"}, "### 🛑 Could not fuzz\n\nThe diff is unavailable.\n"},
		"pass":              {Report{Verdict: Pass, FailOn: "high", Lines: lines, Reason: "no finding"}, "### ✅ No bug found · 1 of 2 changed lines reached\n\n|"},
	} {
		got := string(Summary(&c.r, Options{}))
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: it begins\n%.200s\nwant\n%s", name, got, c.want)
		}
	}
}
