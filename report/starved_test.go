package report

import "testing"

func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		targets int
		limits  Limits
		want    uint64
	}{
		{14, Limits{Seconds: 120}, 2400},
		{14, Limits{Seconds: 1}, 500},
		{14, Limits{Calls: 4000}, 31},
		{14, Limits{Calls: 100}, 0},
		{5000, Limits{Seconds: 120}, 60_000},
		{5000, Limits{Calls: 4000}, 49_000},
		{20_000, Limits{Seconds: 3600}, 200_000},
		{3, Limits{}, 1300},
	} {
		if got := Needed(c.targets, c.limits); got != c.want {
			t.Errorf("%d targets within %+v: %d, want %d", c.targets, c.limits, got, c.want)
		}
	}
}

// A starved campaign is an error that names what burns gas, unless a finding gates or that
// is allowed.
func TestStarved(t *testing.T) {
	r := &Report{FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: Unreached}, {File: "a.sol", Line: 2, Status: Reached}},
		Starved: &Starved{Executions: 220, Needed: 4300, Targets: 33}, Stats: Stats{Executions: 220}}
	for _, c := range []string{"A.sol:A", "B.sol:B", "C.sol:C", "D.sol:D", "E.sol:E"} {
		r.Stats.Burners = append(r.Stats.Burners, Burner{Contract: c, Function: "burn", Calls: 3, Share: 0.12})
	}
	Decide(r)
	const want = "starved: 220 executions for 33 targets, where at least 4300 are needed; calls that burn gas used up its work: A.sol:A.burn (12%), B.sol:B.burn (12%), C.sol:C.burn (12%), 2 more functions"
	if r.Verdict != Error || r.Reason != want {
		t.Errorf("%s: %s, want\n%s", r.Verdict, r.Reason, want)
	}
	r.Stats.Burners = nil
	if Decide(r); r.Verdict != Error || r.Reason != "starved: 220 executions for 33 targets, where at least 4300 are needed; give the campaign more time, or change less at once" {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	r.Starved.Executions, r.Starved.LeftOut = 5000, 7
	if Decide(r); r.Verdict != Error || r.Reason != "starved: 7 contracts with targets left out, since so many contracts changed; change less at once" {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	r.Starved.Allowed = true
	if Decide(r); r.Verdict != Pass {
		t.Errorf("allowed: %s: %s", r.Verdict, r.Reason)
	}
	r.Starved.Allowed = false
	r.Findings = []Finding{{ID: "SL-1", Severity: "high", Novelty: Introduced}}
	if Decide(r); r.Verdict != Fail {
		t.Errorf("with a finding: %s: %s", r.Verdict, r.Reason)
	}
}
