package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// maxWriters bounds the seeds that are kept as writers of a variable. Arbitrary.
const maxWriters = 64

// addWriter files a seed under the variables that its last call writes. The first of a function takes the place of the latest where there are enough.
func (s *Suite) addWriter(seed *Seed) {
	for _, key := range seed.writes {
		switch known := s.writers[key]; {
		case len(known) < maxWriters:
			s.writers[key] = append(known, seed)
		case !slices.ContainsFunc(known, func(w *Seed) bool { return w.Calls.Last() == seed.Calls.Last() }):
			known[maxWriters-1] = seed
		}
	}
}

// spread lists writers with the first of each function before all others.
func spread(writers []*Seed) []*Seed {
	var first, others []*Seed
	for _, w := range writers {
		if slices.ContainsFunc(first, func(f *Seed) bool { return f.Calls.Last() == w.Calls.Last() }) {
			others = append(others, w)
		} else {
			first = append(first, w)
		}
	}
	return append(first, others...)
}

// writer picks an entry that writes a variable that a seed's last call reads (mufuzz §IV-A, "write
// before read"). Nil when there is none.
func (s *Suite) writer(seed *Seed, r input.Rand) *Seed {
	var known []slotKey
	for _, key := range seed.reads {
		if len(s.writers[key]) > 0 {
			known = append(known, key)
		}
	}
	if len(known) == 0 {
		return nil
	}
	writers := s.writers[known[r.IntN(len(known))]]
	return writers[r.IntN(len(writers))]
}

// closureShare: a chain of writers ends after each with a probability of one in so many.
// Arbitrary.
const closureShare = 5

// closure is a chain of calls, at most so many, each of which writes what the next one
// reads, up to what the seed's last call reads: `set`, `copy`, and so on. None of them
// needs to show anything new on its own.
func (s *Suite) closure(seed *Seed, r input.Rand, most int) input.Packed {
	var calls input.Packed // from the last to the first
	for at := seed; len(calls) < most; {
		if len(calls) > 0 && r.IntN(closureShare) == 0 {
			break
		}
		if at = s.writer(at, r); at == nil {
			break
		}
		calls = append(calls, at.Calls[len(at.Calls)-1])
	}
	slices.Reverse(calls)
	return calls
}

// accumulator picks an entry whose last call reads and writes a variable that the seed's
// last call reads, too, and that decides a branch somewhere: repeating it has another
// effect each time (mufuzz §IV-A). Nil when there is none.
func (s *Suite) accumulator(seed *Seed, r input.Rand) *Seed {
	var found *Seed
	known := 0
	for _, key := range seed.reads {
		if !s.deciding[key] {
			continue
		}
		for _, w := range s.writers[key] {
			if _, reads := slices.BinarySearch(w.reads, key); !reads {
				continue
			}
			if known++; r.IntN(known) == 0 { // each with the same probability
				found = w
			}
		}
	}
	return found
}

// writersFor are those that the suite has of what a seed's last call reads, and of what these read themselves: other workers may have found them.
func (s *Suite) writersFor(seed *Seed) (all []writerOf) {
	add := func(key slotKey) {
		known := spread(s.writers[key])
		for _, w := range known[:min(len(known), maxWritersKept)] {
			all = append(all, writerOf{key, w.Calls, w.reads})
		}
	}
	for _, key := range seed.reads {
		add(key)
	}
	deeper := slices.Clone(seed.reads)
	for _, w := range all[:len(all):len(all)] {
		for _, key := range w.reads {
			if !slices.Contains(deeper, key) && len(deeper) < maxFootprint {
				deeper = append(deeper, key)
				add(key)
			}
		}
	}
	return all
}
