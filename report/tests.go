package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report/lcov"
)

// This file has what the report says of the project's own tests, and of its own lines to tools that
// read what tests reach.

// neither reports whether neither the campaign nor the project's tests reach a row.
func (s *locationRow) neither() bool {
	return s.Tests == TestsMiss && slices.Contains(missed, s.Status)
}

// neitherFirst puts the rows first that neither the campaign nor the project's tests reach.
func neitherFirst(rows []locationRow) {
	slices.SortStableFunc(rows, func(a, b locationRow) int {
		switch {
		case a.neither() == b.neither():
			return 0
		case a.neither():
			return -1
		}
		return 1
	})
}

// Words for rows that were not reached, by what tests reach.
const (
	neitherReaches = "neither the campaign nor your tests reach it"
	testsReachIt   = "your tests reach it"
)

// withTests adds to the reason why a row was not reached what is known of the tests; strong makes a
// text stand out.
func (s *locationRow) withTests(reason string, strong func(string) string) string {
	switch {
	case s.neither() && reason == "":
		return strong(neitherReaches)
	case s.neither():
		return strong(neitherReaches) + ": " + reason
	case s.Tests == TestsReach && s.Status == Reached: // in part: tracefiles do not say of which
		return reason + "; your tests reach the line"
	case s.Tests == TestsReach && reason == "":
		return testsReachIt
	case s.Tests == TestsReach:
		return testsReachIt + "; " + reason
	}
	return reason
}

func plainText(s string) string { return s }

func emphasized(s string) string { return "**" + s + "**" }

// describeTests says in one or two sentences, without the last full stop, how many rows are reached
// by whom; empty if no tracefile was given or no row is code.
func describeTests(r *Report, rows []locationRow, strong func(string) string) string {
	if len(r.Tracefiles) == 0 {
		return ""
	}
	var neither, both, campaign, tests, unknown, code int
	for i := range rows {
		s := &rows[i]
		if s.Status == NoBytecode {
			continue
		}
		code++
		switch {
		case s.Tests != TestsReach && s.Tests != TestsMiss:
			unknown++
		case s.neither():
			neither++
		case s.Tests == TestsMiss:
			campaign++
		case s.Status == Reached:
			both++
		default:
			tests++
		}
	}
	if code == 0 {
		return ""
	}
	noun := r.count(rows).what(code)
	if unknown == code {
		return fmt.Sprintf("Which of %s your tests reach is not known: the tracefile counts none of them", noun)
	}
	lead := strong(fmt.Sprintf("Neither the campaign nor your tests reach %d of %s", neither, noun))
	if neither == 0 {
		lead = fmt.Sprintf("Of %s, none is known that neither the campaign nor your tests reach", noun)
	}
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{{both, "both reach %d"}, {campaign, "the campaign alone %d"}, {tests, "your tests alone %d"}, {unknown, "the tracefile does not count %d"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf(part.text, part.n))
		}
	}
	if len(parts) == 0 {
		return lead
	}
	return lead + ": " + strings.Join(parts, ", ")
}

// tests writes how many lines are reached by the campaign and by the project's tests.
func (p *page) tests() {
	if said := describeTests(p.r, p.locations, emphasized); said != "" {
		p.line("%s.\n", said)
		p.shown++
	}
}

// testsReachOf names the lines of a file's rows that the project's tests reach: "your tests reach 12,
// 14–17"; empty if there are none.
func testsReachOf(rows []locationRow, file string) string {
	var lines []int
	all := 0
	for i := range rows {
		if rows[i].File != file {
			continue
		}
		all++
		if rows[i].Tests == TestsReach {
			lines = append(lines, rows[i].Line.Line)
		}
	}
	switch {
	case len(lines) == 0:
		return ""
	case len(lines) == all:
		return "your tests reach them too"
	}
	return "your tests reach " + lineRanges(lines)
}

// saidOfTests is what is known of the tests and a row, in a sentence; empty if no tracefile was given.
func (s *locationRow) saidOfTests() string {
	switch {
	case s.neither():
		return sentence(upper(neitherReaches))
	case s.Tests == TestsReach:
		return sentence(upper(testsReachIt))
	case s.Tests == TestsMiss:
		return "Your tests do not reach it."
	case s.Tests == TestsUnknown:
		return "Whether your tests reach it is not known: the tracefile does not count it."
	}
	return ""
}

// testsCell says in a table what tests reach of a row.
func testsCell(s locationRow) string {
	return map[string]string{TestsReach: "reach it", TestsMiss: "do not reach it"}[s.Tests]
}

// counted are the statuses of rows that have bytecode.
var counted = []string{Reached, OnlyReverts, Unreached, Unreachable, Undeployable}

// LCOV is the tracefile of a campaign: the changed lines that have bytecode, with 1 hit for those
// with the status reached, and 0 for all others, such as those that were executed in calls alone
// that revert. How often a line was executed is not known. Paths are as in the report.
func LCOV(r *Report) []byte {
	var files []lcov.File
	index := map[string]int{}
	for _, s := range with(locationRows(r), counted...) {
		if s.File == "" || s.Line.Line < 1 {
			continue
		}
		at, known := index[s.File]
		if !known {
			at = len(files)
			index[s.File] = at
			files = append(files, lcov.File{Path: s.File, Hits: map[int]uint64{}})
		}
		hits := uint64(0)
		if s.Status == Reached {
			hits = 1
		}
		files[at].Hits[s.Line.Line] = max(files[at].Hits[s.Line.Line], hits)
	}
	return lcov.Write(files)
}

// traced names the tracefiles: "lcov.info, about 12 sources".
func (r *Report) traced() string {
	var names []string
	for _, t := range r.Tracefiles {
		names = append(names, fmt.Sprintf("%s, about %s", t.File, human.Plural(t.Sources, "source")))
	}
	return strings.Join(names, "; ")
}
