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
	users := []Unread{{File: "b.sol", Reason: "it uses a", Unchanged: true}, {File: "c.sol", Reason: "it uses a", Unchanged: true}}
	bug := Finding{ID: "SL-1", Severity: "high", Comparison: Introduced}
	old := Finding{ID: "SL-2", Severity: "high", Comparison: PreExisting}
	faint := Finding{ID: "SL-3", Severity: "low", Comparison: PreExisting}
	unused := Line{File: "a.sol", Line: 9, Status: NoBytecode, Unused: true, Reason: "internal function f is called by no deployable contract"}
	mock := Line{File: "m.sol", Line: 1, Status: Unreached, Aside: "mock"}
	undeployed := []Undeployed{{Contract: "a.sol:Vault", Reason: "it reverts", Holds: []string{"2 properties"}}, {Contract: "a.sol:Other", Reason: "it is abstract"}}
	most := 0.8
	for name, c := range map[string]struct {
		r    Report
		want string
	}{
		"finding":           {Report{Verdict: Fail, FailOn: "high", Findings: []Finding{bug}, Lines: lines, Reason: "1 at or above high"}, "### ❌ 1 introduced bug · 1 of 2 changed lines reached\n\n**"},
		"condition":         {Report{Verdict: Fail, FailOn: "high", Lines: lines, Reason: "reached is 50%"}, "### ❌ Gate failed · 1 of 2 changed lines reached\n\nReached is 50%.\n"},
		"condition and old": {Report{Verdict: Fail, FailOn: "high", Findings: []Finding{old}, Lines: lines, Reason: "reached is 50%"}, "### ❌ 1 pre-existing bug · 1 of 2 changed lines reached\n\nReached is 50%.\n"},
		"no diff":           {Report{Verdict: Error, FailOn: "high", Reason: "the diff is unavailable"}, "### 🛑 Could not fuzz\n\nThe diff is unavailable.\n"},
		"pass":              {Report{Verdict: Pass, FailOn: "high", Lines: lines}, "### ✅ 1 of 2 changed lines reached, nothing broke\n\n|"},
		"few":               {Report{Verdict: Pass, FailOn: "high", Lines: of(Reached, Unreached, Unmapped)}, "### ⚠️ Only 1 of 3 changed lines reached · 1 unreached\n\n1 unreached.\n"},
		"few, for reasons": {Report{Verdict: Pass, FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: Reached}, {File: "a.sol", Line: 2, Status: Unreached, Reason: "why"}, {File: "a.sol", Line: 3, Status: Unmapped},
			{File: "a.sol", Line: 4, Status: Unreached, Reason: "of that"}, {File: "a.sol", Line: 5, Status: Unreached, Reason: "of that"}}}, "### ⚠️ Only 1 of 5 changed lines reached · 3 unreached\n\n3 unreached, 2 of them: of that.\n"},
		"few, each for one": {Report{Verdict: Pass, FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: Reached}, {File: "a.sol", Line: 2, Status: Unmapped, Reason: "assembly"},
			{File: "a.sol", Line: 3, Status: Unreached, Reason: "why"}, {File: "a.sol", Line: 4, Status: Unreached, Reason: "of that"}}}, "### ⚠️ Only 1 of 4 changed lines reached · 2 unreached\n\n2 unreached, 1 of them: why.\n"},
		"harness":          {Report{Verdict: Pass, FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: Reached, Harness: true}}}, "### ⚠️ 1 of 1 changed line reached, all through generated harnesses, where failures are not findings\n\n"},
		"some harness":     {Report{Verdict: Pass, FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: Reached, Harness: true}, {File: "a.sol", Line: 2, Status: Reached}, {File: "a.sol", Line: 3, Status: Unreached, Harness: true}}}, "### ⚠️ 2 of 3 changed lines reached, 1 of them only through generated harnesses, where failures are not findings\n\n|"},
		"few can be":       {Report{Verdict: Pass, FailOn: "high", Lines: of(Reached, Unreachable, Unreachable)}, "### ✅ 1 of 3 changed lines reached, nothing broke\n\n|"},
		"none":             {Report{Verdict: Pass, FailOn: "high", Lines: of(Unreached), Reason: "nothing"}, "### ⚠️ Nothing reached: 0 of 1 changed line\n\nNothing.\n"},
		"few calls":        {Report{Verdict: Pass, FailOn: "high", Lines: lines, Stats: Stats{Calls: 56}}, "### ⚠️ 1 of 2 changed lines reached, nothing broke in 56 calls\n\n|"},
		"old finding":      {Report{Verdict: Pass, FailOn: "high", Lines: lines, Findings: []Finding{old}}, "### ⚠️ 1 pre-existing bug · gate passed · 1 of 2 changed lines reached\n\n"},
		"old faint":        {Report{Verdict: Pass, FailOn: "high", Lines: lines, Findings: []Finding{faint}}, "### ✅ 1 of 2 changed lines reached, nothing new broke · 1 pre-existing finding\n\n"},
		"old faint, few":   {Report{Verdict: Pass, FailOn: "high", Lines: of(Reached, Unreached, Unmapped), Findings: []Finding{faint}}, "### ⚠️ Only 1 of 3 changed lines reached · 1 unreached · 1 pre-existing finding\n\n"},
		"old, one faint":   {Report{Verdict: Pass, FailOn: "high", Lines: lines, Findings: []Finding{old, faint}}, "### ⚠️ 1 pre-existing bug, 1 pre-existing finding · gate passed · 1 of 2 changed lines reached\n\n"},
		"new and faint":    {Report{Verdict: Pass, FailOn: "high", Lines: lines, Findings: []Finding{{ID: "SL-4", Severity: "low", Comparison: Introduced}, faint}}, "### ⚠️ 1 introduced finding, 1 pre-existing finding · gate passed · 1 of 2 changed lines reached\n\n"},
		"part unread":      {Report{Verdict: Pass, FailOn: "high", Lines: lines, Unread: unread(false), Reason: "x"}, "### ⚠️ 1 of 2 changed lines reached, nothing broke · 1 changed file was not looked at\n\n1 changed file was not looked at: a.inc (it is hidden).\n"},
		"users unread":     {Report{Verdict: Pass, FailOn: "high", Lines: lines, Unread: append(unread(false), users...), Reason: "x"}, "### ⚠️ 1 of 2 changed lines reached, nothing broke · 1 changed file, and 2 users of what changed, were not looked at\n\n1 changed file, and 2 users of what changed, were not looked at: a.inc (it is hidden) (and 2 more).\n"},
		"user unread":      {Report{Verdict: Pass, FailOn: "high", Lines: lines, Unread: users[:1], Reason: "x"}, "### ⚠️ 1 of 2 changed lines reached, nothing broke · 1 user of what changed was not looked at\n\n1 user of what changed was not looked at: b.sol (it uses a).\n"},
		"hidden":           {Report{Verdict: Error, FailOn: "high", Lines: lines, Unread: unread(true), Reason: "x"}, "### 🛑 Not all of the change was looked at · 1 of 2 changed lines reached\n\nX.\n"},
		"all hidden":       {Report{Verdict: Error, FailOn: "high", Unread: unread(true), Reason: "x"}, "### 🛑 Could not fuzz\n\nX.\n"},
		"comments":         {Report{Verdict: Skipped, Lines: of(NoBytecode), Reason: "x"}, "### ⏭️ Nothing to fuzz: x\n\n<details>"},
		"unused":           {Report{Verdict: Skipped, Lines: []Line{{File: "a.sol", Line: 1, Status: NoBytecode, Unused: true}}, Reason: "x"}, "### ⚠️ X\n\n|"},
		"some unused":      {Report{Verdict: Pass, Lines: append(of(Reached, Reached), unused)}, "### ⚠️ 2 of 3 changed lines reached, nothing broke · 1 not fuzzed\n\n1 not fuzzed: internal function f is called by no deployable contract.\n"},
		"in part":          {Report{Verdict: Pass, Lines: []Line{{File: "a.sol", Line: 1, Status: Reached, Partly: []string{"f()"}}}}, "### ✅ 1 of 1 changed line reached (1 in part), nothing broke\n\n|"},
		"missing":          {Report{Verdict: Pass, Lines: lines, World: World{Undeployed: undeployed}}, "### ⚠️ 1 of 2 changed lines reached, nothing broke · `Vault` not deployed\n\nVault (2 properties) could not be deployed: it reverts.\n"},
		"finding, missing": {Report{Verdict: Fail, FailOn: "high", Findings: []Finding{bug}, Lines: lines, World: World{Undeployed: undeployed}}, "### ❌ 1 introduced bug · 1 of 2 changed lines reached · `Vault` not deployed\n\nVault (2 properties) could not be deployed: it reverts.\n"},
		"apart":            {Report{Verdict: Pass, Lines: append(of(Reached), mock)}, "### ✅ 1 of 1 changed line reached, nothing broke\n\nCounted apart, in mocks: 0 of 1 changed line reached.\n"},
		"only apart":       {Report{Verdict: Pass, Lines: []Line{mock}, Reason: "nothing"}, "### ⚠️ Nothing reached: 0 of 1 changed line\n\nNothing.\n"},
		"share":            {Report{Verdict: Pass, Lines: of(Reached, Reached, Unmapped), MinReached: &most}, "### ⚠️ Only 2 of 3 changed lines reached · 1 not mapped\n\n1 not mapped.\n"},
		"unread":           {Report{Verdict: Skipped, Unread: unread(false), Reason: "x"}, "### ⚠️ Nothing was fuzzed\n\nX.\n"},
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

// What was there before and matters little is read by who unfolds it, and does not take the place of what the change brings.
func TestFaintFindings(t *testing.T) {
	r := Report{Verdict: Pass, FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: Reached}}, Findings: []Finding{
		{ID: "SL-1", Severity: "low", Oracle: "failing-test", Message: "it fails", Comparison: PreExisting, Function: "f", Location: Place{Contract: "src/Vault.sol:Vault", File: "src/Vault.sol", Line: 3}},
		{ID: "SL-2", Severity: "medium", Oracle: "guard-lost", Message: "it is gone", Comparison: Introduced},
		{ID: "SL-3", Severity: "medium", Oracle: "unchecked-call", Message: "it is not paid", Comparison: PreExisting},
	}}
	comment := string(Comment(&r, Options{}))
	for _, want := range []string{
		"<details><summary><code>SL-1</code> · low · failing-test in <code>Vault.f</code>: it fails · pre-existing</summary>",
		"\n**`SL-2` · medium · guard-lost**", "\n**`SL-3` · medium · unchecked-call**",
	} {
		if !strings.Contains(comment, want) {
			t.Errorf("the comment does not have %q:\n%s", want, comment)
		}
	}
	if summary := string(Summary(&r, Options{})); !strings.Contains(summary, "\n**`SL-1` · low · failing-test**") {
		t.Errorf("the summary folds it away:\n%s", summary)
	}
}
