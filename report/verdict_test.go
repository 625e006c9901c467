package report

import (
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	lines := func(statuses ...string) []Line {
		var out []Line
		for i, s := range statuses {
			out = append(out, Line{File: "a.sol", Line: i + 1, Status: s})
		}
		return out
	}
	finding := func(severity, comparison string) Finding { return Finding{Severity: severity, Comparison: comparison} }
	ran := Stats{Executions: 1}
	fault := []Fault{{Message: "panic in a worker"}}
	for name, c := range map[string]struct {
		r             Report
		verdict, says string
	}{
		"empty diff":           {Report{FailOn: "high"}, Skipped, "the diff is empty"},
		"other files only":     {Report{FailOn: "high", Diff: Diff{Files: 1}}, Skipped, "no line of a contract"},
		"comments only":        {Report{FailOn: "high", Lines: lines(NoBytecode, NoBytecode)}, Skipped, "only declarations without code of their own changed"},
		"one comment":          {Report{FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: NoBytecode, Reason: "comment"}}}, Skipped, "only comments changed"},
		"audit, no code":       {Report{FailOn: "high", Audit: &Audit{}}, Skipped, "no line of the sources has bytecode that can be deployed"},
		"unread alone":         {Report{FailOn: "high", Unread: []Unread{{File: "a.cairo", Reason: "Cairo"}}}, Skipped, "nothing was fuzzed, and 1 changed file was not looked at: a.cairo (Cairo)"},
		"unused code":          {Report{FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: NoBytecode, Unused: true, Reason: "internal function f is called by no deployable contract"}}}, Skipped, "not fuzzed: internal function f is called by no deployable contract"},
		"unused, a mock run":   {Report{FailOn: "high", Stats: ran, Lines: []Line{{File: "a.sol", Line: 1, Status: NoBytecode, Unused: true, Reason: "x"}, {File: "m.sol", Line: 1, Status: Reached, Aside: "mock"}}}, Pass, "nothing reached: 0 of 1 changed line, so this says nothing about them; 1 not fuzzed: x"},
		"a deleted function":   {Report{FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: NoBytecode, Reason: "the deleted code was outside of any function that is left"}}}, Skipped, "only deleted declarations changed"},
		"comments and blank":   {Report{FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: NoBytecode, Reason: "only a comment changed"}, {File: "a.sol", Line: 2, Status: NoBytecode, Reason: "blank"}}}, Skipped, "only comments changed"},
		"imports and tests":    {Report{FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: NoBytecode, Reason: "import: no code of its own"}, {File: "t.sol", Line: 2, Status: NoBytecode, Reason: "test code: it is below test/"}}}, Skipped, "only imports and tests changed"},
		"harness":              {Report{FailOn: "high", Stats: ran, Lines: []Line{{File: "a.sol", Line: 1, Status: Reached, Harness: true}}}, Pass, "1 of 1 changed line reached, all through generated harnesses, where failures are not findings"},
		"unread":               {Report{FailOn: "high", Unread: []Unread{{File: "a.cairo", Reason: "Cairo"}, {File: "b.cairo"}}}, Skipped, "nothing was fuzzed, and 2 changed files were not looked at: a.cairo (Cairo) (and 1 more)"},
		"unread, others read":  {Report{FailOn: "high", Lines: lines(Reached), Stats: ran, Unread: []Unread{{File: "a.cairo", Reason: "Cairo"}}}, Pass, "1 of 1 changed line reached, nothing broke; 1 changed file was not looked at: a.cairo (Cairo)"},
		"hidden":               {Report{FailOn: "none", Lines: lines(Reached), Stats: ran, Unread: []Unread{{File: "a.inc", Reason: "hidden", Blocks: true}}}, Error, "1 changed file was not looked at: a.inc (hidden)"},
		"hidden and finding":   {Report{FailOn: "high", Unread: []Unread{{File: "a.inc", Blocks: true}}, Findings: []Finding{finding("high", Introduced)}}, Fail, "at or above high"},
		"none deployable":      {Report{FailOn: "high", Lines: lines(Undeployable, NoBytecode)}, Error, "1 not deployed"},
		"none mapped":          {Report{FailOn: "high", Lines: lines(Unmapped), Stats: ran}, Error, "1 not mapped"},
		"nothing run":          {Report{FailOn: "high", Lines: lines(Unreached)}, Error, "no sequence was run"},
		"all reached":          {Report{FailOn: "high", Lines: lines(Reached, Reached), Stats: ran}, Pass, "2 of 2 changed lines reached, nothing broke"},
		"some reached":         {Report{FailOn: "high", Lines: lines(Reached, Unreached, Undeployable, Unmapped, Unreachable, NoBytecode), Stats: ran}, Pass, "1 of 5"},
		"none reached":         {Report{FailOn: "high", Lines: lines(Unreached, OnlyReverts), Stats: ran}, Pass, "nothing reached: 0 of 2 changed lines, so"},
		"proved unreachable":   {Report{FailOn: "high", Lines: lines(Unreachable), Stats: ran}, Pass, "nothing reached: 0 of 1 changed line, so"},
		"introduced":           {Report{FailOn: "high", Lines: lines(Reached), Stats: ran, Findings: []Finding{finding("high", Introduced)}}, Fail, "1 introduced finding at or above high"},
		"above the gate":       {Report{FailOn: "low", Findings: []Finding{finding("critical", Introduced)}}, Fail, "at or above low"},
		"not compared":         {Report{FailOn: "high", Findings: []Finding{finding("high", Unknown)}}, Fail, "1 finding not compared with the base"},
		"another comparison":   {Report{FailOn: "high", Findings: []Finding{finding("high", "")}}, Fail, "1 finding not compared with the base"},
		"new kind of severity": {Report{FailOn: "critical", Findings: []Finding{finding("apocalyptic", Introduced)}}, Fail, "1 introduced"},
		"only what gates":      {Report{FailOn: "high", Findings: []Finding{finding("low", Introduced), finding("high", Introduced), finding("high", PreExisting)}}, Fail, "1 introduced finding at"},
		"pre-existing":         {Report{FailOn: "low", Lines: lines(Reached), Stats: ran, Findings: []Finding{finding("critical", PreExisting)}}, Pass, "1 pre-existing finding; 1 of 1"},
		"below the gate":       {Report{FailOn: "high", Lines: lines(Reached), Stats: ran, Findings: []Finding{finding("medium", Introduced)}}, Pass, "no finding that gates (fail-on high), but 1 introduced finding"},
		"not released":         {Report{FailOn: "low", Lines: lines(Reached), Stats: ran, Findings: []Finding{{Severity: "critical", Comparison: Introduced, Release: ReleaseAbsent}}}, Pass, "1 finding not on the project's own build; 1 of 1"},
		"released":             {Report{FailOn: "low", Findings: []Finding{{Severity: "critical", Comparison: Introduced, Release: ReleaseConfirmed}}}, Fail, "1 introduced finding"},
		"released or not":      {Report{FailOn: "low", Findings: []Finding{{Severity: "critical", Comparison: Introduced, Release: ReleaseUnknown}}}, Fail, "1 introduced finding"},
		"a note":               {Report{FailOn: "low", Lines: lines(Reached), Stats: ran, Findings: []Finding{finding("note", Introduced)}}, Pass, "but 1 introduced"},
		"no gate":              {Report{FailOn: "none", Lines: lines(Reached), Stats: ran, Findings: []Finding{finding("critical", Introduced)}}, Pass, "fail-on none"},
		"bad gate":             {Report{FailOn: "hihg", Lines: lines(Reached), Stats: ran}, Error, `"hihg"`},
		"a note as gate":       {Report{FailOn: "note", Lines: lines(Reached), Stats: ran}, Error, `"note"`},
		"fault":                {Report{FailOn: "high", Lines: lines(Reached), Stats: ran, Faults: fault}, Error, "1 fault of Sightline itself: panic in a worker"},
		"finding and fault":    {Report{FailOn: "high", Faults: fault, Findings: []Finding{finding("high", Unknown)}}, Fail, "at or above high"},
		"explicit targets": {Report{FailOn: "high", Diff: Diff{Explicit: []string{"A:0x1", "A:0x2"}}, Stats: ran,
			Targets: []Target{{Contract: "A", PC: 1, Status: Reached}, {Contract: "A", PC: 2, Status: Unreached}}}, Pass, "1 of 2 targets reached"},
		"a line in three contracts": {Report{FailOn: "high", Lines: lines(Reached), Stats: ran,
			Targets: []Target{{File: "a.sol", Line: 1, Contract: "A", Status: Unreached}, {File: "a.sol", Line: 1, Contract: "B", Status: Reached}, {File: "a.sol", Line: 1, Contract: "C", Status: Undeployable}}}, Pass, "1 of 1 changed line reached"},
	} {
		t.Run(name, func(t *testing.T) {
			Decide(&c.r)
			if c.r.Verdict != c.verdict || !strings.Contains(c.r.Reason, c.says) {
				t.Errorf("%s: %q, want %s: %q", c.r.Verdict, c.r.Reason, c.verdict, c.says)
			}
		})
	}
}

// TestPassReason: a pass says how much was reached, by what, and what was found all the same; "nothing broke" is said only where
// it was looked for.
func TestPassReason(t *testing.T) {
	reached, missed := Line{File: "a.sol", Line: 1, Status: Reached}, Line{File: "a.sol", Line: 2, Status: Unreached}
	harnessed := reached
	harnessed.Harness = true
	for want, r := range map[string]Report{
		"1 of 1 changed line reached, nothing broke":                                                            {Lines: []Line{reached}},
		"1 of 1 changed line reached, all through generated harnesses, where failures are not findings":         {Lines: []Line{harnessed}},
		"nothing reached: 0 of 1 changed line, so this says nothing about them; 1 unreached":                    {Lines: []Line{missed}},
		"only 1 of 3 changed lines reached, nothing broke in them; 2 unreached":                                 {Lines: []Line{reached, missed, {File: "a.sol", Line: 3, Status: Unreached}}},
		"1 of 1 changed line reached, nothing broke, by 1 of 2 shards":                                          {Lines: []Line{reached}, Shards: &Shards{Of: 2, Complete: 1}},
		"no finding that gates (fail-on high), but 1 introduced finding; 1 of 1 changed line reached":           {Lines: []Line{reached}, Findings: []Finding{{Severity: "low", Comparison: Introduced}}},
		"1 of 2 changed lines reached, nothing broke; 1 not fuzzed: r":                                          {Lines: []Line{reached, {File: "a.sol", Line: 2, Status: NoBytecode, Unused: true, Reason: "r"}}},
		"1 of 1 changed line reached, nothing broke; 1 changed file was not looked at: a.vy (no Vyper)":         {Lines: []Line{reached}, Unread: []Unread{{File: "a.vy", Reason: "no Vyper"}}},
		"1 of 1 changed line reached, nothing broke; 2 changed files were not looked at: a.vy (v) (and 1 more)": {Lines: []Line{reached}, Unread: []Unread{{File: "a.vy", Reason: "v"}, {File: "b.vy", Reason: "v"}}},
	} {
		r.FailOn, r.Stats = "high", Stats{Executions: 1, Calls: manyCalls}
		if Decide(&r); r.Verdict != Pass || r.Reason != want {
			t.Errorf("%s: %q, want %q", r.Verdict, r.Reason, want)
		}
	}
}

// TestDoubtful: a pass says less than it seems to if any one thing was not looked at, and a change without targets if it is not
// known that it changes nothing.
func TestDoubtful(t *testing.T) {
	reached, half := Line{File: "a.sol", Line: 1, Status: Reached}, 0.5
	harnessed := reached
	harnessed.Harness = true
	unused := Line{File: "a.sol", Line: 2, Status: NoBytecode, Unused: true}
	for name, c := range map[string]struct {
		r    Report
		want bool
	}{
		"fail":                    {Report{Verdict: Fail, Unread: []Unread{{}}}, false},
		"error":                   {Report{Verdict: Error, Lines: []Line{unused}}, false},
		"skipped":                 {Report{Verdict: Skipped, Lines: []Line{{Status: NoBytecode}}}, false},
		"skipped, unread":         {Report{Verdict: Skipped, Unread: []Unread{{}}}, true},
		"skipped, unused":         {Report{Verdict: Skipped, Lines: []Line{unused}}, true},
		"pass":                    {Report{Verdict: Pass, Lines: []Line{reached}}, false},
		"pass, half":              {Report{Verdict: Pass, MinReached: &half, Lines: []Line{reached, {Line: 2, Status: Unreached}}}, false},
		"pass, fewer":             {Report{Verdict: Pass, MinReached: &half, Lines: []Line{reached, {Line: 2, Status: Unreached}, {Line: 3, Status: Unreached}}}, true},
		"pass, none":              {Report{Verdict: Pass, Lines: []Line{{Status: Unreachable}}}, true},
		"pass, shards":            {Report{Verdict: Pass, Lines: []Line{reached}, Shards: &Shards{Of: 2, Complete: 1}}, true},
		"pass, all shards":        {Report{Verdict: Pass, Lines: []Line{reached}, Shards: &Shards{Of: 2, Complete: 2}}, false},
		"pass, unread":            {Report{Verdict: Pass, Lines: []Line{reached}, Unread: []Unread{{}}}, true},
		"pass, unused":            {Report{Verdict: Pass, Lines: []Line{reached, unused}}, true},
		"pass, through a harness": {Report{Verdict: Pass, Lines: []Line{harnessed}}, true},
		"pass, not deployed":      {Report{Verdict: Pass, Lines: []Line{reached}, World: World{Undeployed: []Undeployed{{Contract: "src/A.sol:A", Holds: []string{"f"}}}}}, true},
	} {
		if got := c.r.Doubtful(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestDescribeFindings: each finding is counted once: as waived, as a clash, as not on the project's own build, or by whether it
// happens on the base.
func TestDescribeFindings(t *testing.T) {
	waived := Finding{Comparison: Introduced, Waived: &Waiver{}}
	clash := Finding{Comparison: Introduced, Oracle: clashOracle.ID}
	absent := Finding{Comparison: Introduced, Release: ReleaseAbsent}
	introduced, old, alone, unknown := Finding{Comparison: Introduced}, Finding{Comparison: PreExisting}, Finding{Comparison: NoBase}, Finding{Comparison: Unknown}
	for want, findings := range map[string][]Finding{
		"1 introduced bug":                      {introduced},
		"1 bug":                                 {alone},
		"2 bugs":                                {alone, alone},
		"1 bug not compared with the base":      {unknown},
		"2 bugs not compared with the base":     {unknown, {Comparison: "of a later version"}},
		"1 pre-existing bug":                    {old},
		"1 storage clash":                       {clash},
		"1 bug not on the project's own build":  {absent},
		"1 waived bug":                          {waived},
		"1 introduced bug, 1 waived bug":        {waived, introduced},
		"1 introduced bug, 2 storage clashes":   {clash, introduced, clash},
		"2 introduced bugs, 1 pre-existing bug": {introduced, old, introduced},
		"1 introduced bug, 1 bug, 1 bug not compared with the base, 1 pre-existing bug, 1 storage clash, 1 bug not on the project's own build, 1 waived bug": {
			waived, clash, absent, unknown, alone, old, introduced,
		},
	} {
		if got := describeFindings(findings, "bug"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestExitCode(t *testing.T) {
	for verdict, want := range map[string]int{Pass: 0, Skipped: 0, Fail: 1, Error: 3, "": 3, "maybe": 3} {
		if got := ExitCode(verdict); got != want {
			t.Errorf("ExitCode(%q) = %d, want %d", verdict, got, want)
		}
	}
}

// A pass is green only if something was reached and nothing was found.
func TestGreen(t *testing.T) {
	for name, green := range map[string]bool{"pass": true, "zero": false, "explicit": false, "skipped": false, "error": false, "fail": false} {
		r := load(t, name)
		if got := strings.Contains(string(Comment(r, Options{})), "✅"); got != green {
			t.Errorf("%s: comment is green: %v", name, got)
		}
		var b strings.Builder
		if err := Terminal(&b, r, Options{}, true); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "\x1b[32m"); got != green {
			t.Errorf("%s: terminal is green: %v", name, got)
		}
	}
}
