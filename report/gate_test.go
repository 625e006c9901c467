package report

import (
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
			{ID: "SL-1", Severity: "high", Novelty: Introduced},
			{ID: "SL-2", Severity: "low", Novelty: Unknown},
			{ID: "SL-3", Severity: "critical", Novelty: PreExisting},
			{ID: "SL-4", Severity: "critical", Novelty: Introduced, Shipped: ShippedAbsent},
		}
		return r
	}
	for gate, want := range map[string]string{
		"":                             Pass,
		"true":                         Pass,
		"new_findings() == 2":          Pass,
		"new_findings(medium) == 1":    Pass,
		"new_findings(critical) == 0":  Pass,
		"findings() == 4":              Pass,
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
	} {
		r := report(gate)
		if Decide(r); r.Verdict != want {
			t.Errorf("%q: %s (%s), want %s", gate, r.Verdict, r.Reason, want)
		}
	}
	r := report("new_findings(high) == 0 && reached >= 80%")
	Decide(r)
	if want := `the gate "new_findings(high) == 0 && reached >= 80%" is not met: 2 new findings; reached 75 % of 4 lines, gate 80 %: 1 line short`; r.Reason != want {
		t.Errorf("the reason is %q, want %q", r.Reason, want)
	}
	if err := CheckGate(strings.Repeat("(", MaxGate+1)); err == nil {
		t.Error("a condition of any length is read")
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
			Findings: []Finding{{ID: "SL-1", Severity: "high", Novelty: Introduced, Location: Place{Contract: "src/A.sol:A"}}}}
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
	if Decide(r); r.Verdict != Fail || r.Reason != "the waiver of SL-1 ended on 2026-03-31: @alice must renew or remove it" {
		t.Errorf("a waiver that is over, without its finding: %s (%s)", r.Verdict, r.Reason)
	}
}
