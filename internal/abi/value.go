package abi

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// Value is a value of some Type, which says what field counts. Values that are part of
// others share memory: to change one, copy the way down to it and share the rest.
type Value struct {
	Word  uint256.Int // elementary types: the ABI word
	Bytes []byte      // Bytes and String
	Elems []Value     // Slice, Array, Tuple
}

// Address is the value as an address.
func (v *Value) Address() common.Address { return v.Word.Bytes20() }

// Hash is the value as a bytes32.
func (v *Value) Hash() common.Hash { return v.Word.Bytes32() }

// Bool is the value as a bool.
func (v *Value) Bool() bool { return !v.Word.IsZero() }

// Text is the value as a string.
func (v *Value) Text() string { return string(v.Bytes) }

// Zero is the value that a Solidity variable of type t starts with.
func Zero(t *Type) Value {
	switch t.Kind {
	case Array:
		v := Value{Elems: make([]Value, t.Length)}
		for i := range v.Elems {
			v.Elems[i] = Zero(t.Elem)
		}
		return v
	case Tuple:
		return Value{Elems: Zeros(t.Fields)}
	}
	return Value{}
}

// Zeros is an argument list of zeros.
func Zeros(types []Type) []Value {
	if len(types) == 0 {
		return nil
	}
	values := make([]Value, len(types))
	for i := range types {
		values[i] = Zero(&types[i])
	}
	return values
}

// Equal reports whether two values of one type are the same.
func Equal(a, b *Value) bool {
	if a.Word != b.Word || len(a.Elems) != len(b.Elems) || string(a.Bytes) != string(b.Bytes) {
		return false
	}
	for i := range a.Elems {
		if !Equal(&a.Elems[i], &b.Elems[i]) {
			return false
		}
	}
	return true
}

// Words is the number of words in a value: one for each elementary value, for each length
// of bytes, strings and slices, and for each 32 bytes begun. The encoding has as many, and
// the offsets.
func Words(v *Value, t *Type) int {
	switch t.Kind {
	case Bytes, String:
		return 1 + chunks(len(v.Bytes))
	case Slice, Array, Tuple:
		n := 0
		if t.Kind == Slice {
			n = 1
		}
		for i := range v.Elems {
			n += Words(&v.Elems[i], t.Child(i))
		}
		return n
	}
	return 1
}

// chunks is the number of words that n bytes take.
func chunks(n int) int { return (n + WordSize - 1) / WordSize }
