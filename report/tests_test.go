package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/report/lcov"
)

// TestLCOVIsTheReport: lcov.info has the lines of report.json that have bytecode, each executed if it
// was reached, and no other.
func TestLCOVIsTheReport(t *testing.T) {
	for _, name := range fixtures(t) {
		r := load(t, name)
		want := map[string]bool{} // whether it was reached, by place
		for _, l := range r.Lines {
			if slices.Contains(counted, l.Status) && lcov.Writable(l.File) {
				want[position(l.File, l.Line)] = l.Status == Reached
			}
		}
		for _, target := range r.Targets { // of --target
			if slices.Contains(counted, target.Status) && lcov.Writable(target.File) {
				place := position(target.File, target.Line)
				want[place] = want[place] || target.Status == Reached
			}
		}
		text := LCOV(r)
		if len(want) == 0 {
			if len(text) > 0 {
				t.Errorf("%s: of a report without lines with bytecode:\n%s", name, text)
			}
			continue
		}
		files, err := lcov.Read(text)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, text)
		}
		got := map[string]bool{}
		for _, f := range files {
			for line, hits := range f.Hits {
				got[position(f.Path, line)] = hits > 0
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) { // maps print in order
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		if again := LCOV(load(t, name)); !bytes.Equal(text, again) {
			t.Errorf("%s: two renderings differ:\n%s\n%s", name, text, again)
		}
	}
}

// TestDescribeTests counts by who reaches lines.
func TestDescribeTests(t *testing.T) {
	row := func(status, tests string) locationRow { return locationRow{Line: Line{Status: status, Tests: tests}} }
	traced := &Report{Tracefiles: []Tracefile{{File: "lcov.info"}}}
	for name, test := range map[string]struct {
		r    *Report
		rows []locationRow
		want string
	}{
		"no tracefile": {&Report{}, []locationRow{row(Unreached, "")}, ""},
		"no code":      {traced, []locationRow{row(NoBytecode, TestsUnknown)}, ""},
		"not counted":  {traced, []locationRow{row(Unreached, TestsUnknown), row(Reached, TestsUnknown)}, "Which of 2 changed lines your tests reach is not known: the tracefile counts none of them"},
		"neither":      {traced, []locationRow{row(Unreached, TestsMiss)}, "NEITHER THE CAMPAIGN NOR YOUR TESTS REACH 1 OF 1 CHANGED LINE"},
		"all": {traced, []locationRow{row(OnlyReverts, TestsMiss), row(Reached, TestsReach), row(Reached, TestsMiss), row(Reached, TestsMiss), row(Unreached, TestsReach), row(NoBytecode, TestsReach), row(Reached, TestsUnknown)},
			"NEITHER THE CAMPAIGN NOR YOUR TESTS REACH 1 OF 6 CHANGED LINES: both reach 1, the campaign alone 2, your tests alone 1, the tracefile does not count 1"},
		"reached": {traced, []locationRow{row(Reached, TestsReach), row(notFuzzed, TestsReach)},
			"Of 2 changed lines, none is known that neither the campaign nor your tests reach: both reach 1, your tests alone 1"},
	} {
		if got := describeTests(test.r, test.rows, strings.ToUpper); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// TestNeitherComesFirst: in a comment, the table of what was not reached begins with what neither
// the campaign nor tests reach, and each of its rows says so.
func TestNeitherComesFirst(t *testing.T) {
	_, table, found := strings.Cut(string(Comment(load(t, "tests"), testOptions())), "| Not reached |")
	table, _, ends := strings.Cut(table, "\n\n")
	if !found || !ends {
		t.Fatal("the comment has no table")
	}
	said := ""
	for row := range strings.Lines(table) {
		if strings.HasPrefix(row, "| [") {
			said += map[bool]string{true: "n", false: "-"}[strings.Contains(row, "neither the campaign nor your tests reach it")]
		}
	}
	if want := "nnnn-------"; said != want {
		t.Errorf("rows %s, want %s", said, want)
	}
}

// TestTestsAreValidated: a report with another word is refused.
func TestTestsAreValidated(t *testing.T) {
	r := load(t, "tests")
	r.Lines[0].Tests, r.Targets[0].Tests = "perhaps", "no"
	if err := r.Validate(); err == nil || !strings.Contains(err.Error(), `lines[0]: unknown reach of tests "perhaps"`) || !strings.Contains(err.Error(), `targets[0]: unknown reach of tests "no"`) {
		t.Errorf("error %v", err)
	}
}
