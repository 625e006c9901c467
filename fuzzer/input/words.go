package input

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// WordKind tells what an input word is.
type WordKind uint8

// The kinds of input words.
const (
	LeafWord   WordKind = iota // an elementary argument or a part of one
	ChunkWord                  // 32 bytes of a byte string, zero-padded at its end; of calldata, the selector is a chunk of its own
	LengthWord                 // of a T[] (elements) or a byte string (bytes)
	SenderWord                 // the sender's address; only senders of the Space can be set
	ValueWord                  // wei; only of payable functions
	TimeWord                   // seconds that pass before the call
	BlockWord                  // blocks that pass before the call
	AnswerWord                 // a word that an attacker's contract answers
)

// maxPath is the longest path of a word: the argument's index, an index per
// nesting level, the chunk's index.
const maxPath = 1 + MaxDepth + 1

// Word names one input word of a sequence: the unit that mutation changes and
// prediction reasons about. It is comparable. For arguments, path leads from the
// argument's index through the indices of nested arrays and tuples to the leaf,
// array or byte string; a chunk's index comes last.
type Word struct {
	Call  int
	Kind  WordKind
	depth uint8 // indices used in path
	// Of a script: the answer, and the call in it that the rest speaks of, counted from 1; 0: none.
	answer, inner uint8
	path          [maxPath]uint16
}

// Path is the ABI leaf path; empty for the words of a call's environment.
func (w *Word) Path() []uint16 { return w.path[:w.depth] }

// String names the word for people, calls counted from 1: "call 2 argument 1.0".
func (w Word) String() string {
	names := [...]string{LeafWord: "argument", ChunkWord: "chunk", LengthWord: "length", SenderWord: "sender",
		ValueWord: "value", TimeWord: "time", BlockWord: "block", AnswerWord: "word"}
	var b strings.Builder
	fmt.Fprintf(&b, "call %d", w.Call+1)
	if w.answer > 0 {
		fmt.Fprintf(&b, " answer %d", w.answer)
	}
	if w.inner > 0 {
		fmt.Fprintf(&b, " call %d", w.inner)
	}
	b.WriteString(" " + names[w.Kind])
	for i, index := range w.Path() {
		sep := "."
		if i == 0 {
			sep = " "
		}
		fmt.Fprintf(&b, "%s%d", sep, index)
	}
	return b.String()
}

func (w Word) child(i int) Word {
	w.path[w.depth] = uint16(i)
	w.depth++
	return w
}

// AppendWords appends all input words of a sequence to dst: call by call, the
// arguments from left to right (a length before what it counts), then sender,
// value (payable functions only), time and block, and those of the script.
func AppendWords(dst []Word, seq Sequence) []Word {
	for i := range seq {
		dst = AppendCallWords(dst, seq, i)
	}
	return dst
}

// AppendCallWords appends the input words of one call. A test has arguments and nothing
// else.
func AppendCallWords(dst []Word, seq Sequence, call int) []Word {
	dst = appendArgumentWords(dst, seq, call)
	if seq[call].Function.Test {
		return dst
	}
	dst = append(dst, Word{Call: call, Kind: SenderWord})
	if seq[call].Function.Payable {
		dst = append(dst, Word{Call: call, Kind: ValueWord})
	}
	dst = append(dst, Word{Call: call, Kind: TimeWord}, Word{Call: call, Kind: BlockWord})
	return appendScriptWords(dst, seq, call)
}

// appendScriptWords appends the words of a call's script: for each answer those that it gives
// back, and those of its calls, without senders and times.
func appendScriptWords(dst []Word, seq Sequence, call int) []Word {
	script := seq[call].Script
	if script == nil {
		return dst
	}
	for i := range script.Answers {
		a := &script.Answers[i]
		at := Word{Call: call, answer: uint8(i + 1)}
		for j := range a.Words {
			word := at
			word.Kind = AnswerWord
			dst = append(dst, word.child(j))
		}
		for j := range a.Calls {
			at.inner = uint8(j + 1)
			dst = appendCallArguments(dst, at, &a.Calls[j])
			if a.Calls[j].Function.Payable {
				word := at
				word.Kind = ValueWord
				dst = append(dst, word)
			}
		}
	}
	return dst
}

func appendArgumentWords(dst []Word, seq Sequence, call int) []Word {
	return appendCallArguments(dst, Word{Call: call}, &seq[call])
}

func appendCallArguments(dst []Word, at Word, c *Call) []Word {
	for i := range c.Args {
		dst = appendValueWords(dst, at.child(i), &c.Args[i], &c.Function.Inputs[i])
	}
	return dst
}

// callOf is the call that a word is of: one of the sequence, or one that a script makes; nil when the
// sequence has no such call.
func callOf(seq Sequence, w *Word) *Call {
	if w.Call < 0 || w.Call >= len(seq) {
		return nil
	}
	c := &seq[w.Call]
	if w.inner == 0 {
		return c
	}
	if a := answerOf(c, w); a != nil && int(w.inner) <= len(a.Calls) {
		return &a.Calls[w.inner-1]
	}
	return nil
}

// answerOf is the answer of a call's script that a word is of; nil when there is no such one.
func answerOf(c *Call, w *Word) *Answer {
	if c.Script == nil || w.answer == 0 || int(w.answer) > len(c.Script.Answers) {
		return nil
	}
	return &c.Script.Answers[w.answer-1]
}

func appendValueWords(dst []Word, at Word, v *Value, t *Type) []Word {
	switch t.Kind {
	case Bytes, String:
		at.Kind = LengthWord
		dst = append(dst, at)
		at.Kind = ChunkWord
		for i := range chunks(len(v.Bytes)) {
			dst = append(dst, at.child(i))
		}
	case Slice, Array, Tuple:
		if t.Kind == Slice {
			length := at
			length.Kind = LengthWord
			dst = append(dst, length)
		}
		for i := range v.Elems {
			dst = appendValueWords(dst, at.child(i), &v.Elems[i], t.Child(i))
		}
	default:
		dst = append(dst, at)
	}
	return dst
}

// resolve follows a word's path to the value that holds it; nil when the
// sequence has no such word.
func resolve(seq Sequence, w *Word) (*Value, *Type) {
	path := w.Path()
	if w.Kind == ChunkWord && len(path) > 0 {
		path = path[:len(path)-1]
	}
	c := callOf(seq, w)
	if c == nil || w.Kind == AnswerWord || len(path) == 0 || int(path[0]) >= len(c.Args) {
		return nil, nil
	}
	v, t := &c.Args[path[0]], &c.Function.Inputs[path[0]]
	for _, i := range path[1:] {
		if int(i) >= len(v.Elems) {
			return nil, nil
		}
		v, t = &v.Elems[i], t.Child(int(i))
	}
	return v, t
}

// WordType is the type of an argument's leaf; nil for other words, and for words
// that the sequence does not have.
func WordType(seq Sequence, w Word) *Type {
	if w.Kind != LeafWord {
		return nil
	}
	_, t := resolve(seq, &w)
	return t
}

// WordName is the name of the parameter that an argument's word is part of; "" for other
// words, and where it has none.
func WordName(seq Sequence, w Word) string {
	c := callOf(seq, &w)
	if c == nil || w.Kind == AnswerWord {
		return ""
	}
	names := c.Function.InputNames
	if w.depth == 0 || int(w.path[0]) >= len(names) {
		return ""
	}
	return names[w.path[0]]
}

// Get is the value of an input word; false when the sequence has no such word.
// A sender is its address, a time or block the advance.
func (s *Space) Get(seq Sequence, w Word) (uint256.Int, bool) {
	var out uint256.Int
	c := callOf(seq, &w)
	if c == nil {
		return out, false
	}
	switch w.Kind {
	case AnswerWord:
		if a := answerOf(c, &w); a != nil && int(w.path[0]) < len(a.Words) {
			return a.Words[w.path[0]], true
		}
		return out, false
	case SenderWord:
		return addressWord(s.Senders[c.Sender].Address), true
	case ValueWord:
		return c.Value, c.Function.Payable
	case TimeWord:
		out.SetUint64(c.TimeAdvance)
		return out, true
	case BlockWord:
		out.SetUint64(c.BlockAdvance)
		return out, true
	}
	v, t := resolve(seq, &w)
	if v == nil {
		return out, false
	}
	switch {
	case w.Kind == LeafWord && t.Elementary():
		return v.Word, true
	case w.Kind == LengthWord && t.Kind == Slice:
		out.SetUint64(uint64(len(v.Elems)))
		return out, true
	case w.Kind == LengthWord && (t.Kind == Bytes || t.Kind == String):
		out.SetUint64(uint64(len(v.Bytes)))
		return out, true
	case w.Kind == ChunkWord && (t.Kind == Bytes || t.Kind == String):
		return getChunk(v.Bytes, int(w.path[w.depth-1]))
	}
	return out, false
}

// isCalldata reports whether so many bytes may be a selector and words behind it.
func isCalldata(n int) bool { return n%32 == 4 }

// chunks is the number of chunks of so many bytes: 32 bytes each, from the first on; of calldata the
// selector is one, so that the others are the words behind it.
func chunks(n int) int { return (n + 31) / 32 }

// chunkAt is where a chunk of so many bytes begins and ends; false where there is no such chunk.
func chunkAt(n, i int) (from, end int, ok bool) {
	if i < 0 || i >= chunks(n) {
		return 0, 0, false
	}
	if !isCalldata(n) {
		return 32 * i, min(32*i+32, n), true
	}
	return max(0, 32*i-28), 32*i + 4, true
}

func getChunk(data []byte, i int) (out uint256.Int, ok bool) {
	from, end, ok := chunkAt(len(data), i)
	if !ok {
		return out, false
	}
	var chunk [32]byte
	copy(chunk[:], data[from:end])
	out.SetBytes32(chunk[:])
	return out, true
}

// With is seq with one input word set to x; arguments that the word is not part
// of are shared. False when the sequence has no such word or x does not fit it:
// outside its type or bounds, no sender's address, non-zero bytes behind a byte
// string's end. A longer array is filled with zero values.
func (s *Space) With(seq Sequence, w Word, x *uint256.Int) (Sequence, bool) {
	out := seq.Clone()
	if !s.set(out, w, x) {
		return nil, false
	}
	return out, true
}

// Fits reports whether With can set a word to x. It copies no array for an element.
func (s *Space) Fits(seq Sequence, w Word, x *uint256.Int) bool {
	if w.Call < 0 || w.Call >= len(seq) {
		return false
	}
	if w.Kind == LeafWord {
		_, t := resolve(seq, &w)
		return t != nil && t.Elementary() && t.Fits(x)
	}
	call := [1]Call{seq[w.Call]}
	w.Call = 0
	return s.set(call[:], w, x)
}

// set changes a word of a sequence whose call list belongs to the caller.
func (s *Space) set(seq Sequence, w Word, x *uint256.Int) bool {
	if w.Call < 0 || w.Call >= len(seq) {
		return false
	}
	c := &seq[w.Call]
	if w.answer > 0 {
		return s.setInScript(c, w, x)
	}
	if c.Function.Test && len(w.Path()) == 0 {
		return false
	}
	switch w.Kind {
	case SenderWord:
		return s.setSender(c, x)
	case ValueWord:
		if !c.Function.Payable || x.Gt(&s.maxValue) {
			return false
		}
		c.Value = *x
		return true
	case TimeWord:
		return setAdvance(&c.TimeAdvance, x, s.maxTime)
	case BlockWord:
		return setAdvance(&c.BlockAdvance, x, s.maxBlocks)
	}
	v, t := resolve(seq, &w)
	if v == nil {
		return false
	}
	changed, ok := changeValue(v, t, &w, x)
	if !ok || (w.Kind == LengthWord && !fitsCall(c, v, &changed, t)) {
		return false
	}
	path := w.Path()
	if w.Kind == ChunkWord {
		path = path[:len(path)-1]
	}
	c.Args = replaceAt(c.Args, path, changed)
	return true
}

// setBytes replaces the bytes that a word is the length of.
func (s *Space) setBytes(seq Sequence, w Word, data []byte) bool {
	v, t := resolve(seq, &w)
	if v == nil {
		return false
	}
	changed := Value{Bytes: data}
	if w.inner > 0 {
		c := &seq[w.Call]
		script := c.Script.Clone()
		inner := &script.Answers[w.answer-1].Calls[w.inner-1]
		if !fitsCall(inner, v, &changed, t) {
			return false
		}
		inner.Args = replaceAt(inner.Args, w.Path(), changed)
		c.Script = script
		return true
	}
	c := &seq[w.Call]
	if !fitsCall(c, v, &changed, t) {
		return false
	}
	c.Args = replaceAt(c.Args, w.Path(), changed)
	return true
}

// setInScript sets a word of a call's script, in a copy of it.
func (s *Space) setInScript(c *Call, w Word, x *uint256.Int) bool {
	if callOf(Sequence{*c}, &Word{answer: w.answer, inner: w.inner}) == nil || answerOf(c, &w) == nil {
		return false
	}
	script := c.Script.Clone()
	a := &script.Answers[w.answer-1]
	if w.inner == 0 {
		if w.Kind != AnswerWord || int(w.path[0]) >= len(a.Words) {
			return false
		}
		a.Words[w.path[0]] = *x
	} else {
		at := w.inner - 1
		w.Call, w.answer, w.inner = 0, 0, 0
		if w.Kind != ValueWord && w.depth == 0 || !s.set(a.Calls[at:at+1], w, x) {
			return false
		}
	}
	c.Script = script
	return true
}

func (s *Space) setSender(c *Call, x *uint256.Int) bool {
	a := common.Address(x.Bytes20())
	if w := addressWord(a); w != *x {
		return false
	}
	for i := range s.Senders {
		if s.Senders[i].Address == a && (i == s.contract || slices.Contains(s.ordinary, i)) {
			c.Sender = i
			return true
		}
	}
	return false
}

func setAdvance(dst *uint64, x *uint256.Int, most uint64) bool {
	if !x.IsUint64() || x.Uint64() > most {
		return false
	}
	*dst = x.Uint64()
	return true
}

// changeValue is the value v with the word w in it set to x.
func changeValue(v *Value, t *Type, w *Word, x *uint256.Int) (Value, bool) {
	switch {
	case w.Kind == LeafWord && t.Elementary():
		return Value{Word: *x}, t.Fits(x)
	case w.Kind == ChunkWord && (t.Kind == Bytes || t.Kind == String):
		from, end, ok := chunkAt(len(v.Bytes), int(w.path[w.depth-1]))
		if !ok {
			return Value{}, false
		}
		chunk := x.Bytes32()
		n := end - from
		for _, b := range chunk[n:] {
			if b != 0 {
				return Value{}, false
			}
		}
		data := slices.Clone(v.Bytes)
		copy(data[from:end], chunk[:n])
		return Value{Bytes: data}, true
	case w.Kind == LengthWord && t.Kind == Slice:
		if !x.IsUint64() || x.Uint64() > MaxElements {
			return Value{}, false
		}
		return Value{Elems: resizeElems(v.Elems, t.Elem, int(x.Uint64()))}, true
	case w.Kind == LengthWord && (t.Kind == Bytes || t.Kind == String):
		if !x.IsUint64() || x.Uint64() > MaxBytes {
			return Value{}, false
		}
		data := make([]byte, x.Uint64())
		copy(data, v.Bytes)
		return Value{Bytes: data}, true
	}
	return Value{}, false
}

func resizeElems(elems []Value, elem *Type, n int) []Value {
	out := make([]Value, n)
	for i := copy(out, elems); i < n; i++ {
		out[i] = abi.Zero(elem)
	}
	return out
}

// fitsCall reports whether a call may hold changed in place of old.
func fitsCall(c *Call, old, changed *Value, t *Type) bool {
	return c.Words()-abi.Words(old, t)+abi.Words(changed, t) <= MaxCallWords
}

// Words is the number of words of the call's arguments.
func (c *Call) Words() int {
	words := 0
	for i := range c.Args {
		words += abi.Words(&c.Args[i], &c.Function.Inputs[i])
	}
	return words
}

// replaceAt is values with the value at path replaced: the way there is copied,
// the rest shared.
func replaceAt(values []Value, path []uint16, v Value) []Value {
	out := slices.Clone(values)
	if len(path) == 1 {
		out[path[0]] = v
	} else {
		out[path[0]].Elems = replaceAt(out[path[0]].Elems, path[1:], v)
	}
	return out
}
