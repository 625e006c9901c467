package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/report"
)

const lcov = `TN:
SF:src/A.sol
DA:1,3
DA:2,0
DA:3,1
DA:4,1
BRDA:1,0,0,1
end_of_record
SF:src/test/B.sol
DA:1,1
end_of_record
SF:src/C.sol
DA:9,0
end_of_record
`

// TestCompare counts what both reach, on a report and a tracefile.
func TestCompare(t *testing.T) {
	p := project{sources: "src", tests: "src/test"}
	c, err := forge.ReadCoverage([]byte(lcov))
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(c.Hits, func(at forge.Place, _ int) bool { return !p.underTest(at.File) })
	if files := files(c); !slices.Equal(files, []string{"src/A.sol"}) {
		t.Errorf("files %q", files)
	}
	got := *compare(c, &report.Report{
		World: report.World{Setups: []report.TestSetup{{Contract: "A"}, {Contract: "B", Failure: "no"}}},
		Targets: []report.Target{
			{File: "src/A.sol", Line: 1, Status: report.Reached, Executions: 7, Seconds: 9}, {File: "src/A.sol", Line: 1, Status: report.OnlyReverts, Executions: 3, Seconds: 6.5},
			{File: "src/A.sol", Line: 5, Status: report.Reached, Executions: 1, Seconds: 2},
		},
		Lines: []report.Line{
			{File: "src/A.sol", Line: 1, Status: report.Reached}, {File: "src/A.sol", Line: 2, Status: report.OnlyReverts},
			{File: "src/A.sol", Line: 3, Status: report.Unreached}, {File: "src/A.sol", Line: 4, Status: report.NoBytecode},
			{File: "src/A.sol", Line: 5, Status: report.Reached},
		},
	})
	if want := (comparison{lines: 2, executed: 1, kept: 1, early: 1, more: 1, setUps: 1}); got != want {
		t.Errorf("got %+v want %+v", got, want)
	}
}
