package input

import (
	"bytes"

	"github.com/holiman/uint256"
)

// environmentShare: one single-word mutation in so many changes sender, value,
// time or block when the call has arguments too. Arbitrary.
const environmentShare = 5

// maxTries bounds the draws for a value that differs from the present one. Even a
// uint8 is hit again with probability below 1/2 by any draw, so 8 leave less than
// 1 in 256; then the next word value is taken.
const maxTries = 8

// mutateOneWord changes exactly one input word of a call, or bytes as a whole; seq's call list belongs
// to the mutator. False when no word of the call can change.
func (m *Mutator) mutateOneWord(r Rand, seq Sequence, call int) bool {
	m.words = appendArgumentWords(m.words[:0], seq, call)
	test := seq[call].Function.Test
	if n := len(m.words); n > 0 && (test || !oneIn(r, environmentShare)) {
		if w := m.words[r.IntN(n)]; m.redrawBytes(r, seq, w) || m.mutateEncoded(r, seq, w) || m.changeWord(r, seq, w) {
			return true
		}
	}
	if test {
		return false
	}
	return m.changeWord(r, seq, m.environmentWord(r, seq, call))
}

// environmentWord chooses among a call's sender, value, time and block. Blocks
// are compared with least often.
func (m *Mutator) environmentWord(r Rand, seq Sequence, call int) Word {
	weights := [...]int{4, 4, 3, 1}
	if len(m.space.ordinary) == 1 {
		weights[0] = 0
	}
	if !seq[call].Function.Payable || m.space.maxValue.IsZero() {
		weights[1] = 0
	}
	if m.space.maxBlocks == 0 {
		weights[3] = 0
	}
	if m.space.maxTime == 0 && weights[0]+weights[1]+weights[3] > 0 { // otherwise it is drawn in vain
		weights[2] = 0
	}
	kinds := [...]WordKind{SenderWord, ValueWord, TimeWord, BlockWord}
	return Word{Call: call, Kind: kinds[pick(r, weights[:])]}
}

// changeWord gives a word another value.
func (m *Mutator) changeWord(r Rand, seq Sequence, w Word) bool {
	old, ok := m.space.Get(seq, w)
	if !ok {
		return false
	}
	tuple := tupleOf(seq, &w)
	for range maxTries {
		x := m.propose(r, seq, w, &old)
		if x != old && m.space.set(seq, w, &x) {
			m.resizeParallel(r, seq, w, &old, &x)
			m.changeTwins(r, seq, &w, tuple)
			return true
		}
	}
	var next uint256.Int
	next.AddUint64(&old, 1)
	return m.space.set(seq, w, &next) || !old.IsZero() && m.space.set(seq, w, next.Clear())
}

// twinsShare: one change in so many of a tuple that other calls name, too, is of one call alone. Arbitrary.
const twinsShare = 4

// changeTwins changes a tuple in all calls that name the same, mostly: what is kept by a hash of all that it is, such as a market or a pool, is
// another one with another word, and calls that speak of it no longer fit together. tuple is as it was before.
func (m *Mutator) changeTwins(r Rand, seq Sequence, w *Word, tuple *Value) {
	if tuple != nil && hasTwin(seq, w, tuple) && !oneIn(r, twinsShare) {
		setTwins(seq, w, tuple)
	}
}

// redrawShare: where the length of bytes is to change, all of them do in one case of so many: calldata is not made word by word.
// Arbitrary.
const redrawShare = 3

// redrawBytes gives bytes another content; false where the word is not their length, or its turn has not come.
func (m *Mutator) redrawBytes(r Rand, seq Sequence, w Word) bool {
	if w.Kind != LengthWord {
		return false
	}
	v, t := resolve(seq, &w)
	if v == nil || t.Kind != Bytes || !oneIn(r, redrawShare) {
		return false
	}
	data := m.generateBytes(r, t, callOf(seq, &w))
	return !bytes.Equal(data, v.Bytes) && m.space.setBytes(seq, w, data)
}

// resizeParallel makes other arrays among a call's arguments, or among the fields of a struct, as long as one that was as long as they were: (targets, values,
// data). Bytes are an array next to one: (commands, inputs). It does so in half of the cases.
func (m *Mutator) resizeParallel(r Rand, seq Sequence, w Word, old, x *uint256.Int) {
	if w.Kind != LengthWord || w.depth == 0 {
		return
	}
	values, types := siblings(seq, w)
	own := int(w.path[w.depth-1])
	if own >= len(types) {
		return
	}
	kind := types[own].Kind
	if kind != Slice && (kind != Bytes || !takes(types, Slice)) || !oneIn(r, 2) {
		return
	}
	for i := range values {
		other := w
		other.path[w.depth-1] = uint16(i)
		if also := types[i].Kind; (also == Slice || also == Bytes && kind == Slice) && i != own && lengthOf(&values[i]) == old.Uint64() {
			m.space.set(seq, other, x)
		}
	}
}

// siblings are the arguments of a call, or the fields of a struct, of which a word's array or bytes is one; none in an array.
func siblings(seq Sequence, w Word) ([]Value, []Type) {
	if w.depth == 1 {
		c := callOf(seq, &w)
		return c.Args, c.Function.Inputs
	}
	w.depth--
	v, t := resolve(seq, &w)
	if v == nil || t.Kind != Tuple {
		return nil, nil
	}
	return v.Elems, t.Fields
}

// lengthOf is that of an array or of bytes.
func lengthOf(v *Value) uint64 { return uint64(max(len(v.Elems), len(v.Bytes))) }

// propose draws a new value for a word, which need not fit.
func (m *Mutator) propose(r Rand, seq Sequence, w Word, old *uint256.Int) uint256.Int {
	c := callOf(seq, &w)
	switch w.Kind {
	case AnswerWord:
		return m.proposeAnswer(r, seq, old)
	case SenderWord:
		return addressWord(m.space.Senders[m.sender(r, c.Function)].Address)
	case ValueWord:
		return m.proposeAmount(r, seq, w, old)
	case TimeWord, BlockWord:
		return m.proposeAdvance(r, w, old)
	}
	_, t := resolve(seq, &w)
	switch {
	case w.Kind == LengthWord:
		return proposeLength(r, t, old)
	case w.Kind == ChunkWord:
		return m.proposeChunk(r, c, &w, old)
	}
	return m.mutateLeaf(r, seq, t, old)
}

// The operations on a leaf, and how often each is drawn. The weights are
// arbitrary but for the dictionary's lead: guards compare with what it holds.
var leafWeights = []int{
	leafDictionary: 7,
	leafDelta:      5,
	leafBitFlip:    3,
	leafRandom:     3,
	leafBoundary:   4,
	leafNegate:     1,
	leafScale:      2,
	leafCopy:       2,
	leafEther:      1,
	leafLane:       3,
}

const (
	leafDictionary = iota
	leafDelta
	leafBitFlip
	leafRandom
	leafBoundary
	leafNegate
	leafScale
	leafCopy
	leafEther
	leafLane
)

// maxDelta is the largest step up or down: the one of AFL's arithmetic stage.
const maxDelta = 35

// mutateLeaf draws a new word for a leaf of type t. It fits.
func (m *Mutator) mutateLeaf(r Rand, seq Sequence, t *Type, old *uint256.Int) uint256.Int {
	switch t.Kind {
	case Bool:
		return *uint256.NewInt(1 - old.Uint64()&1)
	case Address:
		if !oneIn(r, 8) { // else like a number: neighbors, bits, copies
			return m.addressFor(r, t)
		}
	}
	var x uint256.Int
	switch pick(r, leafWeights) {
	case leafDictionary:
		if w, ok := m.dictionary.Sample(r, t); ok {
			return w
		}
		return randomOf(r, t)
	case leafDelta:
		x = addDelta(r, t, old)
	case leafBitFlip:
		x = *old
		bit := uint(r.IntN(t.Bits))
		if t.Kind == FixedBytes {
			bit += uint(256 - t.Bits)
		}
		x[bit/64] ^= 1 << (bit % 64)
	case leafRandom:
		return randomOf(r, t)
	case leafBoundary:
		return boundary(r, t)
	case leafNegate:
		x.Neg(old)
		if t.Kind != Int {
			x.Not(old)
		}
	case leafScale:
		x = scale(r, t, old)
	case leafCopy:
		x = m.otherWord(r, seq, t)
	case leafEther:
		x = etherUnit(r)
	case leafLane:
		x = changeLane(r, t, old)
	}
	return t.Wrap(&x)
}

// addDelta is old ± 1 … maxDelta, in the digits that the type shows.
func addDelta(r Rand, t *Type, old *uint256.Int) uint256.Int {
	var x uint256.Int
	delta := *uint256.NewInt(1 + r.Uint64N(maxDelta))
	if t.Kind == FixedBytes {
		delta.Lsh(&delta, uint(256-t.Bits))
	}
	if oneIn(r, 2) {
		x.Sub(old, &delta)
	} else {
		x.Add(old, &delta)
	}
	return x
}

// changeLane changes 1, 2, 4, 8 or 16 bytes of a word and leaves the others: code
// packs several numbers into one. A small step is one of that number alone, so that
// two runs tell where in the word it is.
func changeLane(r Rand, t *Type, old *uint256.Int) uint256.Int {
	bits := 8 << r.IntN(5)
	if bits >= t.Bits {
		x := addDelta(r, t, old)
		return t.Wrap(&x)
	}
	at := uint(8 * r.IntN((t.Bits-bits)/8+1))
	if t.Kind == FixedBytes {
		at += uint(256 - t.Bits)
	}
	part := Type{Kind: Uint, Bits: bits}
	var lane, mask uint256.Int
	mask.Sub(lane.Lsh(lane.SetOne(), uint(bits)), uint256.NewInt(1))
	lane.Rsh(old, at)
	lane.And(&lane, &mask)
	switch r.IntN(4) {
	case 0:
		lane = randomWord(r, bits)
	case 1:
		lane = boundary(r, &part)
	default:
		lane = addDelta(r, &part, &lane)
	}
	lane.And(&lane, &mask)
	lane.Lsh(&lane, at)
	mask.Lsh(&mask, at)
	var x uint256.Int
	x.Or(x.And(old, mask.Not(&mask)), &lane)
	return x
}

// scale multiplies or divides by 2 … 10, or by 100 or 1000 (percent, per mille,
// basis points in two steps).
func scale(r Rand, t *Type, old *uint256.Int) uint256.Int {
	factors := [...]uint64{2, 2, 3, 4, 5, 7, 8, 10, 10, 100, 1000}
	x, by := *old, uint256.NewInt(factors[r.IntN(len(factors))])
	switch {
	case oneIn(r, 2):
		x.Mul(old, by)
	case t.Kind == Int:
		x.SDiv(old, by)
	default:
		x.Div(old, by)
	}
	return x
}

// otherWord is the value of any word of the sequence.
func (m *Mutator) otherWord(r Rand, seq Sequence, t *Type) uint256.Int {
	words := AppendCallWords(m.words[:0], seq, r.IntN(len(seq)))
	m.words = words
	if len(words) == 0 {
		return randomOf(r, t)
	}
	x, _ := m.space.Get(seq, words[r.IntN(len(words))])
	if t.Kind == FixedBytes && !t.Fits(&x) {
		x.Lsh(&x, uint(256-t.Bits))
	}
	return x
}

// randomOf is a random value of the type with a random number of significant
// bits; negative in half of the cases when the type is signed.
func randomOf(r Rand, t *Type) uint256.Int {
	x := randomWord(r, t.Bits)
	switch t.Kind {
	case FixedBytes:
		x.Lsh(&x, uint(256-t.Bits))
	case Int:
		if oneIn(r, 2) {
			x.Neg(&x)
		}
	}
	return t.Wrap(&x)
}

// boundary is a value where code and types turn: 0, 1, the type's extremes and
// their neighbors, 2^k and its neighbors.
func boundary(r Rand, t *Type) uint256.Int {
	var x uint256.Int
	highest := uint(t.Bits)
	if t.Kind == Int {
		highest--
	}
	switch r.IntN(6) {
	case 0: // 0 or 1
		x.SetUint64(r.Uint64N(2))
	case 1: // max or max − 1
		x = power(highest)
		x.SubUint64(&x, 1+r.Uint64N(2))
	case 2: // min or min + 1; 0 or 1 for unsigned types
		if t.Kind == Int {
			x = power(highest)
			x.Neg(&x)
		}
		x.AddUint64(&x, r.Uint64N(2))
	case 3: // half the range: the sign boundary for code that casts
		x = power(highest - 1)
		x.SubUint64(&x, r.Uint64N(2))
	default: // 2^k − 1, 2^k, 2^k + 1, also negative
		x = power(uint(r.IntN(int(highest) + 1)))
		x.AddUint64(&x, r.Uint64N(3))
		x.SubUint64(&x, 1)
		if t.Kind == Int && oneIn(r, 2) {
			x.Neg(&x)
		}
	}
	if t.Kind == FixedBytes {
		x.Lsh(&x, uint(256-t.Bits))
	}
	return t.Wrap(&x)
}

// power is 2^k mod 2^256.
func power(k uint) uint256.Int {
	var x uint256.Int
	x.Lsh(x.SetOne(), k)
	return x
}
