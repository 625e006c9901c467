package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// maxSubstitutions bounds, roughly, the leads of one run. Arbitrary: few calls touch more
// mappings.
const maxSubstitutions = 8

// zeroVariants: a call that writes zero takes the same path as one that writes any other
// number, so that the suite may have it alone. So many mutants of the call become leads,
// too. Arbitrary.
const zeroVariants = 3

// element is an element of a mapping that a call read or wrote.
type element struct {
	call       int
	account    common.Address
	slot, base uint256.Int
	value      uint256.Int
	keys       evm.Keys
}

// substituted is a call of a sequence that got other keys: those of the element that a later call reads.
type substituted struct {
	call          int
	before        input.Call // as it was, and succeeded
	written, read element    // what it wrote then, and what the later call read
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

// among reports whether one of the elements is at the slot.
func among(elements []element, account common.Address, slot *uint256.Int) bool {
	for i := range elements {
		if elements[i].slot == *slot && elements[i].account == account {
			return true
		}
	}
	return false
}

// keySubstitution is a stage: of a run with calls of another entry before its last one, it
// leads what they write to what the last one reads.
// They write a mapping that the last call reads (mufuzz §IV-A, "write before read"),
// mostly under another key: another holder's balance, another position. Where the key
// is an argument of the writing call, or its sender, it becomes the key that is read;
// otherwise, where it is one of the last call, that becomes the key that was written.
//
// A call that succeeded may fail with other keys: who grants a role must have the one that
// administers it, and who offers a token, the token. Then the call as it was comes before it, and is led to what it reads; or it stays, and the
// last call gets its keys.
//
// In an audit, where calls were put there on demand, those before the last one are led to each other as well: `etch`, `lookup`, and then the
// call that wants what `lookup` stores. And who reads an element that was written gets what was written as its other arguments: to ask for
// exactly what is there makes a difference even where no branch of its own tells. A pull request's campaign is too short for what that costs.
//
// Where the key is a hash of what the call that wrote it named, one of the two names the same as the other (see agree).
//
// MuFuzz orders calls by the variables alone and leaves keys to chance.
type keySubstitution struct {
	read, written []element // scratch
	callWords     []input.Word
}

func (k *keySubstitution) follow(s *step) {
	if s.room() > 0 {
		s.leads = append(s.leads, k.leadsOf(s)...)
	}
}

// leadsOf are the leads of a run.
func (k *keySubstitution) leadsOf(s *step) []lead {
	last := len(s.sequence) - 1
	if !s.joined || last < 1 || s.without.RawOrder {
		return nil
	}
	if sub := s.substituted; sub != nil && s.exec.Calls[sub.call].Outcome == evm.Reverted {
		return k.withoutSubstitute(s, sub)
	}
	if s.enables > 0 && s.exec.Calls[s.enables].Outcome == evm.Reverted {
		last = s.enables
	}
	leads := k.toward(s, last)
	for call := last - 1; s.audit && s.onDemand && call > 0 && len(leads) == 0; call-- {
		leads = k.toward(s, call)
	}
	if s.audit && s.onDemand {
		leads = append(leads, k.deferWriters(s)...)
		for i := range leads {
			leads[i].onDemand = true
		}
	}
	return leads
}

// withoutSubstitute makes leads of a run in which a call failed with the keys that it got: the call as it was comes before it, or in its place,
// where the one that reads has the keys that were written. Few numbers are those of a token that exists.
func (k *keySubstitution) withoutSubstitute(s *step, sub *substituted) (leads []lead) {
	if len(s.sequence) < s.maxSeqLen {
		seq := slices.Insert(s.sequence.Clone(), sub.call, sub.before)
		leads = append(leads, lead{sequence: seq, joined: true, enables: sub.call + 1})
	}
	if seq, ok := k.withKeys(s, sub.read.call, &sub.read.keys, &sub.written.keys); ok {
		seq[sub.call] = sub.before
		if !s.tried.add(s.space, seq) {
			leads = append(leads, lead{sequence: seq, joined: true})
		}
	}
	return leads
}

// deferWriters makes leads in which a call comes behind another that read what it wrote: what was taken for an element of nothing counts for
// another one then. State fuzzing shows that a branch wants a state that is out of order, but not which calls put it so.
func (k *keySubstitution) deferWriters(s *step) (leads []lead) {
	last := len(s.sequence) - 1
	for reader := 1; reader < last; reader++ {
		k.read = appendElements(k.read[:0], s.exec, reader, false)
		for writer := range reader {
			if s.exec.Calls[writer].Outcome != evm.Success {
				continue
			}
			k.written = appendElements(k.written[:0], s.exec, writer, true)
			if !slices.ContainsFunc(k.written, func(e element) bool { return !e.value.IsZero() && among(k.read, e.account, &e.slot) }) {
				continue
			}
			seq := s.sequence.Clone()
			deferred := seq[writer]
			seq = slices.Insert(slices.Delete(seq, writer, writer+1), reader, deferred)
			if s.tried.add(s.space, seq) {
				continue
			}
			if leads = append(leads, lead{sequence: seq, joined: true}); len(leads) == maxSubstitutions {
				return leads
			}
		}
	}
	return leads
}

// toward makes leads toward the elements that one call of a run read.
func (k *keySubstitution) toward(s *step, last int) []lead {
	k.read, k.written = appendElements(k.read[:0], s.exec, last, false), k.written[:0]
	for call := range last {
		if s.exec.Calls[call].Outcome == evm.Success {
			k.written = appendElements(k.written, s.exec, call, true)
		}
	}
	var leads []lead
	for w := len(k.written) - 1; w >= 0; w-- { // the latest calls first
		for r := range k.read {
			if leads = append(leads, k.substituteKey(s, &k.written[w], &k.read[r])...); len(leads) >= maxSubstitutions {
				return leads
			}
		}
	}
	return leads
}

// substituteKey makes leads in which the call that wrote an element writes the one that
// was read; none if they belong to different mappings, or a call already wrote that one.
func (k *keySubstitution) substituteKey(s *step, written, read *element) []lead {
	if read.account != written.account || read.base != written.base || read.keys.Count != written.keys.Count {
		return nil
	}
	if read.slot == written.slot {
		return k.askForWritten(s, written, read)
	}
	if among(k.written, read.account, &read.slot) {
		return nil
	}
	var sub *substituted
	agreed := false
	seq, ok := k.withKeys(s, written.call, &written.keys, &read.keys)
	if ok {
		sub = &substituted{written.call, s.sequence[written.call], *written, *read}
	} else {
		seq, ok = k.withKeys(s, read.call, &read.keys, &written.keys)
		agreed = ok
	}
	for call := read.call - 1; !ok && s.audit && s.onDemand && call >= 0; call-- { // which left it in the state
		seq, ok = k.withKeys(s, call, &read.keys, &written.keys)
	}
	if !ok {
		return k.agree(s, written, read)
	}
	if s.tried.add(s.space, seq) {
		return nil
	}
	leads := []lead{{sequence: seq, joined: true, substituted: sub, agreed: agreed}}
	if written.value.IsZero() {
		for range zeroVariants {
			other := seq.Clone()
			other[written.call] = s.mutator.MutateCall(s.rand, other[written.call])
			leads = append(leads, lead{sequence: other, joined: true})
		}
	}
	return leads
}

// maxAsked bounds the leads in which a call asks for what was written. Arbitrary: few functions have more arguments of the type.
const maxAsked = 2

// askForWritten makes leads in which arguments of a call that read an element become what another call wrote there.
func (k *keySubstitution) askForWritten(s *step, written, read *element) (leads []lead) {
	if leads = k.meetWritten(s, written, read); len(leads) > 0 || !s.audit || !s.onDemand || written.value.LtUint64(2) {
		return leads
	}
	k.callWords = input.AppendCallWords(k.callWords[:0], s.sequence, read.call)
	for _, word := range k.callWords {
		x, ok := s.space.Get(s.sequence, word)
		if !ok || word.Kind != input.LeafWord || x == written.value || slices.Contains(read.keys.Words[:read.keys.Count], x) {
			continue
		}
		seq, ok := s.space.With(s.sequence, word, &written.value)
		if !ok || s.tried.add(s.space, seq) {
			continue
		}
		if leads = append(leads, lead{sequence: seq, joined: true}); len(leads) == maxAsked {
			break
		}
	}
	return leads
}

// meetWritten makes leads of a call that read an element that another call wrote, and compared it: where the other
// operand is an argument, that becomes what was written. Both sides of the branch may have been taken before, with zero:
// who transfers nothing needs no balance.
func (k *keySubstitution) meetWritten(s *step, written, read *element) (leads []lead) {
	if written.value.IsZero() {
		return nil
	}
	k.callWords = input.AppendCallWords(k.callWords[:0], s.sequence, read.call)
	frames := s.exec.Calls[read.call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		for j := range s.exec.Frames[i].Comparisons {
			c := &s.exec.Frames[i].Comparisons[j]
			other := &c.Right
			if c.Right == written.value {
				other = &c.Left
			} else if c.Left != written.value {
				continue
			}
			at := k.wordOf(s, other, input.LeafWord)
			if at < 0 {
				continue
			}
			seq, ok := s.space.With(s.sequence, k.callWords[at], &written.value)
			if !ok || s.tried.add(s.space, seq) {
				continue
			}
			if leads = append(leads, lead{sequence: seq, joined: true}); len(leads) == maxAsked {
				return leads
			}
		}
	}
	return leads
}

// withKeys is the run's sequence with a call's keys replaced by others; false if a key is
// not a word of the call, or cannot take the other value.
func (k *keySubstitution) withKeys(s *step, call int, keys, others *evm.Keys) (input.Sequence, bool) {
	k.callWords = input.AppendCallWords(k.callWords[:0], s.sequence, call)
	seq := s.sequence
	for i := range keys.Count {
		if keys.Words[i] == others.Words[i] {
			continue
		}
		at := k.wordOf(s, &keys.Words[i], input.LeafWord)
		if at < 0 {
			at = k.wordOf(s, &keys.Words[i], input.SenderWord)
		}
		if at < 0 {
			return nil, false
		}
		var ok bool
		if seq, ok = s.space.With(seq, k.callWords[at], &others.Words[i]); !ok {
			return nil, false
		}
		k.callWords[at].Call = -1 // taken
	}
	return seq, true
}

// hashBits: a key of more bits does not name an account or count something; mostly it is a hash.
const hashBits = 8 * common.AddressLength

// agree makes leads in which the call that wrote an element names what the one that reads another names, and the other way around, where the
// elements' keys are hashes of that (see [input.Agree]); none where they are not.
func (k *keySubstitution) agree(s *step, written, read *element) (leads []lead) {
	hashed := false
	for i := range read.keys.Count {
		a, b := &written.keys.Words[i], &read.keys.Words[i]
		hashed = hashed || *a != *b && a.BitLen() > hashBits && b.BitLen() > hashBits
	}
	if !hashed {
		return nil
	}
	pairs := [2][2]int{{written.call, read.call}, {read.call, written.call}}
	if s.rand.IntN(2) == 0 { // with other names, either may fail
		slices.Reverse(pairs[:])
	}
	for _, pair := range pairs {
		call, ok := input.Agree(&s.sequence[pair[0]], &s.sequence[pair[1]])
		if !ok {
			continue
		}
		l := lead{sequence: s.sequence.Clone(), joined: true, agreed: true}
		l.sequence[pair[0]] = call
		if !s.tried.add(s.space, l.sequence) {
			leads = append(leads, l)
		}
	}
	return leads
}

// wordOf finds a word of a kind by its value, among the call's words that are not yet
// taken; −1 when there is none.
func (k *keySubstitution) wordOf(s *step, value *uint256.Int, kind input.WordKind) int {
	for i := range k.callWords {
		if w := k.callWords[i]; w.Kind == kind && w.Call >= 0 {
			if x, ok := s.space.Get(s.sequence, w); ok && x == *value {
				return i
			}
		}
	}
	return -1
}
