package taint

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// ID is an interned taint: equal taints have equal ids. 0 is the taint of constants.
type ID uint32

const (
	// maxLabels bounds the labels of one taint: a value that was computed from more events
	// says little about any of them. Arbitrary.
	maxLabels = 16
	// maxSets bounds the taints of one run, each of at most 200 bytes. Beyond it, taints
	// that would be new lose their labels, which leaves few that are.
	maxSets = 1 << 16
	// maxUnions bounds the unions that are remembered, of 16 bytes each.
	maxUnions = 1 << 18
)

// Sets interns taints, and remembers their unions.
type Sets struct {
	all    []evm.Taint // by ID
	known  map[string]ID
	unions map[[2]ID]ID
	vias   map[ID]ID
	key    []byte
	lost   func(evm.Label) // is told of a label that a union had no room for
}

func newSets(lost func(evm.Label)) *Sets {
	return &Sets{all: make([]evm.Taint, 1), known: map[string]ID{}, unions: map[[2]ID]ID{}, vias: map[ID]ID{}, lost: lost}
}

// taint is what an id stands for.
func (s *Sets) taint(id ID) evm.Taint { return s.all[id] }

// of interns a taint. The labels must be in order, and are the Sets' from then on.
func (s *Sets) of(t evm.Taint) ID {
	if t.Clean() {
		return 0
	}
	s.key = binary.LittleEndian.AppendUint32(s.key[:0], uint32(t.Sources))
	s.key = binary.LittleEndian.AppendUint32(s.key, uint32(t.Via))
	for _, l := range t.Labels {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(l.Kind)<<30|uint32(l.Event))
	}
	if id, ok := s.known[string(s.key)]; ok {
		return id
	}
	if len(s.all) >= maxSets && len(t.Labels) > 0 {
		for _, l := range t.Labels {
			s.lost(l)
		}
		t.Labels = nil
		return s.of(t)
	}
	id := ID(len(s.all))
	s.all = append(s.all, t)
	s.known[string(s.key)] = id
	return id
}

// source is the taint of sources alone.
func (s *Sets) source(of evm.Source) ID { return s.of(evm.Taint{Sources: of}) }

// label is the taint of a label alone.
func (s *Sets) label(kind evm.LabelKind, event int) ID {
	return s.of(evm.Taint{Labels: []evm.Label{{Kind: kind, Event: int32(event)}}})
}

// union is what comes from both.
func (s *Sets) union(a, b ID) ID {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	pair := [2]ID{min(a, b), max(a, b)}
	if id, ok := s.unions[pair]; ok {
		return id
	}
	x, y := s.all[a], s.all[b]
	id := s.of(evm.Taint{Sources: x.Sources | y.Sources, Via: x.Via | y.Via, Labels: s.join(x.Labels, y.Labels)})
	if len(s.unions) >= maxUnions {
		clear(s.unions)
	}
	s.unions[pair] = id
	return id
}

// join merges labels. Those of the latest events go where there is no room: the others
// have been used for longer.
func (s *Sets) join(a, b []evm.Label) []evm.Label {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	both := slices.Concat(a, b)
	slices.SortFunc(both, func(x, y evm.Label) int {
		return cmp.Or(cmp.Compare(x.Event, y.Event), cmp.Compare(x.Kind, y.Kind))
	})
	both = slices.Compact(both)
	for len(both) > maxLabels {
		s.lost(both[len(both)-1])
		both = both[:len(both)-1]
	}
	return both
}

// via is the taint of a word that was found by way of another one.
func (s *Sets) via(a ID) ID {
	if a == 0 {
		return 0
	}
	id, ok := s.vias[a]
	if !ok {
		t := s.all[a]
		id = s.of(evm.Taint{Via: t.Sources | t.Via})
		s.vias[a] = id
	}
	return id
}

// hashed is the taint of the hash of something. That arithmetic wrapped means nothing in
// what is mixed.
func (s *Sets) hashed(a ID) ID {
	t := s.all[a]
	t.Sources |= evm.Hashed
	t.Labels = without(t.Labels, func(k evm.LabelKind) bool { return k == evm.OfWrapped })
	return s.of(t)
}

// unanswered is a taint without the labels of calls.
func (s *Sets) unanswered(a ID) ID {
	t := s.all[a]
	t.Labels = without(t.Labels, func(k evm.LabelKind) bool { return k != evm.OfWrapped })
	return s.of(t)
}

// unwrapped is a taint without the labels of operations that gave another result than they stand for.
func (s *Sets) unwrapped(a ID) ID {
	t := s.all[a]
	t.Labels = without(t.Labels, func(k evm.LabelKind) bool { return k == evm.OfWrapped })
	return s.of(t)
}

func without(labels []evm.Label, drop func(evm.LabelKind) bool) []evm.Label {
	var kept []evm.Label
	for _, l := range labels {
		if !drop(l.Kind) {
			kept = append(kept, l)
		}
	}
	return kept
}
