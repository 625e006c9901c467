package abi

import (
	"encoding/hex"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// Style is how values are written as text. Numbers are decimal, bytes hexadecimal after
// 0x, arrays in brackets and tuples in parentheses; the zero Style writes the rest as
// Solidity does.
type Style struct {
	// Address writes an address; nil for hexadecimal with the checksum of EIP-55.
	Address func(common.Address) string
	// String writes a string; nil for strconv.Quote.
	String func(string) string
	// Named writes tuples as {name: value} instead.
	Named bool
}

// Format writes a value.
func (s *Style) Format(t *Type, v *Value) string { return string(s.Append(nil, t, v)) }

// Append appends what Format writes to dst.
func (s *Style) Append(dst []byte, t *Type, v *Value) []byte {
	switch t.Kind {
	case Uint:
		return append(dst, v.Word.Dec()...)
	case Int:
		return append(dst, SignedDec(&v.Word)...)
	case Address:
		if s.Address == nil {
			return append(dst, v.Address().Hex()...)
		}
		return append(dst, s.Address(v.Address())...)
	case Bool:
		return strconv.AppendBool(dst, v.Bool())
	case FixedBytes:
		word := v.Word.Bytes32()
		return appendHex(dst, word[:t.Bits/8])
	case Bytes:
		return appendHex(dst, v.Bytes)
	case String:
		if s.String == nil {
			return strconv.AppendQuote(dst, v.Text())
		}
		return append(dst, s.String(v.Text())...)
	case Tuple:
		if s.Named {
			return s.appendNamed(dst, t, v)
		}
		return append(s.appendElems(append(dst, '('), t, v), ')')
	}
	return append(s.appendElems(append(dst, '['), t, v), ']')
}

func (s *Style) appendElems(dst []byte, t *Type, v *Value) []byte {
	for i := range v.Elems {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = s.Append(dst, t.Child(i), &v.Elems[i])
	}
	return dst
}

func (s *Style) appendNamed(dst []byte, t *Type, v *Value) []byte {
	dst = append(dst, '{')
	for i := range v.Elems {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, t.Names[i]...), ": "...)
		dst = s.Append(dst, &t.Fields[i], &v.Elems[i])
	}
	return append(dst, '}')
}

func appendHex(dst, data []byte) []byte { return hex.AppendEncode(append(dst, "0x"...), data) }

// SignedDec is a word in two's complement as a decimal number.
func SignedDec(w *uint256.Int) string {
	if w.Sign() >= 0 {
		return w.Dec()
	}
	var x uint256.Int
	return "-" + x.Neg(w).Dec()
}
