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
			if slices.Index(statuses, s.Status) < slices.Index(statuses, out[i].Status) {
				out[i] = s
			}
			return i
		}
		index[s.place] = len(out)
		out = append(out, s)
		return len(out) - 1
	}
	for _, l := range r.Lines {
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
				File: t.File, Line: t.Line, Status: t.Status, Reason: t.Reason, Contracts: []string{t.Contract},
			}})
		}
		if out[at].target == nil && out[at].Status == t.Status {
			out[at].target = t
		}
	}
	return out
}

// missed are the statuses of rows that have bytecode and were not reached.
var missed = []string{OnlyReverts, Unreached, Unreachable, Undeployable, Unmapped}

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
	if len(r.lines) == 0 || r.File != s.File || r.Status != s.Status || r.Reason != s.Reason {
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

// unused is the key under which a tally counts lines of code that no contract uses, which are
// among those without bytecode; it is not a status.
const unused = "unused"

// explicit is the key under which a tally notes that targets were given instead of a diff;
// it is not a status.
const explicit = "explicit"

func tallyOf(r *Report) tally {
	t := tally{}
	for _, s := range locationRows(r) {
		t[s.Status]++
		if s.Unused {
			t[unused]++
		}
	}
	if len(r.Diff.Explicit) > 0 {
		t[explicit] = 1
	}
	return t
}

// code counts the rows that have bytecode, mapped or not.
func (t tally) code() int {
	n := 0
	for _, status := range statuses {
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
		return "only " + share + " reached"
	}
	return share + " reached"
}

// few reports whether less than half of the rows were reached that are not proved unreachable.
// Arbitrary: what most of the change did not show cannot be called checked.
func (t tally) few() bool { return 2*t[Reached] < t.code()-t[Unreachable] }

// deployed counts the rows whose code was mapped and deployed.
func (t tally) deployed() int { return t[Reached] + t[OnlyReverts] + t[Unreached] + t[Unreachable] }

// what names n rows: "3 changed lines", "1 target".
func (t tally) what(n int) string {
	if t[explicit] > 0 {
		return human.Plural(n, "target")
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
	NoBytecode:   "without bytecode",
}
