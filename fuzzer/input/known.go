package input

import (
	"reflect"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
)

// Bounds of what is kept of given calls. Arbitrary: a protocol has few kinds of structs, and
// tests name few of each.
const (
	maxKnownStructs = 32    // of a type
	maxKnownWords   = 1_024 // in all
)

// known are values that the configuration, deploy scripts, set-ups and tests give to functions and
// constructors: their authors know which mean something, and what.
type known struct {
	structs map[string][]Value // by type, "(address,uint256)"; each once
	words   []uint256.Int      // numbers, hashes and addresses; each once
}

// learn takes the arguments of constructors and of calls of the Space's instances.
func (s *Space) learn(calls []evm.Call, constructed []Constructed) {
	s.known.structs = map[string][]Value{}
	for i := range constructed {
		types, err := compileTypes(constructed[i].Contract.ABI.Constructor.Inputs)
		if err != nil {
			continue
		}
		values, err := Decode(types, constructed[i].Arguments)
		if err != nil {
			continue // larger than what sequences hold
		}
		for n := range values {
			s.learnValue(&types[n], &values[n])
		}
	}
	for i := range calls {
		call := calls[i]
		call.From = s.Senders[0].Address // whoever sent it
		read, err := s.Read(&call)
		if err != nil {
			continue
		}
		for n := range read.Args {
			s.learnValue(&read.Function.Inputs[n], &read.Args[n])
		}
	}
}

// learnValue takes a value, and what its bytes hold.
func (s *Space) learnValue(t *Type, v *Value) {
	s.known.add(t, v)
	s.learnEncoded(t, v)
}

// learnEncoded takes what the bytes in a value hold.
func (s *Space) learnEncoded(t *Type, v *Value) {
	for i := range v.Elems {
		s.learnEncoded(t.Child(i), &v.Elems[i])
	}
	if t.Kind != Bytes {
		return
	}
	for _, one := range s.encodings.all {
		if values, ok := one.decode(v.Bytes); ok {
			for i := range values {
				s.learnValue(&one.types[i], &values[i])
			}
		}
	}
}

// add keeps a value of a type, and those within.
func (k *known) add(t *Type, v *Value) {
	if t.Elementary() {
		if t.Kind != abi.Bool && !v.Word.LtUint64(2) && len(k.words) < maxKnownWords && !slices.Contains(k.words, v.Word) {
			k.words = append(k.words, v.Word)
		}
		return
	}
	for i := range v.Elems {
		k.add(t.Child(i), &v.Elems[i])
	}
	if t.Kind != Tuple {
		return
	}
	list := k.structs[t.String()]
	if len(list) < maxKnownStructs && !slices.ContainsFunc(list, func(w Value) bool { return reflect.DeepEqual(&w, v) }) {
		k.structs[t.String()] = append(list, *v)
	}
}

// knownShare: a new struct is a given one in all but one of so many cases, if one of its type
// is known: what identifies a market, a pool or an order is a struct, and no other exists.
// Arbitrary.
const knownShare = 4

// sample draws a struct of a type; false when none is known, or a new one is to be made.
func (k *known) sample(r Rand, t *Type) (Value, bool) {
	list := k.structs[t.String()]
	if len(list) == 0 || oneIn(r, knownShare) {
		return Value{}, false
	}
	return list[r.IntN(len(list))], true
}

// KnownWords are numbers, hashes and addresses that given calls have as arguments, see
// [SpaceOptions].Uses.
func (s *Space) KnownWords() []uint256.Int { return s.known.words }

// givenShare: one in so many constants that are drawn for a word wider than an address is a given
// one that is as wide, if there is one: a hash or a key, which nothing else leads to. Code has
// hundreds of constants. Arbitrary.
const givenShare = 4

// Know adds words that were given to calls to the constants, before any Snapshot is made.
func (d *Dictionary) Know(words []uint256.Int) {
	for i := range words {
		class := classOf(&words[i])
		if !slices.Contains(d.constants.plain[class], words[i]) {
			d.constants.plain[class] = append(d.constants.plain[class], words[i])
		}
		if class == classes-1 && !slices.Contains(d.constants.given, words[i]) {
			d.constants.given = append(d.constants.given, words[i])
		}
	}
}
