package report

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestGate: a condition fails a report that passes otherwise, and says how far it
// is from it.
func TestGate(t *testing.T) {
	report := func(gate string) *Report {
		r := &Report{FailOn: "none", Gate: gate, Stats: Stats{Executions: 1, Calls: 5}}
		for i, status := range []string{Reached, Reached, Reached, Unreached, NoBytecode} {
			r.Lines = append(r.Lines, Line{File: "src/A.sol", Line: i + 1, Status: status})
		}
		r.Findings = []Finding{
			{ID: "SL-1", Severity: "high", Comparison: Introduced},
			{ID: "SL-2", Severity: "low", Comparison: Unknown},
			{ID: "SL-3", Severity: "critical", Comparison: PreExisting},
			{ID: "SL-4", Severity: "critical", Comparison: Introduced, Release: ReleaseAbsent},
			{ID: "SL-5", Severity: "note", Comparison: Introduced},
		}
		return r
	}
	for gate, want := range map[string]string{
		"":                             Pass,
		"true":                         Pass,
		"new_findings() == 3":          Pass,
		"new_findings(low) == 2":       Pass,
		"new_findings(medium) == 1":    Pass,
		"new_findings(critical) == 0":  Pass,
		"findings() == 5":              Pass,
		"findings(critical) == 2":      Pass,
		"lines == 4":                   Pass,
		"reached_lines == 3":           Pass,
		"unreached == 1":               Pass,
		"reached >= 75%":               Pass,
		"reached >= 75.5% || false":    Fail,
		"(reached > 74.9%)":            Pass,
		"reached >= 80%":               Fail,
		"calls % 2 == 1":               Pass,
		"new_findings(high) == 0":      Fail,
		"reached == 0.75 and calls==5": Pass,
		"reached":                      Error,
		"reached >= ":                  Error,
		"reach >= 80%":                 Error,
		"1/0 > lines && panic()":       Error,
		"new_findings(1) == 0":         Error,
		"1 % only_reverts == 0":        Error, // which divides by zero only when it is evaluated
	} {
		r := report(gate)
		if Decide(r); r.Verdict != want {
			t.Errorf("%q: %s (%s), want %s", gate, r.Verdict, r.Reason, want)
		}
	}
	r := report("new_findings(high) == 0 && reached >= 80%")
	Decide(r)
	if want := `the gate "new_findings(high) == 0 && reached >= 80%" is not met: 3 new findings; reached 75 % of 4 lines, gate 80 %: 1 line short`; r.Reason != want {
		t.Errorf("the reason is %q, want %q", r.Reason, want)
	}
	if err := CheckGate(strings.Repeat("(", MaxGate+1)); err == nil {
		t.Error("a condition of any length is read")
	}
	if err := CheckGate("true" + strings.Repeat(" ", MaxGate-len("true"))); err != nil {
		t.Errorf("a condition of %d bytes: %v", MaxGate, err)
	}
	r = report("calls > 0")
	r.Stats.Calls = math.MaxUint64
	if Decide(r); r.Verdict != Pass {
		t.Errorf("with the most calls that can be counted: %s (%s)", r.Verdict, r.Reason)
	}
	r = report("new_findings(critical) == 1")
	r.Findings = append(r.Findings, Finding{ID: "SL-6", Severity: "apocalyptic", Comparison: Introduced})
	if Decide(r); r.Verdict != Pass {
		t.Errorf("a severity of a later version does not count as the highest: %s", r.Reason)
	}
	// An error is a sentence, without the text around it that expr prints below it.
	for gate, want := range map[string]string{
		"1 % only_reverts == 0": "the gate cannot be evaluated: runtime error: integer divide by zero (1:3)",
		"reach >= 80%":          "the gate cannot be evaluated: unknown name reach (1:1)",
	} {
		r := report(gate)
		if Decide(r); r.Reason != want {
			t.Errorf("%q: %q, want %q", gate, r.Reason, want)
		}
	}
	for _, gate := range []string{"", "true", "reached >= ", "1 % only_reverts == 0"} {
		if report(gate).near() {
			t.Errorf("%q holds within the tolerance", gate)
		}
	}
}

// TestTolerance: runs of one commit may differ by a line, or by one of 50.
func TestTolerance(t *testing.T) {
	for _, c := range []struct {
		reached, lines int
		gate           string
		verdict, says  string
	}{
		{12, 14, "reached >= 80%", Pass, "12 of 14 changed lines reached, nothing broke"},
		{11, 14, "reached >= 80%", Pass, "11 of 14 changed lines reached, nothing broke; reached 78.6 % of 14 lines, gate 80 %: 1 line short, within the tolerance"},
		{10, 14, "reached >= 80%", Fail, `the gate "reached >= 80%" is not met: 0 new findings; reached 71.4 % of 14 lines, gate 80 %: 2 lines short`},
		{10, 14, "reached >= 0.8 && new_findings() == 0", Fail, "gate 80 %: 2 lines short"},
		{7, 9, "reached >= 80%", Fail, "1 line short"},
		{0, 1, "reached >= 80%", Fail, "1 line short"},
		{9, 10, "reached >= 100%", Pass, "1 line short, within the tolerance"},
		{9, 10, "unreached == 0", Fail, "9 of 10 changed lines reached"},
		{9, 10, "reached_lines == lines", Fail, "9 of 10 changed lines reached"},
		{157, 200, "reached >= 80%", Pass, "3 lines short, within the tolerance"},
		{156, 200, "reached >= 80%", Pass, "4 lines short, within the tolerance"},
		{155, 200, "reached >= 80%", Fail, "reached 77.5 % of 200 lines, gate 80 %: 5 lines short"},
		{5, 10, "reached > 50%", Pass, "1 line short, within the tolerance"},
		{8, 10, "reached < 50%", Fail, "8 of 10 changed lines reached"},
		{1, 1, "reached >= 80%", Pass, "1 of 1 changed line reached, nothing broke"},
		{9, 10, "reached >= 80% && unreached == 0", Fail, "0 new findings; 9 of 10 changed lines reached"},
		{10, 10, "reached > 100%", Fail, "0 new findings; 10 of 10 changed lines reached"}, // no tolerance adds lines
		{1, 2, "reached >= 120%", Fail, "reached 50 % of 2 lines, gate 120 %: 1 line short"},
		{7, 10, "reached >= 90% && reached >= 80%", Fail, "gate 90 %: 2 lines short"},
		{7, 10, "reached >= 80% && reached >= 90%", Fail, "gate 90 %: 2 lines short"},
	} {
		r := &Report{FailOn: "high", Gate: c.gate, Stats: Stats{Executions: 1, Calls: manyCalls}}
		for i := range c.lines {
			status := Unreached
			if i < c.reached {
				status = Reached
			}
			r.Lines = append(r.Lines, Line{File: "src/A.sol", Line: i + 1, Status: status})
		}
		if Decide(r); r.Verdict != c.verdict || !strings.HasSuffix(r.Reason, c.says) {
			t.Errorf("%d of %d, %s: %s (%s), want %s (%s)", c.reached, c.lines, c.gate, r.Verdict, r.Reason, c.verdict, c.says)
		}
		if text := string(Comment(r, Options{})); c.verdict == Pass && strings.Contains(r.Reason, "tolerance") != strings.Contains(text, "within the tolerance") {
			t.Errorf("%d of %d, %s: the comment does not say how far off it is:\n%s", c.reached, c.lines, c.gate, text)
		}
	}
}

// FuzzGate: any text is a condition or an error.
func FuzzGate(f *testing.F) {
	f.Add("new_findings(high) == 0 && reached >= 80%")
	f.Add("reached ?? 1% ? all(1..9, true) : {}")
	f.Fuzz(func(_ *testing.T, text string) {
		r := &Report{FailOn: "none", Gate: text, Lines: []Line{{File: "a", Line: 1, Status: Reached}}, Stats: Stats{Executions: 1}}
		Decide(r)
	})
}

// TestWaive: a waiver excuses its finding through its last day, and fails the
// gate afterwards.
func TestWaive(t *testing.T) {
	report := func() *Report {
		return &Report{FailOn: "high", Stats: Stats{Executions: 1}, Lines: []Line{{File: "src/A.sol", Line: 1, Status: Reached}},
			Findings: []Finding{{ID: "SL-1", Severity: "high", Comparison: Introduced, Location: Place{Contract: "src/A.sol:A"}}}}
	}
	waiver := Waiver{ID: "SL-1", Reason: "known", Owner: "@alice", Expires: "2026-03-31"}
	elsewhere := waiver
	elsewhere.Contract = "src/B.sol:B"
	for name, test := range map[string]struct {
		waivers []Waiver
		day     string
		verdict string
		reason  string
	}{
		"none":           {nil, "2026-03-31", Fail, "1 introduced finding at or above high"},
		"holds":          {[]Waiver{waiver}, "2026-03-31", Pass, "no finding that gates (fail-on high), but 1 waived finding; 1 of 1 changed line reached"},
		"over":           {[]Waiver{waiver}, "2026-04-01", Fail, "1 introduced finding at or above high"},
		"other contract": {[]Waiver{elsewhere}, "2026-03-31", Fail, "1 introduced finding at or above high"},
	} {
		day, err := time.Parse(dayFormat, test.day)
		if err != nil {
			t.Fatal(err)
		}
		r := report()
		Waive(r, test.waivers, day, false)
		if Decide(r); r.Verdict != test.verdict || r.Reason != test.reason {
			t.Errorf("%s: %s (%s), want %s (%s)", name, r.Verdict, r.Reason, test.verdict, test.reason)
		}
	}
	r := report()
	r.Findings = nil
	Waive(r, []Waiver{waiver}, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), false)
	r.Waivers = []Waiver{{ID: "SL-0", Expires: "2020-01-01", Expired: true}} // of an earlier call
	Waive(r, []Waiver{waiver}, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), false)
	if Decide(r); r.Verdict != Fail || r.Reason != "the waiver of SL-1 ended on 2026-03-31: @alice must renew or remove it" {
		t.Errorf("a waiver that is over, without its finding: %s (%s)", r.Verdict, r.Reason)
	}
}

// TestWhatWaiversName: a waiver excuses what has its id, is in its contract and has its fingerprint, where it gives them. Where
// strangers write the code, it has to give the fingerprint.
func TestWhatWaiversName(t *testing.T) {
	const id, contract, fingerprint = "SL-1", "src/A.sol:A", "36f1"
	for name, test := range map[string]struct {
		waivers   []Waiver
		strangers bool
		waived    bool
		warnings  int
	}{
		"id":                       {[]Waiver{{ID: id}}, false, true, 0},
		"other id":                 {[]Waiver{{ID: "SL-2"}}, false, false, 0},
		"contract":                 {[]Waiver{{ID: id, Contract: contract}}, false, true, 0},
		"other contract":           {[]Waiver{{ID: id, Contract: "src/B.sol:B"}}, false, false, 0},
		"contract of another id":   {[]Waiver{{ID: "SL-2", Contract: contract}}, false, false, 0},
		"fingerprint":              {[]Waiver{{ID: id, Fingerprint: fingerprint}}, false, true, 0},
		"other fingerprint":        {[]Waiver{{ID: id, Fingerprint: "0000"}}, false, false, 0},
		"of another id":            {[]Waiver{{ID: "SL-2", Fingerprint: fingerprint}}, false, false, 0},
		"permission":               {[]Waiver{{ID: id, Allow: "A.f by anyone"}}, false, false, 0},
		"strangers, id":            {[]Waiver{{ID: id}}, true, false, 1},
		"strangers, other id":      {[]Waiver{{ID: "SL-2"}}, true, false, 0},
		"strangers, fingerprint":   {[]Waiver{{ID: id, Fingerprint: fingerprint}}, true, true, 0},
		"strangers, contract":      {[]Waiver{{ID: id, Contract: contract}}, true, false, 1},
		"after one that has ended": {[]Waiver{{ID: "SL-2", Expires: "2020-01-01"}, {ID: id}}, false, true, 0},
	} {
		finding := &Report{Findings: []Finding{{ID: id, Fingerprint: fingerprint, Location: Place{Contract: contract}}}}
		clash := &Report{Clashes: []Clash{{ID: id, Fingerprint: fingerprint, Contracts: []string{"src/C.sol:C", contract}}}}
		for _, r := range []*Report{finding, clash} {
			for i := range test.waivers {
				if test.waivers[i].Expires == "" {
					test.waivers[i].Expires = "2030-01-01"
				}
			}
			Waive(r, test.waivers, time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC), test.strangers)
			waived := len(r.Findings) > 0 && r.Findings[0].Waived != nil || len(r.Clashes) > 0 && r.Clashes[0].Waived != nil
			if waived != test.waived || len(r.Warnings) != test.warnings {
				t.Errorf("%s: waived %t, warnings %q; want %t, %d", name, waived, r.Warnings, test.waived, test.warnings)
			}
		}
	}
}
