package input

import (
	"bytes"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Bounds of what is made of encodings. Arbitrary.
const (
	maxEncodings      = 256               // of a Space
	maxEncodedDepth   = 3                 // of encodings in byte strings of encodings
	maxEncodedWords   = MaxBytes / 32 / 2 // leaves mutations room to grow
	maxDecoded        = 4                 // encodings that bytes are taken for, of which one is drawn
	ownEncodingShare  = 4                 // one encoding in so many is of another contract than the one that is called
	encodingShare     = 2                 // one byte string in so many is made by an encoding where some are known
	innerLengthShare  = 2                 // one change in so many is of a length in there: those are few, and neither formulas nor probes change them
	keepEncodingShare = 4                 // one change in so many of bytes that have an encoding does not keep it
)

// encodings are what the World's contracts decode byte strings to: who draws bytes, or changes one of them, comes nowhere near it.
type encodings struct {
	own map[*bytecode.Contract][]*encoding
	all []*encoding // each once
}

// encoding is the types of what a byte string holds, encoded like a function's parameters.
type encoding struct {
	types []Type
	head  int // bytes of them that every encoding has
	tail  int // index in there of the first offset, which is that of a tail; −1: none
}

func newEncoding(types []Type) *encoding {
	e := &encoding{types: types, tail: -1}
	for i := range types {
		if !types[i].Dynamic {
			e.head += chunkBytes * types[i].Words()
			continue
		}
		if e.tail < 0 {
			e.tail = e.head
		}
		e.head += chunkBytes
	}
	return e
}

func newEncodings(instances []Instance) encodings {
	e := encodings{own: map[*bytecode.Contract][]*encoding{}}
	known := map[string]*encoding{}
	for i := range instances {
		c := instances[i].Contract
		if c == nil || e.own[c] != nil {
			continue
		}
		for _, text := range c.Encodings {
			if _, met := known[text]; !met {
				known[text] = e.add(text)
			}
			if one := known[text]; one != nil {
				e.own[c] = append(e.own[c], one)
			}
		}
	}
	return e
}

// add makes an encoding; nil where there are enough, and for types that calls have no values of.
func (e *encodings) add(text string) *encoding {
	types, err := abi.Parse(text)
	if err != nil || len(e.all) == maxEncodings {
		return nil
	}
	one := newEncoding(types)
	e.all = append(e.all, one)
	return one
}

// draw chooses an encoding for bytes that a contract is given; there are some. The nearest to its source come first among its own, and
// are drawn more often.
func (e *encodings) draw(r Rand, c *bytecode.Contract) *encoding {
	own := e.own[c]
	if len(own) == 0 || oneIn(r, ownEncodingShare) {
		return e.all[r.IntN(len(e.all))]
	}
	return own[r.IntN(1+r.IntN(len(own)))]
}

// decode reads bytes that a contract is given by an encoding with which they are spelled like that; nil where there is none.
func (e *encodings) decode(r Rand, c *bytecode.Contract, data []byte) (*encoding, []Value) {
	fitting, decoded := e.fitting(c, data)
	if len(fitting) == 0 {
		return nil, nil
	}
	at := r.IntN(len(fitting))
	return fitting[at], decoded[at]
}

// fitting are encodings with which bytes are spelled like that, a contract's own if there are such, and what they hold by each.
func (e *encodings) fitting(c *bytecode.Contract, data []byte) (fitting []*encoding, decoded [][]Value) {
	for _, list := range [][]*encoding{e.own[c], e.all} {
		for _, one := range list {
			if values, ok := one.decode(data); ok && len(fitting) < maxDecoded {
				fitting, decoded = append(fitting, one), append(decoded, values)
			}
		}
		if len(fitting) > 0 {
			break
		}
	}
	return fitting, decoded
}

// decode reads bytes that are spelled like that. Most are not, which their length and the first offset tell.
func (e *encoding) decode(data []byte) ([]Value, bool) {
	if len(data)%chunkBytes != 0 || len(data) < e.head || e.tail < 0 && len(data) > e.head ||
		e.tail >= 0 && !new(uint256.Int).SetBytes32(data[e.tail:e.tail+chunkBytes]).Eq(uint256.NewInt(uint64(e.head))) {
		return nil, false
	}
	values, err := Decode(e.types, data)
	return values, err == nil && bytes.Equal(abi.Append(nil, e.types, values), data)
}

// encoded makes bytes that a call gives by an encoding; nil where they become too long.
func (m *Mutator) encoded(r Rand, c *Call) []byte {
	m.encodedDepth++
	defer func() { m.encodedDepth-- }()
	one := m.space.encodings.draw(r, m.space.Instances[c.Instance].Contract)
	budget := maxEncodedWords
	values := make([]Value, len(one.types))
	for i := range values {
		values[i] = m.generateValue(r, &one.types[i], c, &budget)
	}
	inside := Sequence{one.call(c, values)}
	if takes(one.types, Slice) && oneIn(r, 2) {
		m.align(r, inside)
	}
	if data := abi.Append(nil, one.types, inside[0].Args); len(data) <= MaxBytes {
		return data
	}
	return nil
}

// call is what bytes of a call hold, as arguments.
func (e *encoding) call(c *Call, values []Value) Call {
	return Call{Sender: c.Sender, Instance: c.Instance, Function: &Function{Inputs: e.types}, Args: values}
}

// maxAligned is the length of arrays that are made equally long. Arbitrary.
const maxAligned = 3

// align makes all arrays among arguments equally long, bytes as well: (commands, inputs).
func (m *Mutator) align(r Rand, seq Sequence) {
	n := uint256.NewInt(1 + r.Uint64N(maxAligned))
	for i, t := range seq[0].Function.Inputs {
		if t.Kind == Slice || t.Kind == Bytes {
			m.space.set(seq, Word{Kind: LengthWord}.child(i), n)
		}
	}
}

// mutateEncoded changes one word of what bytes hold, and encodes it anew; false where the word is not of bytes that have an encoding,
// or its turn has not come.
func (m *Mutator) mutateEncoded(r Rand, seq Sequence, w Word) bool {
	if len(m.space.encodings.all) == 0 || w.Kind != LengthWord && w.Kind != ChunkWord || m.encodedDepth >= maxEncodedDepth {
		return false
	}
	v, t := resolve(seq, &w)
	if v == nil || t.Kind != Bytes || len(v.Bytes) == 0 || oneIn(r, keepEncodingShare) {
		return false
	}
	c := callOf(seq, &w)
	one, values := m.space.encodings.decode(r, m.space.Instances[c.Instance].Contract, v.Bytes)
	if one == nil {
		return false
	}
	m.encodedDepth++
	defer func() { m.encodedDepth-- }()
	inside := Sequence{one.call(c, values)}
	m.words = appendArgumentWords(m.words[:0], inside, 0)
	if oneIn(r, innerLengthShare) {
		m.words = slices.DeleteFunc(m.words, func(w Word) bool { return w.Kind != LengthWord })
	}
	if len(m.words) == 0 {
		return false
	}
	at := m.words[r.IntN(len(m.words))]
	if !m.redrawBytes(r, inside, at) && !m.mutateEncoded(r, inside, at) && !m.changeWord(r, inside, at) {
		return false
	}
	data := abi.Append(nil, one.types, inside[0].Args)
	if w.Kind == ChunkWord {
		w.depth-- // to the bytes
		w.Kind = LengthWord
	}
	return len(data) <= MaxBytes && m.space.setBytes(seq, w, data)
}

// Resized appends to dst what seq becomes when its execution e compared the length of an array in bytes of the last call that have an
// encoding: it becomes as long as what it was compared with, one more, or one less. want tells which comparisons are of interest. At most
// MaxProposals are appended.
func (s *Space) Resized(dst []Sequence, seq Sequence, e *evm.Execution, want func(*evm.Frame, *evm.Comparison) bool) []Sequence {
	last := len(seq) - 1
	if len(s.encodings.all) == 0 || last >= len(e.Calls) {
		return dst
	}
	var wanted [][2]uint256.Int
	for i := e.Calls[last].Frames[0]; i < e.Calls[last].Frames[1]; i++ {
		f := &e.Frames[i]
		for j := range f.Comparisons {
			if c := &f.Comparisons[j]; len(wanted) < maxObserved && c.Left != c.Right && want(f, c) {
				wanted = append(wanted, [2]uint256.Int{c.Left, c.Right}, [2]uint256.Int{c.Right, c.Left})
			}
		}
	}
	if len(wanted) == 0 {
		return dst
	}
	start := len(dst)
	for _, w := range appendArgumentWords(nil, seq, last) {
		v, t := resolve(seq, &w)
		if w.Kind == LengthWord && t.Kind == Bytes && !s.resize(&seq[last], v.Bytes, wanted, 1, func(data []byte) bool {
			if out := seq.Clone(); s.setBytes(out, w, data) {
				dst = append(dst, out)
			}
			return len(dst)-start < MaxProposals
		}) {
			break
		}
	}
	return dst
}

// resize yields bytes of a call with other lengths of the arrays in them, as long as more are wanted; false when they are not.
func (s *Space) resize(c *Call, data []byte, wanted [][2]uint256.Int, depth int, yield func([]byte) bool) bool {
	if depth > maxEncodedDepth {
		return true
	}
	fitting, decoded := s.encodings.fitting(s.Instances[c.Instance].Contract, data)
	for i, one := range fitting {
		inside := Sequence{one.call(c, decoded[i])}
		for _, w := range appendArgumentWords(nil, inside, 0) {
			if w.Kind != LengthWord {
				continue
			}
			length, _ := s.Get(inside, w)
			for _, pair := range wanted {
				if pair[0] == length && !s.resizeTo(inside, w, &pair[1], yield) {
					return false
				}
			}
			v, t := resolve(inside, &w)
			if t.Kind != Bytes {
				continue
			}
			if !s.resize(c, v.Bytes, wanted, depth+1, func(data []byte) bool {
				out := inside.Clone()
				return !s.setBytes(out, w, data) || yield(abi.Append(nil, one.types, out[0].Args))
			}) {
				return false
			}
		}
	}
	return true
}

// resizeTo yields an encoding with a length near another number.
func (s *Space) resizeTo(inside Sequence, w Word, near *uint256.Int, yield func([]byte) bool) bool {
	var above, below uint256.Int
	above.AddUint64(near, 1)
	below.SubUint64(near, 1)
	for _, n := range []*uint256.Int{near, &above, &below} {
		out := inside.Clone()
		if s.set(out, w, n) && !yield(abi.Append(nil, out[0].Function.Inputs, out[0].Args)) {
			return false
		}
	}
	return true
}
