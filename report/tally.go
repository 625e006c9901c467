package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// locationRow is a row of a table of statuses: a changed line, or an explicit target whose
// code has no line.
type locationRow struct {
	Line
	place  string  // "src/Vault.sol:88" or "src/Vault.sol:Vault:0x1f"
	target *Target // the first target there with the row's status; nil: none
}

// locationRows lists the changed lines in their order, then the targets that have no such
// line. Each place comes once, with its best status.
func locationRows(r *Report) []locationRow {
	var out []locationRow
	index := map[string]int{}
	add := func(s locationRow) int {
		if i, ok := index[s.place]; ok {
			if slices.Index(rowStatuses, s.Status) < slices.Index(rowStatuses, out[i].Status) {
				out[i] = s
			}
			return i
		}
		index[s.place] = len(out)
		out = append(out, s)
		return len(out) - 1
	}
	for _, l := range r.Lines {
		if l.Unused {
			l.Status = notFuzzed
		}
		add(locationRow{Line: l, place: position(l.File, l.Line)})
	}
	lines := len(out)
	for i := range r.Targets {
		t := &r.Targets[i]
		place := position(t.File, t.Line)
		if t.File == "" {
			place = fmt.Sprintf("%s:%#x", t.Contract, t.PC)
		}
		at, known := index[place]
		if !known || at >= lines {
			at = add(locationRow{place: place, Line: Line{
				File: t.File, Line: t.Line, Status: t.Status, Reason: t.Reason, Tests: t.Tests, Contracts: []string{t.Contract},
			}})
		}
		if out[at].target == nil && out[at].Status == t.Status {
			out[at].target = t
		}
	}
	return out
}

// notFuzzed is the status of rows whose code is in no contract that can be deployed. In
// report.json such lines are without bytecode, and unused.
const notFuzzed = "not-fuzzed"

// rowStatuses are all statuses of rows, the best first.
var rowStatuses = []string{Reached, OnlyReverts, Unreached, Unreachable, Undeployable, Unmapped, notFuzzed, NoBytecode}

// missed are the statuses of rows with code that was not reached.
var missed = []string{OnlyReverts, Unreached, Unreachable, Undeployable, Unmapped, notFuzzed}

// headlined returns the rows that make the headline: those that are not counted apart, or all if
// nothing else has code.
func headlined(locations []locationRow) (shown, apart []locationRow) {
	code := false
	for _, s := range locations {
		if s.Aside != "" {
			apart = append(apart, s)
			continue
		}
		shown = append(shown, s)
		code = code || s.Status != NoBytecode
	}
	if !code {
		return locations, nil
	}
	return shown, apart
}

// lacking reports whether a row has code that was not reached.
func (s *locationRow) lacking() bool {
	return slices.Contains(missed, s.Status) || s.Status == Reached && len(s.Line.Partly) > 0
}

// partly says which operations of a reached row were not executed.
func (s *locationRow) partly(code func(s string, most int) string) string {
	const shown = 3 // arbitrary: what a line of a report holds
	var names []string
	for _, operation := range s.Line.Partly[:min(len(s.Line.Partly), shown)] {
		names = append(names, code(operation, maxCall))
	}
	was := "was"
	if len(s.Line.Partly) > 1 {
		was = "were"
	}
	return fmt.Sprintf("%s%s %s not executed", strings.Join(names, ", "), human.More(len(s.Line.Partly)-len(names)), was)
}

// with returns the rows of the given statuses.
func with(locations []locationRow, statuses ...string) []locationRow {
	var out []locationRow
	for _, s := range locations {
		if slices.Contains(statuses, s.Status) {
			out = append(out, s)
		}
	}
	return out
}

// maxRanges bounds the ranges of lines in one group. Arbitrary: what a reader can take in.
const maxRanges = 8

// rowGroup is rows of one file that differ only in their lines.
type rowGroup struct {
	locationRow       // the first
	lines       []int // in order; empty for a target that has no line
	ranges      int   // of lines
}

// lackingWith returns the rows of a status, where partly is one, too.
func lackingWith(locations []locationRow, status string) []locationRow {
	if status != partly {
		return with(locations, status)
	}
	return slices.DeleteFunc(with(locations, Reached), func(s locationRow) bool { return !s.lacking() })
}

// groupRows joins neighboring rows that differ only in their lines.
func groupRows(locations []locationRow) []rowGroup {
	var rows []rowGroup
	for _, s := range locations {
		if s.place != position(s.File, s.Line.Line) {
			rows = append(rows, rowGroup{locationRow: s})
			continue
		}
		if len(rows) == 0 || !rows[len(rows)-1].take(s) {
			rows = append(rows, rowGroup{s, []int{s.Line.Line}, 1})
		}
	}
	return rows
}

// take adds a row, and reports whether it fits into the group.
func (r *rowGroup) take(s locationRow) bool {
	if len(r.lines) == 0 || r.File != s.File || r.Status != s.Status || r.Reason != s.Reason || r.Tests != s.Tests || !slices.Equal(r.Line.Partly, s.Line.Partly) {
		return false
	}
	if r.lines[len(r.lines)-1]+1 != s.Line.Line {
		if r.ranges == maxRanges {
			return false
		}
		r.ranges++
	}
	r.lines = append(r.lines, s.Line.Line)
	return true
}

// size is the number of rows.
func (r *rowGroup) size() int { return max(1, len(r.lines)) }

// label is the place of all rows: "src/Vault.sol:88–90, 95".
func (r *rowGroup) label() string {
	if len(r.lines) == 0 {
		return r.place
	}
	return r.File + ":" + lineRanges(r.lines)
}

// position is file:line.
func position(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// tally counts rows by status.
type tally map[string]int

// partly is the key under which a tally counts the reached rows of which an operation was not
// executed; it is not a status.
const partly = "partly"

// least is the key under which a tally has the share of rows, in hundredths of a percent, of
// which fewer are few; it is not a status.
const least = "least"

// explicit is the key under which a tally notes that targets were given instead of a diff;
// it is not a status.
const explicit = "explicit"

// tallyOf counts the rows that make the headline.
func tallyOf(r *Report) tally {
	shown, _ := headlined(locationRows(r))
	return r.count(shown)
}

// count counts rows.
func (r *Report) count(locations []locationRow) tally {
	t := tally{least: 5_000}
	for _, s := range locations {
		t[s.Status]++
		if s.Status == Reached && len(s.Line.Partly) > 0 {
			t[partly]++
		}
		if s.Harness && s.Status == Reached {
			t[throughHarness]++
		}
	}
	if len(r.Diff.Explicit) > 0 {
		t[explicit] = 1
	}
	if r.Audit != nil {
		t[audited] = 1
	}
	if r.MinReached != nil {
		t[least] = int(*r.MinReached * 10_000)
	}
	return t
}

// code counts the rows that are code, whether or not bytecode is known of it.
func (t tally) code() int {
	n := 0
	for _, status := range rowStatuses {
		if status != NoBytecode {
			n += t[status]
		}
	}
	return n
}

// reached says how many rows were reached: "11 of 14 changed lines reached", "only 2 of 9
// changed lines reached", "nothing reached: 0 of 9 changed lines".
func (t tally) reached() string {
	share := fmt.Sprintf("%d of %s", t[Reached], t.what(t.code()))
	switch {
	case t[Reached] == 0:
		return "nothing reached: " + share
	case t.few():
		return "only " + share + t.reachedWord()
	}
	return share + t.reachedWord()
}

// reachedWord is " reached", with the number of rows that were reached in part.
func (t tally) reachedWord() string {
	if t[partly] > 0 {
		return fmt.Sprintf(" reached (%d in part)", t[partly])
	}
	return " reached"
}

// few reports whether less than the share of the rows were reached that the report asks for, of
// those that are not proved unreachable. The default, a half, is arbitrary: what most of the change
// did not show cannot be called checked.
func (t tally) few() bool { return 10_000*t[Reached] < t[least]*(t.code()-t[Unreachable]) }

// deployed counts the rows whose code was mapped and deployed.
func (t tally) deployed() int { return t[Reached] + t[OnlyReverts] + t[Unreached] + t[Unreachable] }

// what names n rows: "3 changed lines", "1 target".
func (t tally) what(n int) string {
	switch {
	case t[explicit] > 0:
		return human.Plural(n, "target")
	case t[audited] > 0:
		return human.Plural(n, "line")
	}
	return human.Plural(n, "changed line")
}

// describe lists the counts of the given statuses: "2 unreached, 1 unreachable".
// Statuses that do not occur are left out.
func (t tally) describe(statuses ...string) string {
	var parts []string
	for _, status := range statuses {
		if t[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", t[status], statusWords[status]))
		}
	}
	return strings.Join(parts, ", ")
}

// statusWords are the statuses as they stand after a number.
var statusWords = map[string]string{
	Reached:      "reached",
	OnlyReverts:  "only in reverts",
	Unreached:    "unreached",
	Unreachable:  "unreachable",
	Undeployable: "not deployed",
	Unmapped:     "not mapped",
	notFuzzed:    "not fuzzed",
	partly:       "reached in part",
	NoBytecode:   "without bytecode",
}

// lineRanges is "12, 14–17"; at most 40 ranges, which fill a few lines of text.
func lineRanges(lines []int) string {
	const most = 40
	var parts []string
	listed := 0
	for _, r := range runsOf(lines) {
		if len(parts) == most {
			parts = append(parts, fmt.Sprintf("%d more", len(lines)-listed))
			break
		}
		text := fmt.Sprint(r.first)
		if r.last > r.first {
			text = fmt.Sprintf("%d–%d", r.first, r.last)
		}
		parts = append(parts, text)
		listed += r.last - r.first + 1
	}
	return strings.Join(parts, ", ")
}

// run is a range of consecutive lines.
type run struct{ first, last int }

// runsOf divides lines, which are in order, into runs of consecutive ones.
func runsOf(lines []int) []run {
	var runs []run
	for _, line := range lines {
		if n := len(runs); n > 0 && runs[n-1].last+1 == line {
			runs[n-1].last = line
		} else {
			runs = append(runs, run{line, line})
		}
	}
	return runs
}
