package report

import (
	"strings"
	"testing"
)

// Why the verdict is what it is can be read at the top, whatever decided it.
func TestHeading(t *testing.T) {
	of := func(statuses ...string) []Line {
		var out []Line
		for i, status := range statuses {
			out = append(out, Line{File: "a.sol", Line: i + 1, Status: status})
		}
		return out
	}
	lines := of(Reached, Unreached)
	unread := func(blocks bool) []Unread { return []Unread{{File: "a.inc", Reason: "it is hidden", Blocks: blocks}} }
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
		"pass":              {Report{Verdict: Pass, FailOn: "high", Lines: lines}, "### ✅ 1 of 2 changed lines reached, nothing broke\n\n|"},
		"few":               {Report{Verdict: Pass, FailOn: "high", Lines: of(Reached, Unreached, Unmapped)}, "### ⚠️ Only 1 of 3 changed lines reached, nothing broke in them\n\n|"},
		"few can be":        {Report{Verdict: Pass, FailOn: "high", Lines: of(Reached, Unreachable, Unreachable)}, "### ✅ 1 of 3 changed lines reached, nothing broke\n\n|"},
		"none":              {Report{Verdict: Pass, FailOn: "high", Lines: of(Unreached), Reason: "nothing"}, "### ⚠️ Nothing reached: 0 of 1 changed line\n\nNothing.\n"},
		"few calls":         {Report{Verdict: Pass, FailOn: "high", Lines: lines, Stats: Stats{Calls: 56}}, "### ⚠️ 1 of 2 changed lines reached, nothing broke in 56 calls\n\n|"},
		"old finding":       {Report{Verdict: Pass, FailOn: "high", Lines: lines, Findings: []Finding{old}}, "### ⚠️ 1 pre-existing bug · gate passed · 1 of 2 changed lines reached\n\n"},
		"part unread":       {Report{Verdict: Pass, FailOn: "high", Lines: lines, Unread: unread(false), Reason: "x"}, "### ⚠️ 1 of 2 changed lines reached, nothing broke · 1 changed file was not looked at\n\nX.\n"},
		"hidden":            {Report{Verdict: Error, FailOn: "high", Lines: lines, Unread: unread(true), Reason: "x"}, "### 🛑 Not all of the change was looked at · 1 of 2 changed lines reached\n\nX.\n"},
		"all hidden":        {Report{Verdict: Error, FailOn: "high", Unread: unread(true), Reason: "x"}, "### 🛑 Could not fuzz\n\nX.\n"},
		"comments":          {Report{Verdict: Skipped, Lines: of(NoBytecode), Reason: "x"}, "### ⏭️ Nothing to fuzz\n\nX.\n"},
		"unused":            {Report{Verdict: Skipped, Lines: []Line{{File: "a.sol", Line: 1, Status: NoBytecode, Unused: true}}, Reason: "x"}, "### ⚠️ Nothing was fuzzed\n\nX.\n"},
		"unread":            {Report{Verdict: Skipped, Unread: unread(false), Reason: "x"}, "### ⚠️ Nothing was fuzzed\n\nX.\n"},
	} {
		got := string(Summary(&c.r, Options{}))
		if strings.Contains(got, "No bug") {
			t.Errorf("%s: it says that there is no bug:\n%s", name, got)
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: it begins\n%.200s\nwant\n%s", name, got, c.want)
		}
	}
}
