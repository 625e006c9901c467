package cheatcode

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// kind is what a type is, as far as its encoding goes.
type kind uint8

const (
	kindUint kind = iota
	kindInt
	kindAddress
	kindBool
	kindFixed // bytes1 to bytes32
	kindBytes
	kindString
	kindSlice
	kindArray
	kindTuple
)

// typ is a type of the contract ABI
// (https://docs.soliditylang.org/en/latest/abi-spec.html).
type typ struct {
	kind    kind
	size    int // bits of numbers, bytes of kindFixed, elements of kindArray
	elem    *typ
	fields  []typ
	dynamic bool
	words   int // in the head, where it is not dynamic
}

// value is a value of any type: which of its fields counts, the type says.
type value struct {
	word  uint256.Int // numbers, addresses, bools, and fixed bytes, as the encoding has them
	bytes []byte      // bytes and strings
	list  []value     // slices, arrays and tuples
}

func (v *value) address() common.Address { return v.word.Bytes20() }
func (v *value) truth() bool             { return !v.word.IsZero() }
func (v *value) text() string            { return string(v.bytes) }
func (v *value) hash() common.Hash       { return v.word.Bytes32() }

func wordOf(w *uint256.Int) value      { return value{word: *w} }
func uintOf(n uint64) value            { return value{word: *uint256.NewInt(n)} }
func bytesOf(b []byte) value           { return value{bytes: b} }
func listOf(values ...value) value     { return value{list: values} }
func textOf(s string) value            { return value{bytes: []byte(s)} }
func addressOf(a common.Address) value { return value{word: *new(uint256.Int).SetBytes20(a[:])} }
func hashOf(h common.Hash) value       { return value{word: *new(uint256.Int).SetBytes32(h[:])} }
func truthOf(b bool) value {
	if b {
		return uintOf(1)
	}
	return value{}
}

// maxTypes bounds how deeply the types of a signature nest: the table's own go to four.
const maxTypes = 8

// parseTypes reads a list of types as selectors have it: "(uint256,(address,bytes)[])".
func parseTypes(list string) ([]typ, error) {
	t, rest, err := parseType(list, 0)
	if err != nil {
		return nil, err
	}
	if rest != "" || t.kind != kindTuple {
		return nil, fmt.Errorf("%q is no list of types", list)
	}
	return t.fields, nil
}

// parseType reads one type and gives what comes behind it.
func parseType(s string, depth int) (typ, string, error) {
	if depth > maxTypes {
		return typ{}, "", errors.New("types nest too deeply")
	}
	var t typ
	var err error
	if strings.HasPrefix(s, "(") {
		t, s, err = parseTuple(s[1:], depth)
	} else {
		end := strings.IndexAny(s, ",)[")
		if end < 0 {
			end = len(s)
		}
		t, err = parseElementary(s[:end])
		s = s[end:]
	}
	for err == nil && strings.HasPrefix(s, "[") {
		elem := t
		length, rest, closed := strings.Cut(s[1:], "]")
		if !closed {
			return typ{}, "", fmt.Errorf("%q is not closed", s)
		}
		s = rest
		if length == "" {
			t = typ{kind: kindSlice, elem: &elem, dynamic: true, words: 1}
			continue
		}
		n, parseErr := strconv.Atoi(length)
		t, err = typ{kind: kindArray, size: n, elem: &elem, dynamic: elem.dynamic, words: n * elem.words}, parseErr
	}
	return t, s, err
}

func parseTuple(s string, depth int) (typ, string, error) {
	t := typ{kind: kindTuple}
	if rest, empty := strings.CutPrefix(s, ")"); empty {
		return t, rest, nil
	}
	for {
		field, rest, err := parseType(s, depth+1)
		if err != nil {
			return typ{}, "", err
		}
		t.fields = append(t.fields, field)
		t.dynamic = t.dynamic || field.dynamic
		t.words += field.words
		switch {
		case strings.HasPrefix(rest, ","):
			s = rest[1:]
		case strings.HasPrefix(rest, ")"):
			return t, rest[1:], nil
		default:
			return typ{}, "", fmt.Errorf("%q where a type ends", rest)
		}
	}
}

func parseElementary(name string) (typ, error) {
	number := func(prefix string, step, most int) (int, bool) {
		n, err := strconv.Atoi(strings.TrimPrefix(name, prefix))
		return n, err == nil && n > 0 && n <= most && n%step == 0
	}
	switch {
	case name == "address":
		return typ{kind: kindAddress, words: 1}, nil
	case name == "bool":
		return typ{kind: kindBool, words: 1}, nil
	case name == "bytes":
		return typ{kind: kindBytes, dynamic: true, words: 1}, nil
	case name == "string":
		return typ{kind: kindString, dynamic: true, words: 1}, nil
	case strings.HasPrefix(name, "bytes"):
		if n, ok := number("bytes", 1, 32); ok {
			return typ{kind: kindFixed, size: n, words: 1}, nil
		}
	case strings.HasPrefix(name, "uint"):
		if n, ok := number("uint", 8, 256); ok {
			return typ{kind: kindUint, size: n, words: 1}, nil
		}
	case strings.HasPrefix(name, "int"):
		if n, ok := number("int", 8, 256); ok {
			return typ{kind: kindInt, size: n, words: 1}, nil
		}
	}
	return typ{}, fmt.Errorf("%q is no type", name)
}

// errMalformed is what Solidity's own decoder does not say.
var errMalformed = errors.New("the arguments are not encoded as their types say")

// decoder reads values from calldata that anybody may have made: offsets may point
// anywhere, many to the same place.
type decoder struct {
	// left is how many bytes may still be made of the data: what an honest encoding
	// decodes to is no longer than itself.
	left int
}

// valueSize is what a value takes beside its bytes, rounded up to a word: elements of
// no length would cost nothing otherwise.
const valueSize = 32

// decode reads values of the types; what is behind them is ignored, as Solidity does.
func decode(types []typ, data []byte) ([]value, error) {
	// A word of an honest encoding is counted at most three times: as an element, as
	// what it is, and with the tuple around it.
	d := decoder{left: 4*len(data) + 4*valueSize}
	return d.fields(types, data)
}

func (d *decoder) take(n int) bool {
	d.left -= n
	return d.left >= 0
}

// fields reads a tuple; data begins where its head does.
func (d *decoder) fields(types []typ, data []byte) ([]value, error) {
	values := make([]value, 0, min(len(types), len(data)/32))
	at := 0
	for i := range types {
		t := &types[i]
		v, err := d.field(t, data, at)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		if t.dynamic {
			at += 32
		} else {
			at += 32 * t.words
		}
	}
	return values, nil
}

// field reads a value whose head is at an offset of the tuple's data.
func (d *decoder) field(t *typ, data []byte, at int) (value, error) {
	if !t.dynamic {
		return d.static(t, data, at)
	}
	offset, ok := smallWord(data, at)
	if !ok || offset > len(data) {
		return value{}, errMalformed
	}
	return d.tail(t, data[offset:])
}

// static reads a value that is in the head itself.
func (d *decoder) static(t *typ, data []byte, at int) (value, error) {
	if !d.take(valueSize) {
		return value{}, errMalformed
	}
	switch t.kind {
	case kindTuple:
		if at > len(data) {
			return value{}, errMalformed
		}
		list, err := d.fields(t.fields, data[at:])
		return value{list: list}, err
	case kindArray:
		if at > len(data) {
			return value{}, errMalformed
		}
		list, err := d.elements(t.elem, t.size, data[at:])
		return value{list: list}, err
	}
	if at+32 > len(data) {
		return value{}, errMalformed
	}
	var v value
	v.word.SetBytes32(data[at : at+32])
	if !fits(t, &v.word) {
		return value{}, errMalformed
	}
	return v, nil
}

// fits reports whether a word is one of the type: Solidity's decoder refuses others.
func fits(t *typ, w *uint256.Int) bool {
	switch t.kind {
	case kindUint:
		return w.BitLen() <= t.size
	case kindInt:
		var extended uint256.Int
		extended.ExtendSign(w, uint256.NewInt(uint64(t.size/8-1)))
		return extended == *w
	case kindAddress:
		return w.BitLen() <= 160
	case kindBool:
		return w.BitLen() <= 1
	case kindFixed:
		var rest uint256.Int
		return rest.Lsh(w, uint(8*t.size)).IsZero()
	}
	return true
}

// tail reads a value whose length is not known beforehand; data begins with it.
func (d *decoder) tail(t *typ, data []byte) (value, error) {
	if !d.take(valueSize) {
		return value{}, errMalformed
	}
	switch t.kind {
	case kindTuple:
		list, err := d.fields(t.fields, data)
		return value{list: list}, err
	case kindArray:
		list, err := d.elements(t.elem, t.size, data)
		return value{list: list}, err
	}
	n, ok := smallWord(data, 0)
	if !ok {
		return value{}, errMalformed
	}
	data = data[32:]
	if t.kind == kindSlice {
		list, err := d.elements(t.elem, n, data)
		return value{list: list}, err
	}
	if n > len(data) || !d.take(n) {
		return value{}, errMalformed
	}
	return value{bytes: data[:n:n]}, nil
}

func (d *decoder) elements(elem *typ, n int, data []byte) ([]value, error) {
	width := 32
	if !elem.dynamic {
		width *= elem.words
	}
	if n > len(data) || n*width > len(data) || !d.take(n*valueSize) {
		return nil, errMalformed
	}
	list := make([]value, n)
	for i := range list {
		var err error
		if list[i], err = d.field(elem, data, i*width); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// smallWord reads an offset or a length; false when no data can be that long.
func smallWord(data []byte, at int) (int, bool) {
	if at+32 > len(data) {
		return 0, false
	}
	var w uint256.Int
	w.SetBytes32(data[at : at+32])
	if w.BitLen() > 31 {
		return 0, false
	}
	return int(w.Uint64()), true
}

// encode writes values as the types say.
func encode(types []typ, values []value) []byte {
	head, size := 0, 0
	for i := range types {
		if types[i].dynamic {
			head += 32
			size += tailSize(&types[i], &values[i])
		} else {
			head += 32 * types[i].words
		}
	}
	out := make([]byte, 0, head+size)
	return appendFields(out, types, values, head)
}

// tailSize is the length of what a dynamic value is encoded to, in bytes.
func tailSize(t *typ, v *value) int {
	switch t.kind {
	case kindBytes, kindString:
		return 32 + (len(v.bytes)+31)/32*32
	case kindTuple:
		n := 0
		for i := range t.fields {
			n += fieldSize(&t.fields[i], &v.list[i])
		}
		return n
	}
	n := 0
	if t.kind == kindSlice {
		n = 32
	}
	for i := range v.list {
		n += fieldSize(t.elem, &v.list[i])
	}
	return n
}

func fieldSize(t *typ, v *value) int {
	if t.dynamic {
		return 32 + tailSize(t, v)
	}
	return 32 * t.words
}

// appendFields writes a tuple: its head, of the given length, then the tails.
func appendFields(out []byte, types []typ, values []value, head int) []byte {
	offset := head
	for i := range types {
		if types[i].dynamic {
			out = appendUint(out, offset)
			offset += tailSize(&types[i], &values[i])
		} else {
			out = appendValue(out, &types[i], &values[i])
		}
	}
	for i := range types {
		if types[i].dynamic {
			out = appendValue(out, &types[i], &values[i])
		}
	}
	return out
}

func appendUint(out []byte, n int) []byte {
	word := uint256.NewInt(uint64(n)).Bytes32()
	return append(out, word[:]...)
}

// appendValue writes a value itself, in the head or in the tail.
func appendValue(out []byte, t *typ, v *value) []byte {
	switch t.kind {
	case kindBytes, kindString:
		out = appendUint(out, len(v.bytes))
		out = append(out, v.bytes...)
		return append(out, make([]byte, (32-len(v.bytes)%32)%32)...)
	case kindSlice, kindArray:
		if t.kind == kindSlice {
			out = appendUint(out, len(v.list))
		}
		types := make([]typ, len(v.list))
		for i := range types {
			types[i] = *t.elem
		}
		return appendFields(out, types, v.list, headSize(types))
	case kindTuple:
		return appendFields(out, t.fields, v.list, headSize(t.fields))
	}
	word := v.word.Bytes32()
	return append(out, word[:]...)
}

func headSize(types []typ) int {
	n := 0
	for i := range types {
		if types[i].dynamic {
			n += 32
		} else {
			n += 32 * types[i].words
		}
	}
	return n
}
