package abi

import (
	"encoding/binary"
	"slices"
)

// Append appends the encoding of an argument list to dst (ABI specification, "Formal
// Specification of the Encoding": heads first, then the tails of dynamic types, offsets
// counted from the list's start). The values must be of their types.
func Append(dst []byte, types []Type, values []Value) []byte {
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
		c := t.Child(i)
		putStatic(dst[at:], c, &v.Elems[i])
		at += c.head
	}
}

func appendTail(dst []byte, t *Type, v *Value) []byte {
	switch t.Kind {
	case Bytes, String:
		dst = appendLength(dst, len(v.Bytes))
		dst = append(dst, v.Bytes...)
		return appendZeros(dst, -len(v.Bytes)&(WordSize-1))
	case Slice:
		dst = appendLength(dst, len(v.Elems))
		if t.Elem != nil {
			return appendElems(dst, t.Elem, v.Elems)
		}
	case Array:
		return appendElems(dst, t.Elem, v.Elems)
	}
	return Append(dst, t.Fields, v.Elems) // of a tuple or a List
}

func appendZeros(dst []byte, n int) []byte {
	dst = slices.Grow(dst, n)
	dst = dst[:len(dst)+n]
	clear(dst[len(dst)-n:])
	return dst
}

func appendLength(dst []byte, n int) []byte {
	dst = appendZeros(dst, WordSize)
	putLength(dst[len(dst)-WordSize:], n)
	return dst
}

// putLength writes a length or offset into the word at dst, which is zero.
func putLength(dst []byte, n int) { binary.BigEndian.PutUint64(dst[WordSize-8:WordSize], uint64(n)) }
