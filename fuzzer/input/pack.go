package input

import (
	"encoding/binary"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
)

// Packed is a Sequence in little memory: what a suite of thousands keeps.
// Calls that are alike are shared with the sequence that it was made from.
type Packed []*packedCall

// packedCall is a Call: the numbers in front of the arguments and these, each as
// long as it needs. Every length is one of the function's types or in front of what
// it counts, so that no call's data is the beginning of another's.
type packedCall struct {
	function *Function
	data     string
	inner    []*Function // of the calls of its script
}

// Pack packs a sequence whose arguments are of its functions' types. Calls that
// are also in like are shared.
func Pack(seq Sequence, like Packed) Packed {
	packed := make(Packed, len(seq))
	var data []byte
	for i := range seq {
		data = appendScript(appendCall(data[:0], &seq[i]), seq[i].Script)
		var inner []*Function
		seq[i].Script.EachCall(func(c *Call) { inner = append(inner, c.Function) })
		if packed[i] = like.find(seq[i].Function, data, inner); packed[i] == nil {
			packed[i] = &packedCall{seq[i].Function, string(data), inner}
		}
	}
	return packed
}

// find is the packed call with the data; nil when there is none.
func (p Packed) find(f *Function, data []byte, inner []*Function) *packedCall {
	for _, call := range p {
		if call.function == f && call.data == string(data) && slices.Equal(call.inner, inner) {
			return call
		}
	}
	return nil
}

// Size is about how many bytes the sequence takes beyond what it shares with like.
func (p Packed) Size(like Packed) int {
	size := 8 * len(p)
	for _, call := range p {
		if !slices.Contains(like, call) {
			size += 48 + len(call.data) + 8*len(call.inner)
		}
	}
	return size
}

// Unpack is the sequence, in memory of its own.
func (p Packed) Unpack() Sequence {
	seq := make(Sequence, len(p))
	for i := range p {
		seq[i] = p.Call(i)
	}
	return seq
}

// Call is one call of the sequence, in memory of its own.
func (p Packed) Call(i int) Call {
	r := packedReader(p[i].data)
	c := r.call(p[i].function)
	c.Script = r.script(p[i].inner)
	return c
}

// Last is what the last call enters.
func (p Packed) Last() Callable {
	last := p[len(p)-1]
	r := packedReader(last.data)
	return Callable{Instance: int(r.number()), Function: last.function}
}

// IsTest reports whether the sequence is a run of a fuzz test.
func (p Packed) IsTest() bool { return len(p) > 0 && p[len(p)-1].function.Test }

// HasAny reports whether the sequence calls one of some functions.
func (p Packed) HasAny(of map[*Function]bool) bool {
	return slices.ContainsFunc(p, func(c *packedCall) bool {
		return of[c.function] || slices.ContainsFunc(c.inner, func(f *Function) bool { return of[f] })
	})
}

func appendCall(dst []byte, c *Call) []byte {
	dst = binary.AppendUvarint(dst, uint64(c.Instance))
	dst = binary.AppendUvarint(dst, uint64(c.Sender))
	dst = binary.AppendUvarint(dst, c.TimeAdvance)
	dst = binary.AppendUvarint(dst, c.BlockAdvance)
	dst = appendWord(dst, &c.Value)
	for i := range c.Args {
		dst = appendValue(dst, &c.Args[i], &c.Function.Inputs[i])
	}
	return dst
}

// appendScript appends a script: how many answers, and what each does.
func appendScript(dst []byte, s *Script) []byte {
	if s == nil {
		return append(dst, 0)
	}
	dst = append(dst, byte(len(s.Answers)))
	for i := range s.Answers {
		a := &s.Answers[i]
		any := byte(0)
		if a.Any {
			any = 1
		}
		dst = append(append(dst, a.On[:]...), any, a.Times, a.After, byte(a.End), byte(len(a.Words)), byte(len(a.Calls)))
		for j := range a.Words {
			dst = appendWord(dst, &a.Words[j])
		}
		for j := range a.Calls {
			dst = appendCall(dst, &a.Calls[j])
		}
	}
	return dst
}

func appendValue(dst []byte, v *Value, t *Type) []byte {
	switch t.Kind {
	case Bytes, String:
		dst = binary.AppendUvarint(dst, uint64(len(v.Bytes)))
		return append(dst, v.Bytes...)
	case Slice, Array, Tuple:
		if t.Kind == Slice {
			dst = binary.AppendUvarint(dst, uint64(len(v.Elems)))
		}
		for i := range v.Elems {
			dst = appendValue(dst, &v.Elems[i], t.Child(i))
		}
		return dst
	}
	return appendWord(dst, &v.Word)
}

// appendWord appends the number of a word's significant bytes, and these.
func appendWord(dst []byte, x *uint256.Int) []byte {
	n := x.ByteLen()
	dst = append(dst, byte(n))
	bytes := x.Bytes32()
	return append(dst, bytes[32-n:]...)
}

// packedReader is what is left of a packed call. It is ours, so that nothing in it
// is checked.
type packedReader string

func (r *packedReader) take(n int) string {
	taken := (*r)[:n]
	*r = (*r)[n:]
	return string(taken)
}

func (r *packedReader) number() (n uint64) {
	for shift := 0; ; shift += 7 {
		b := r.take(1)[0]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

func (r *packedReader) call(f *Function) Call {
	c := Call{Function: f}
	c.Instance, c.Sender = int(r.number()), int(r.number())
	c.TimeAdvance, c.BlockAdvance = r.number(), r.number()
	c.Value = r.word()
	if n := len(f.Inputs); n > 0 {
		c.Args = make([]Value, n)
		for i := range c.Args {
			r.value(&c.Args[i], &f.Inputs[i])
		}
	}
	return c
}

// script reads a script whose calls are of some functions, in order.
func (r *packedReader) script(functions []*Function) *Script {
	n := int(r.take(1)[0])
	if n == 0 {
		return nil
	}
	s := &Script{Answers: make([]Answer, n)}
	for i := range s.Answers {
		a := &s.Answers[i]
		copy(a.On[:], r.take(4))
		numbers := r.take(6)
		a.Any, a.Times, a.After, a.End = numbers[0] != 0, numbers[1], numbers[2], attacker.End(numbers[3])
		for range numbers[4] {
			a.Words = append(a.Words, r.word())
		}
		for range numbers[5] {
			a.Calls = append(a.Calls, r.call(functions[0]))
			functions = functions[1:]
		}
	}
	return s
}

func (r *packedReader) word() (x uint256.Int) {
	n := int(r.take(1)[0])
	var bytes [32]byte
	copy(bytes[32-n:], r.take(n))
	x.SetBytes32(bytes[:])
	return x
}

func (r *packedReader) value(v *Value, t *Type) {
	n := 0
	switch t.Kind {
	case Bytes, String:
		if n = int(r.number()); n > 0 {
			v.Bytes = []byte(r.take(n))
		}
		return
	case Slice:
		n = int(r.number())
	case Array:
		n = t.Length
	case Tuple:
		n = len(t.Fields)
	default:
		v.Word = r.word()
		return
	}
	if n > 0 {
		v.Elems = make([]Value, n)
	}
	for i := range v.Elems {
		r.value(&v.Elems[i], t.Child(i))
	}
}
