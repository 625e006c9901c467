package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/bench/internal/published"
	"github.com/sightline-evm/sightline/report"
)

// reportOf is a report with so many contracts and lines by status.
func reportOf(deployed int, undeployed []string, lines map[string]int) *report.Report {
	r := &report.Report{Stats: report.Stats{CallsPerSecond: 1000, Seconds: 60}}
	for i := range deployed {
		r.World.Instances = append(r.World.Instances, report.Instance{Contract: "a.sol:" + string(rune('A'+i))})
	}
	for _, reason := range undeployed {
		r.World.Undeployed = append(r.World.Undeployed, report.Undeployed{Contract: "a.sol:X", Reason: reason})
	}
	for status, n := range lines {
		for range n {
			r.Lines = append(r.Lines, report.Line{Status: status})
		}
	}
	return r
}

func TestSummarize(t *testing.T) {
	small := &outcome{pkg: published.Package{Name: "small"}}
	for _, reached := range []int{10, 20, 12} {
		small.add(reportOf(3, []string{"constructor: no", "left out as a mock: it is below mocks/"},
			map[string]int{report.Reached: reached, report.Unreached: 40 - reached, report.NoBytecode: 100}))
	}
	two := reportOf(1, nil, map[string]int{report.Reached: 8, report.Unmapped: 1, report.OnlyReverts: 1})
	two.World.Instances = append(two.World.Instances, two.World.Instances[0]) // two instances of one contract
	other := &outcome{pkg: published.Package{Name: "other"}}
	other.add(two)
	interfaces := &outcome{pkg: published.Package{Name: "interfaces"}}
	interfaces.add(reportOf(0, nil, map[string]int{report.NoBytecode: 7}))

	result, err := summarize([]*outcome{small, other, interfaces})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"deployableShare small": 3.0 / 4, "reachedShare small": 12.0 / 40,
		"deployableShare other": 1, "reachedShare other": 8.0 / 10,
		"deployableShare": 4.0 / 5, "reachedShare": 20.0 / 50,
	} {
		if got, ok := result.Summary[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if _, ok := result.Summary["reachedShare interfaces"]; ok {
		t.Error("a package without code has a share of lines")
	}
	if missing := result.Tables[1]; len(missing.Rows) != 2 || missing.Rows[0][2] != "constructor: no" {
		t.Errorf("not deployed: %v", missing.Rows)
	}
}

func TestSummarizeFailure(t *testing.T) {
	result, err := summarize([]*outcome{{pkg: published.Package{Name: "broken"}, err: errors.New("does not compile")}})
	if err == nil || !strings.Contains(err.Error(), "does not compile") {
		t.Errorf("error %v", err)
	}
	if result == nil || !strings.Contains(result.Tables[0].Rows[0][1], "could not be run: does not compile") {
		t.Errorf("result %+v", result)
	}
}
