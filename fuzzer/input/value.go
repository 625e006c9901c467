package input

import (
	"fmt"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Bounds of what a call may hold. A transaction has room for about 420,000 bytes
// of zero calldata (EIP-7623, 40 gas a token, 2^24 gas); these stay far below, so
// that a call is cheap to copy and to read. MaxElements and MaxBytes are
// arbitrary.
const (
	MaxElements  = 256  // elements of one T[]
	MaxBytes     = 4096 // length of one byte string
	MaxCallWords = 4096 // words of a call's arguments, as abi.Words counts them
)

// Valid reports what is wrong with v as a value of type t, nil when nothing is.
func Valid(v *Value, t *Type) error {
	switch t.Kind {
	case Bytes, String:
		if len(v.Bytes) > MaxBytes {
			return fmt.Errorf("%s: %d bytes, at most %d are allowed", t, len(v.Bytes), MaxBytes)
		}
		if v.Elems != nil || !v.Word.IsZero() {
			return fmt.Errorf("%s: holds a word or elements", t)
		}
		return nil
	case Slice, Array, Tuple:
		return validElems(v, t)
	}
	if v.Elems != nil || v.Bytes != nil {
		return fmt.Errorf("%s: holds elements or bytes", t)
	}
	if !t.Fits(&v.Word) {
		return fmt.Errorf("%s: the word %s does not fit", t, v.Word.Hex())
	}
	return nil
}

func validElems(v *Value, t *Type) error {
	if v.Bytes != nil || !v.Word.IsZero() {
		return fmt.Errorf("%s: holds a word or bytes", t)
	}
	switch n := len(v.Elems); {
	case t.Kind == Slice && n > MaxElements:
		return fmt.Errorf("%s: %d elements, at most %d are allowed", t, n, MaxElements)
	case t.Kind == Array && n != t.Length, t.Kind == Tuple && n != len(t.Fields):
		return fmt.Errorf("%s: holds %d elements", t, n)
	}
	for i := range v.Elems {
		if err := Valid(&v.Elems[i], t.Child(i)); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

// validAll validates an argument list and its total size.
func validAll(values []Value, types []Type) error {
	if len(values) != len(types) {
		return fmt.Errorf("%d arguments, want %d", len(values), len(types))
	}
	words := 0
	for i := range values {
		if err := Valid(&values[i], &types[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		words += abi.Words(&values[i], &types[i])
	}
	if words > MaxCallWords {
		return fmt.Errorf("%d words of arguments, at most %d are allowed", words, MaxCallWords)
	}
	return nil
}
