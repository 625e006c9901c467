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
	if want := `the gate "new_findings(high) == 0 && reached >= 80%" is not met: 2 new findings, 3 of 4 changed lines reached`; r.Reason != want {
		t.Errorf("the reason is %q, want %q", r.Reason, want)
	}
	if err := CheckGate(strings.Repeat("(", MaxGate+1)); err == nil {
		t.Error("a condition of any length is read")
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
		Waive(r, test.waivers, day)
		if Decide(r); r.Verdict != test.verdict || r.Reason != test.reason {
			t.Errorf("%s: %s (%s), want %s (%s)", name, r.Verdict, r.Reason, test.verdict, test.reason)
		}
	}
	r := report()
	r.Findings = nil
	Waive(r, []Waiver{waiver}, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	if Decide(r); r.Verdict != Fail || r.Reason != "the waiver of SL-1 ended on 2026-03-31: @alice must renew or remove it" {
		t.Errorf("a waiver that is over, without its finding: %s (%s)", r.Verdict, r.Reason)
	}
}
