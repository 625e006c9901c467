package main

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/report"
)

// TestCompare finds the changed line that forge's tests reach and that a green report has
// no word about.
func TestCompare(t *testing.T) {
	t.Parallel()
	at := func(line int) forge.Place { return forge.Place{File: "src/A.sol", Line: line} }
	changed := map[forge.Place]string{at(1): "a", at(2): "a", at(3): "a", at(4): "a", at(5): "a", at(6): "a", {File: "test/A.t.sol", Line: 1}: "a"}
	cover := &forge.Coverage{Hits: map[forge.Place]int{at(1): 1, at(2): 1, at(3): 1, at(4): 1, at(5): 0, at(6): 1}, Functions: map[forge.Place]bool{at(6): true}}
	r := &report.Report{Verdict: report.Pass, Lines: []report.Line{
		{File: "src/A.sol", Line: 1, Status: report.Reached}, {File: "src/A.sol", Line: 2, Status: report.Unreached},
		{File: "src/A.sol", Line: 3, Status: report.NoBytecode}, {File: "src/A.sol", Line: 4, Status: report.NoBytecode, Unused: true},
		{File: "src/A.sol", Line: 5, Status: report.OnlyReverts},
	}}
	var o outcome
	o.compare(changed, r, cover)
	if !slices.Equal(o.Silent, []string{"src/A.sol:3 no-bytecode"}) || !slices.Equal(o.Unlisted, []string{"src/A.sol:6"}) || len(o.Missed) != 3 {
		t.Errorf("silent %q, unlisted %q, missed %q", o.Silent, o.Unlisted, o.Missed)
	}
	if o.Lines != 3 || o.Reached != 2 || o.Counted != 5 || o.ForgeReached != 4 || o.BothCounted != 2 {
		t.Errorf("%+v", o)
	}
	o = outcome{}
	r.Verdict = report.Fail
	if o.compare(changed, r, cover); len(o.Silent) != 0 {
		t.Errorf("a red verdict with silent lines %q", o.Silent)
	}
}

// TestJudge: a finding whose test passes is a false alarm, and a test that ends early is not
// confirmed.
func TestJudge(t *testing.T) {
	t.Parallel()
	var s suites
	suite := s["x"]
	suite.Results = map[string]struct {
		Status string   `json:"status"`
		Reason string   `json:"reason"`
		Logs   []string `json:"decoded_logs"`
	}{
		"test_a()": {Status: "Success"}, "test_b()": {Status: "Failure", Reason: "panic"},
		"test_c()": {Status: "Success", Logs: []string{"call 1 fails, unlike when it was found"}},
	}
	s = suites{"test/A.t.sol:Sightline_a": suite}
	for _, test := range []struct {
		c    claim
		said string
	}{
		{claim{function: "test_a", Found: true, fails: true}, falseAlarm},
		{claim{function: "test_b", Found: true, fails: true}, confirmed},
		{claim{function: "test_a"}, confirmed},
		{claim{function: "test_c"}, otherwise},
		{claim{function: "test_b", Found: true}, otherwise},
		{claim{function: "test_d"}, notRun},
	} {
		test.c.text = "contract Sightline_a is T {\n"
		if test.c.judge(s); test.c.Said != test.said {
			t.Errorf("%s: %s (%s), want %s", test.c.function, test.c.Said, test.c.Reason, test.said)
		}
	}
}

// TestLines: lines come whole, however they were written.
func TestLines(t *testing.T) {
	t.Parallel()
	ready := make(chan struct{})
	close(ready)
	var got []string
	l := &lines{ready: ready, each: func(line string) { got = append(got, line) }}
	for _, text := range []string{"a\nfu", "zz \n", "c"} {
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	if !slices.Equal(got, []string{"a", "fuzz "}) {
		t.Errorf("lines %q", got)
	}
}
