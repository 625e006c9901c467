package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// sightings are what a worker's oracles have seen.
type sightings struct {
	observer  *observer
	reported  reports
	ways      map[failingWay]bool // that were reported, of findings that keep several
	wayCounts map[findingKey]int  // of them
	maxWays   int
	extremes  extremes
}

func newSightings(o *observer, maxWays int) sightings {
	return sightings{observer: o, reported: newReports(), ways: map[failingWay]bool{}, wayCounts: map[findingKey]int{}, maxWays: maxWays, extremes: extremes{o.follows, map[extreme]uint8{}}}
}

// observe lists what the oracles see for the first time.
func (s *sightings) observe(seq input.Sequence, exec *evm.Execution) []observation {
	var first []observation
	for _, seen := range s.observer.observe(seq, exec) {
		if key := seen.key(); !s.reported.has(key, seen.presumed) {
			s.reported.add(key, seen.presumed)
			s.isNewWay(key, seq, exec)
			first = append(first, seen)
		} else if s.isNewWay(key, seq, exec) {
			first = append(first, seen)
		}
	}
	return first
}

// isNewWay reports whether an execution is another way to a finding, worth keeping.
func (s *sightings) isNewWay(key findingKey, seq input.Sequence, exec *evm.Execution) bool {
	if s.maxWays == 0 {
		return false
	}
	at := failingWayOf(key, seq, exec)
	if s.ways[at] || s.wayCounts[key] > s.maxWays {
		return false
	}
	s.ways[at] = true
	s.wayCounts[key]++
	return true
}
