package report

import (
	"fmt"
	"slices"
	"testing"
)

// TestRows: lines of which the same is to be said share a row, up to so many ranges.
func TestRows(t *testing.T) {
	at := func(file, reason string, lines ...int) (locations []locationRow) {
		for _, n := range lines {
			locations = append(locations, locationRow{Line: Line{File: file, Line: n, Status: Unreached, Reason: reason}, place: position(file, n)})
		}
		return locations
	}
	pc := locationRow{Line: Line{File: "a.sol", Line: 7, Status: Unreached, Reason: "never"}, place: "a.sol:A:0x1f"}
	many := at("c.sol", "never", 1, 3, 5, 7, 9, 11, 13, 15, 17, 18)
	locations := slices.Concat(at("a.sol", "never", 1, 2, 4), at("a.sol", "reverts", 5), at("b.sol", "reverts", 6), []locationRow{pc, pc}, many)
	var got []string
	n := 0
	for _, r := range groupRows(locations) {
		got = append(got, fmt.Sprintf("%s %s", r.label(), r.Reason))
		n += r.size()
	}
	want := []string{
		"a.sol:1–2, 4 never", "a.sol:5 reverts", "b.sol:6 reverts", "a.sol:A:0x1f never", "a.sol:A:0x1f never",
		"c.sol:1, 3, 5, 7, 9, 11, 13, 15 never", "c.sol:17–18 never",
	}
	if !slices.Equal(got, want) || n != len(locations) {
		t.Errorf("%d of %d locations in\n%q, want\n%q", n, len(locations), got, want)
	}
}

// Lines that follow each other share an annotation, up to the last of them.
func TestAnnotatedRows(t *testing.T) {
	r := &Report{FailOn: "high"}
	for _, n := range []int{4, 5, 6, 9} {
		r.Lines = append(r.Lines, Line{File: "a.sol", Line: n, Status: Unreached, Reason: "never"})
	}
	r.Lines = append(r.Lines, Line{File: "a.sol", Line: 10, Status: Reached})
	var got []string
	for _, a := range Annotations(r) {
		got = append(got, fmt.Sprintf("%s:%d-%d %s", a.File, a.Line, a.EndLine, a.Message))
	}
	want := []string{"a.sol:4-6 Unreached: never. \"Unreached\" does not mean safe.", "a.sol:9-9 Unreached: never. \"Unreached\" does not mean safe."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
