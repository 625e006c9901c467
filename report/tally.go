package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// spot is what people are shown a status of: a changed line, or an explicit
// target whose code has no line.
type spot struct {
	Line
	place  string  // "src/Vault.sol:88" or "src/Vault.sol:Vault:0x1f"
	target *Target // the first target there with the spot's status; nil without one
}

// spots lists the changed lines in their order, then the targets that have no
// such line. Each place comes once, with the best status.
func spots(r *Report) []spot {
	var out []spot
	index := map[string]int{}
	add := func(s spot) int {
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
		add(spot{Line: l, place: position(l.File, l.Line)})
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
			at = add(spot{place: place, Line: Line{
				File: t.File, Line: t.Line, Status: t.Status, Reason: t.Reason, Contracts: []string{t.Contract},
			}})
		}
		if out[at].target == nil && out[at].Status == t.Status {
			out[at].target = t
		}
	}
	return out
}

// missed are the statuses of what could have been reached and was not.
var missed = []string{OnlyReverts, Unreached, Unreachable, Undeployable, Unmapped}

// with returns the spots of the given statuses.
func with(spots []spot, statuses ...string) []spot {
	var out []spot
	for _, s := range spots {
		if slices.Contains(statuses, s.Status) {
			out = append(out, s)
		}
	}
	return out
}

// rowRanges is how many ranges of lines stand in one row: as many as can be taken
// in. Arbitrary.
const rowRanges = 8

// row is spots of one file of which the same is to be said.
type row struct {
	spot         // the first
	lines  []int // in order; empty for a target that has no line
	ranges int   // of lines
}

// rowsOf puts spots together that follow each other and differ in their lines alone.
func rowsOf(spots []spot) []row {
	var rows []row
	for _, s := range spots {
		if s.place != position(s.File, s.Line.Line) {
			rows = append(rows, row{spot: s})
			continue
		}
		if len(rows) == 0 || !rows[len(rows)-1].take(s) {
			rows = append(rows, row{s, []int{s.Line.Line}, 1})
		}
	}
	return rows
}

// take adds a spot, if the same is to be said of it.
func (r *row) take(s spot) bool {
	if len(r.lines) == 0 || r.File != s.File || r.Status != s.Status || r.Reason != s.Reason {
		return false
	}
	if r.lines[len(r.lines)-1]+1 != s.Line.Line {
		if r.ranges == rowRanges {
			return false
		}
		r.ranges++
	}
	r.lines = append(r.lines, s.Line.Line)
	return true
}

// spots is how many there are.
func (r *row) spots() int { return max(1, len(r.lines)) }

// label is where they are: "src/Vault.sol:88–90, 95".
func (r *row) label() string {
	if len(r.lines) == 0 {
		return r.place
	}
	return r.File + ":" + lineRanges(r.lines)
}

// position is file:line.
func position(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// tally counts spots by status.
type tally map[string]int

// explicit is the key under which a tally notes that targets were given instead
// of a diff; no status has this name.
const explicit = "explicit"

func tallyOf(r *Report) tally {
	t := tally{}
	for _, s := range spots(r) {
		t[s.Status]++
	}
	if len(r.Diff.Explicit) > 0 {
		t[explicit] = 1
	}
	return t
}

// code counts the spots that have bytecode, known or not: all that could be
// reached.
func (t tally) code() int {
	n := 0
	for _, status := range statuses {
		if status != NoBytecode {
			n += t[status]
		}
	}
	return n
}

// deployed counts the spots that the campaign could run into, or that are proved
// out of its reach.
func (t tally) deployed() int { return t[Reached] + t[OnlyReverts] + t[Unreached] + t[Unreachable] }

// what names n of the things that are counted: "3 changed lines", "1 target".
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

// statusWords say a status behind a number.
var statusWords = map[string]string{
	Reached:      "reached",
	OnlyReverts:  "only in reverts",
	Unreached:    "unreached",
	Unreachable:  "unreachable",
	Undeployable: "not deployed",
	Unmapped:     "not mapped",
	NoBytecode:   "without bytecode",
}
