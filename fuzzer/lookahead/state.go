package lookahead

import (
	"math/bits"
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxKnownMemory bounds the memory, in bytes, whose words are tracked: solc's scratch
// space, allocation pointer and what a call allocates while the pointer is still known.
// Arbitrary; memory above is unknown, so that states stay small.
const maxKnownMemory = 0x800

// place says where a word of memory starts, in bytes; at most maxKnownMemory−32.
type place uint32

// state is what holds for a frame at the start of a basic block: the words on
// its stack, some words of its memory, and which of them are surely equal.
// Storage, transient storage, calldata, return data and everything outside the
// frame are unknown, always.
//
// classes has a number for each word of the stack, from the bottom, and then for
// each place of memory. Words of the same class are equal. Classes are numbered
// in the order of their first word, so that equal states are equal slices.
// values has the Value of each class. Places are ascending; the words there may
// overlap. A place whose Value is Top is left out.
//
// The order: s is below t if both have the same height, every word that t knows
// in memory is known in s, words equal in t are equal in s, each Value in s is below the
// one in t, and each relation of t holds in s.
type state struct {
	height    int
	classes   []uint16
	places    []place
	values    []Value
	relations []relation // in order
}

func (s *state) stack(i int) Value { return s.values[s.classes[i]] }

// entry is the state in which every frame starts: an empty stack and memory of
// zeros. Only the words that solc gives a meaning (scratch space, allocation
// pointer, zero slot) are worth knowing.
func entry() state {
	return state{
		classes: []uint16{0, 0, 0, 0},
		places:  []place{0x00, 0x20, 0x40, 0x60},
		values:  []Value{constant(0)},
	}
}

// size is about the number of words that copying, joining or hashing the state
// looks at.
func (s *state) size() int { return len(s.classes) + len(s.relations) }

func (s *state) clone() state {
	return state{s.height, slices.Clone(s.classes), slices.Clone(s.places), slices.Clone(s.values), slices.Clone(s.relations)}
}

// equal reports whether two states are the same.
func (s *state) equal(t *state) bool {
	return s.height == t.height && slices.Equal(s.classes, t.classes) && slices.Equal(s.places, t.places) && slices.Equal(s.values, t.values) &&
		slices.Equal(s.relations, t.relations)
}

// mix adds a number to a hash: the finalizer of MurmurHash3 (Appleby, public domain)
// after a multiplication.
func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0xff51afd7ed558ccd
	return h ^ bits.RotateLeft64(h, 29)
}

// keyHash is a hash of the key that keeps states apart: block, height and the labels on
// the stack.
func (s *state) keyHash(b bytecode.BlockID) uint64 {
	h := mix(uint64(b)+1, uint64(s.height))
	for i, c := range s.classes[:s.height] {
		if v := s.values[c]; v.isLabel() {
			h = mix(h, uint64(i)<<32|uint64(v))
		}
	}
	return h
}

// sameKey reports whether two states of the same block may be joined: the same
// height, and the same labels at the same places.
func (s *state) sameKey(t *state) bool {
	if s.height != t.height {
		return false
	}
	for i := range s.height {
		a, b := s.stack(i), t.stack(i)
		if (a | b).isLabel() && a != b {
			return false
		}
	}
	return true
}

// digest is a hash of the whole state in a block.
func (s *state) digest(b bytecode.BlockID, static bool) bytecode.PathID {
	var h bytecode.PathHasher
	head := uint64(s.height) << 1
	if static {
		head |= 1
	}
	h.Add(uint64(b), head)
	for i, c := range s.classes {
		at := uint64(0)
		if i >= s.height {
			at = uint64(s.places[i-s.height]) + 1
		}
		h.Add(uint64(c), at)
	}
	for _, v := range s.values {
		h.Add(uint64(v), 0)
	}
	for _, r := range s.relations {
		h.Add(uint64(r.kind)<<1|uint64(bit(r.negated))|uint64(r.k)<<32, uint64(r.of+1)<<40|uint64(r.a+1)<<20|uint64(r.b+1))
	}
	return h.Sum()
}

// below reports whether s is below t in the order of states.
func (v *values) below(s, t *state) bool {
	if s.height != t.height {
		return false
	}
	// of maps classes of t to those of s: one that meets two is not equal in s.
	of := make([]int, len(t.values))
	at := 0
	for i, c := range t.classes {
		var mine uint16
		if i < t.height {
			mine = s.classes[i]
		} else {
			p := t.places[i-t.height]
			for at < len(s.places) && s.places[at] < p {
				at++
			}
			if at == len(s.places) || s.places[at] != p {
				return false
			}
			mine = s.classes[s.height+at]
		}
		if of[c] != 0 && of[c] != int(mine)+1 {
			return false
		}
		of[c] = int(mine) + 1
		if !v.leq(s.values[mine], t.values[c]) {
			return false
		}
	}
	return v.related(s, t, of)
}

// related reports whether the relations of t hold in s. of is 1 + the class of s by class of t.
func (v *values) related(s, t *state, of []int) bool {
	for _, r := range t.relations {
		for _, w := range [...]*symbol{&r.of, &r.a, &r.b} {
			if *w != absent {
				*w = symbol(of[*w] - 1)
			}
		}
		if !v.entails(s, r) {
			return false
		}
	}
	return true
}

// joiner joins states. Its buffers are used again.
type joiner struct {
	v *values
	// A class of the join is a pair of classes of the two states. pairs are
	// chained by the first: head[a] is 1 + the newest pair with it, next the others.
	head   []int32
	first  []uint16
	second []uint16
	next   []int32
	result state
}

// join is the least state above both, which have the same height. With widen,
// bounds that it moves away from those of s move on to thresholds. The result is
// valid until the next join.
func (j *joiner) join(s, t *state, widen bool) *state {
	r := &j.result
	r.height = s.height
	r.classes, r.places, r.values = r.classes[:0], r.places[:0], r.values[:0]
	if cap(j.head) < len(s.values) {
		j.head = make([]int32, len(s.values)*2)
	}
	j.head = j.head[:len(s.values)]
	clear(j.head)
	j.first, j.second, j.next = j.first[:0], j.second[:0], j.next[:0]
	for i := range s.height {
		r.classes = append(r.classes, j.class(s, t, s.classes[i], t.classes[i], widen))
	}
	for a, b := 0, 0; a < len(s.places) && b < len(t.places); {
		switch p, q := s.places[a], t.places[b]; {
		case p < q:
			a++
		case p > q:
			b++
		default:
			x, y := s.classes[s.height+a], t.classes[t.height+b]
			a, b = a+1, b+1
			if j.value(s.values[x], t.values[y], widen) == Top {
				continue
			}
			r.places = append(r.places, p)
			r.classes = append(r.classes, j.class(s, t, x, y, widen))
		}
	}
	r.relations = r.relations[:0]
	if len(s.relations) > 0 || len(t.relations) > 0 {
		j.relate(s, t, j.first, j.second)
		j.relate(t, s, j.second, j.first)
		r.relations = sorted(r.relations)
	}
	return r
}

// relate adds to the join the relations of one of the two states that hold in the other.
// mine and theirs are the classes of both by class of the join.
func (j *joiner) relate(s, t *state, mine, theirs []uint16) {
	for _, r := range s.relations {
		j.each(mine, r.of, func(of symbol) {
			j.each(mine, r.a, func(a symbol) {
				j.each(mine, r.b, func(b symbol) {
					if len(j.result.relations) == maxRelations {
						return
					}
					joined := r
					joined.of, joined.a, joined.b = of, a, b
					other := r
					other.of, other.a, other.b = classIn(theirs, of), classIn(theirs, a), classIn(theirs, b)
					if j.v.entails(t, other) && !j.v.entailsByValue(&j.result, joined) {
						j.result.relations = append(j.result.relations, joined.normal(j.v))
					}
				})
			})
		})
	}
}

// each calls back for the classes of the join that are from a class; for absent, with it.
func (j *joiner) each(from []uint16, class symbol, do func(symbol)) {
	if class == absent {
		do(absent)
		return
	}
	for p, c := range from {
		if symbol(c) == class {
			do(symbol(p))
		}
	}
}

func classIn(classes []uint16, p symbol) symbol {
	if p == absent {
		return absent
	}
	return symbol(classes[p])
}

func (j *joiner) value(a, b Value, widen bool) Value {
	v := j.v.join(a, b)
	if widen {
		v = j.v.widen(a, v)
	}
	return v
}

// class is the class of the join for a pair of classes, a new one if needed.
func (j *joiner) class(s, t *state, a, b uint16, widen bool) uint16 {
	for p := j.head[a]; p != 0; p = j.next[p-1] {
		if j.second[p-1] == b {
			return uint16(p - 1)
		}
	}
	j.first = append(j.first, a)
	j.second = append(j.second, b)
	j.next = append(j.next, j.head[a])
	j.head[a] = int32(len(j.second))
	j.result.values = append(j.result.values, j.value(s.values[a], t.values[b], widen))
	return uint16(len(j.second) - 1)
}
