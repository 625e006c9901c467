package report

import (
	"slices"
)

// severities, from the lowest, which never gates.
var severities = []string{"note", "low", "medium", "high", "critical"}

// gateRank is the index in severities from which a finding gates; "none" gives one that no
// severity reaches. False if failOn is not a gate; "note" is not, since a note never gates.
func gateRank(failOn string) (rank int, ok bool) {
	if failOn == "none" {
		return len(severities), true
	}
	rank = slices.Index(severities, failOn)
	return rank, rank > 0
}

// excused reports whether a finding never gates, however severe: it is pre-existing, does
// not happen on the release build, or is waived.
func (f *Finding) excused() bool {
	return f.Comparison == PreExisting || f.Release == ReleaseAbsent || f.Waived != nil
}

// faint reports whether a finding says nothing of the change, and little of the rest: it is pre-existing, and of one of
// the two lowest severities.
func (f *Finding) faint() bool {
	rank := slices.Index(severities, f.Severity)
	return f.Comparison == PreExisting && rank >= 0 && rank < slices.Index(severities, "medium")
}

// gates reports whether a finding fails a gate of the given rank: its severity is at or
// above the gate, and it is introduced or not known to be old. An unknown severity gates,
// too, unless nothing does.
func (f *Finding) gates(rank int) bool {
	if f.excused() || rank == len(severities) {
		return false
	}
	severity := slices.Index(severities, f.Severity)
	return severity < 0 || severity >= rank
}
