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
		{14, Limits{Calls: 1}, 0},
		{101, Limits{Calls: 1}, 10},
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
		r.Stats.Burners = append(r.Stats.Burners, Burner{Contract: c, Function: "burn", Calls: 3, Share: 0.9})
	}
	Decide(r)
	const want = "starved: 220 executions for 33 targets, where at least 4300 are needed; calls that burn gas used up its work: A.sol:A.burn (90%), B.sol:B.burn (90%), C.sol:C.burn (90%), 2 more functions"
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
	r.Findings = []Finding{{ID: "SL-1", Severity: "high", Comparison: Introduced}}
	if Decide(r); r.Verdict != Fail {
		t.Errorf("with a finding: %s: %s", r.Verdict, r.Reason)
	}
}

// TestDescribeStarved: too few executions come first, then functions that only burn gas, contracts that were left out, and
// what could not be confirmed; some are named, and the others counted.
func TestDescribeStarved(t *testing.T) {
	burners := make([]Burner, 4)
	for i := range burners {
		burners[i] = Burner{Contract: "src/A.sol:A", Function: "f", Share: 0.25}
	}
	const few = "starved: 9 executions for 2 targets, where at least 10 are needed; "
	for _, c := range []struct {
		starved Starved
		burners []Burner
		want    string
	}{
		{Starved{Executions: 9, Burning: []string{"A.f"}, LeftOut: 1}, nil, few + "give the campaign more time, or change less at once"},
		{Starved{Executions: 9}, burners[:3], few + "calls that burn gas used up its work: src/A.sol:A.f (25%), src/A.sol:A.f (25%), src/A.sol:A.f (25%)"},
		{Starved{Executions: 9}, burners, few + "calls that burn gas used up its work: src/A.sol:A.f (25%), src/A.sol:A.f (25%), src/A.sol:A.f (25%), 1 more function"},
		{Starved{Executions: 10, Burning: []string{"A.f"}, LeftOut: 1}, burners, "starved: calls of A.f burn gas and fail, so that they show nothing of what was not reached"},
		{Starved{Executions: 10, Burning: []string{"A.f", "A.g"}}, nil, "starved: calls of A.f and 1 more function burn gas and fail, so that they show nothing of what was not reached"},
		{Starved{Executions: 11, Burning: []string{"A.f", "A.g", "A.h"}}, nil, "starved: calls of A.f and 2 more functions burn gas and fail, so that they show nothing of what was not reached"},
		{Starved{Executions: 10, LeftOut: 1, Unconfirmed: 3}, burners, "starved: 1 contract with targets left out, since so many contracts changed; change less at once"},
		{Starved{Executions: 10, Unconfirmed: 3}, burners[:1], "starved: 3 findings seen in calls that take too long to be confirmed; calls that burn gas used up its work: src/A.sol:A.f (25%)"},
	} {
		c.starved.Needed, c.starved.Targets = 10, 2
		r := &Report{Starved: &c.starved, Stats: Stats{Burners: c.burners}}
		if got := r.DescribeStarved(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
