package input

import (
	"encoding/binary"
	"slices"
)

// AppendEncode appends the ABI encoding of an argument list to dst (Solidity ABI
// specification, "Formal Specification of the Encoding": heads first, then the
// tails of dynamic types, offsets counted from the list's start). The values must
// be valid.
func AppendEncode(dst []byte, types []Type, values []Value) []byte {
	base, size := len(dst), 0
	for i := range types {
		size += types[i].head
	}
	dst = appendZeros(dst, size)
	at := base
	for i := range types {
		dst = encodeAt(dst, at, base, &types[i], &values[i])
		at += types[i].head
	}
	return dst
}

// appendElems encodes the elements of an array like a tuple of equal types.
func appendElems(dst []byte, elem *Type, values []Value) []byte {
	base := len(dst)
	dst = appendZeros(dst, len(values)*elem.head)
	for i := range values {
		dst = encodeAt(dst, base+i*elem.head, base, elem, &values[i])
	}
	return dst
}

// encodeAt writes v's head at dst[at:] and appends its tail, if any.
func encodeAt(dst []byte, at, base int, t *Type, v *Value) []byte {
	if t.Dynamic {
		putLength(dst[at:], len(dst)-base)
		return appendTail(dst, t, v)
	}
	putStatic(dst[at:], t, v)
	return dst
}

func putStatic(dst []byte, t *Type, v *Value) {
	if t.Elementary() {
		v.Word.PutUint256(dst)
		return
	}
	at := 0
	for i := range v.Elems {
		c := t.child(i)
		putStatic(dst[at:], c, &v.Elems[i])
		at += c.head
	}
}

func appendTail(dst []byte, t *Type, v *Value) []byte {
	switch t.Kind {
	case Bytes, String:
		dst = appendLength(dst, len(v.Bytes))
		dst = append(dst, v.Bytes...)
		return appendZeros(dst, -len(v.Bytes)&31)
	case Slice:
		dst = appendLength(dst, len(v.Elems))
		return appendElems(dst, t.Elem, v.Elems)
	case Array:
		return appendElems(dst, t.Elem, v.Elems)
	}
	return AppendEncode(dst, t.Fields, v.Elems)
}

func appendZeros(dst []byte, n int) []byte {
	dst = slices.Grow(dst, n)
	dst = dst[:len(dst)+n]
	clear(dst[len(dst)-n:])
	return dst
}

func appendLength(dst []byte, n int) []byte {
	dst = appendZeros(dst, 32)
	putLength(dst[len(dst)-32:], n)
	return dst
}

// putLength writes a length or offset into the word at dst, which is zero.
func putLength(dst []byte, n int) { binary.BigEndian.PutUint64(dst[24:32], uint64(n)) }
