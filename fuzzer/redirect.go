package fuzzer

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// maxRedirected: with so many leads of one run, or a few more, no other element is
// looked for. Arbitrary: few calls touch more mappings.
const maxRedirected = 8

// zeroVariants: what writes zero takes the path of what writes any other number, so that
// it may be the only entry that stands for both. So many mutants of the call are
// leads, too. Arbitrary.
const zeroVariants = 3

// element is one of a mapping, which a call read or wrote.
type element struct {
	call       int
	account    common.Address
	slot, base uint256.Int
	value      uint256.Int
	keys       evm.Keys
}

// appendElements appends the elements of mappings that a call wrote, or read, each
// once.
func appendElements(dst []element, exec *evm.Execution, call int, written bool) []element {
	start := len(dst)
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		for j := range f.Storage {
			a := &f.Storage[j]
			if a.Write != written || a.Keys.Count == 0 || among(dst[start:], a.Address, &a.Slot) {
				continue
			}
			if len(dst)-start == maxFootprint {
				return dst
			}
			dst = append(dst, element{call, a.Address, a.Slot, a.Base, a.Value, a.Keys})
		}
	}
	return dst
}

// among reports whether one of the elements is the one at a slot.
func among(elements []element, account common.Address, slot *uint256.Int) bool {
	for i := range elements {
		if elements[i].slot == *slot && elements[i].account == account {
			return true
		}
	}
	return false
}

// redirect makes leads of a run with calls of another entry in front of its last one.
// These write a mapping that the last call reads (mufuzz §IV-A, "write before read"),
// mostly under another key: another holder's balance, another position. Where the key
// is an argument of the call that writes, or its sender, it becomes the one that is read;
// else, where it is one of the last call, that becomes the one that was written.
//
// MuFuzz orders calls by the variables alone, and leaves keys to chance.
func (s *step) redirect() []lead {
	last := len(s.sequence) - 1
	if !s.joined || last < 1 || s.without.RawOrder {
		return nil
	}
	s.read, s.written = appendElements(s.read[:0], s.exec, last, false), s.written[:0]
	for call := range last {
		if s.exec.Calls[call].Outcome == evm.Success {
			s.written = appendElements(s.written, s.exec, call, true)
		}
	}
	var leads []lead
	for w := len(s.written) - 1; w >= 0; w-- { // the calls next to the last one first
		for r := range s.read {
			if leads = append(leads, s.redirected(&s.written[w], &s.read[r])...); len(leads) >= maxRedirected {
				return leads
			}
		}
	}
	return leads
}

// redirected makes leads in which the call that wrote an element writes the one that
// was read; none where they are of two mappings, or a call has written that one.
func (s *step) redirected(written, read *element) []lead {
	if read.account != written.account || read.base != written.base || read.keys.Count != written.keys.Count || among(s.written, read.account, &read.slot) {
		return nil
	}
	seq, ok := s.rekey(written.call, &written.keys, &read.keys)
	if !ok {
		seq, ok = s.rekey(read.call, &read.keys, &written.keys)
	}
	if !ok || s.made.again(s.space, seq) {
		return nil
	}
	leads := []lead{{sequence: seq, joined: true}}
	if written.value.IsZero() {
		for range zeroVariants {
			other := seq.Clone()
			other[written.call] = s.mutator.MutateCall(s.rand, other[written.call])
			leads = append(leads, lead{sequence: other, joined: true})
		}
	}
	return leads
}

// rekey is the run's sequence with other keys in the place of those of a call; false
// where one of them is no word of the call, or cannot be what it should.
func (s *step) rekey(call int, keys, others *evm.Keys) (input.Sequence, bool) {
	s.callWords = input.AppendCallWords(s.callWords[:0], s.sequence, call)
	seq := s.sequence
	for i := range keys.Count {
		if keys.Words[i] == others.Words[i] {
			continue
		}
		at := s.wordOf(&keys.Words[i], input.LeafWord)
		if at < 0 {
			at = s.wordOf(&keys.Words[i], input.SenderWord)
		}
		if at < 0 {
			return nil, false
		}
		var ok bool
		if seq, ok = s.space.With(seq, s.callWords[at], &others.Words[i]); !ok {
			return nil, false
		}
		s.callWords[at].Call = -1 // taken
	}
	return seq, true
}

// wordOf finds a word of a kind by its value, among those of a call that are not
// taken; -1 when there is none.
func (s *step) wordOf(value *uint256.Int, kind input.WordKind) int {
	for i := range s.callWords {
		if w := s.callWords[i]; w.Kind == kind && w.Call >= 0 {
			if x, ok := s.space.Get(s.sequence, w); ok && x == *value {
				return i
			}
		}
	}
	return -1
}
