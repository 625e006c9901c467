package fuzzer

import "github.com/sightline-evm/sightline/internal/bytecode"

// maxRecentPaths is how many paths a worker remembers, temporarily twice as many: 10 to
// 20 MB. A path that was forgotten is reported as new again; the campaign, which counts
// them all, knows that it is not. Arbitrary.
const maxRecentPaths = 1 << 17

// pathSet is a set of paths of bounded size that forgets the oldest: when the
// younger half is full, the older one is dropped.
type pathSet struct {
	young, old map[bytecode.PathID]struct{}
	size       int
}

func newPathSet(size int) pathSet {
	return pathSet{young: map[bytecode.PathID]struct{}{}, size: size}
}

// has reports whether a path is in the set.
func (s *pathSet) has(pid bytecode.PathID) bool {
	if _, known := s.young[pid]; known {
		return true
	}
	_, known := s.old[pid]
	return known
}

// add adds a path and reports whether it was not there.
func (s *pathSet) add(pid bytecode.PathID) bool {
	if _, known := s.young[pid]; known {
		return false
	}
	_, known := s.old[pid]
	if len(s.young) >= s.size {
		s.old, s.young = s.young, map[bytecode.PathID]struct{}{}
	}
	s.young[pid] = struct{}{}
	return !known
}
