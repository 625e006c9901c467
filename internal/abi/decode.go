package abi

import (
	"errors"
	"fmt"

	"github.com/holiman/uint256"
)

// Limits bound what data decodes to, however it is made: offsets may point anywhere, many
// of them to one tail, so that each level of arrays could multiply what n bytes decode to.
type Limits struct {
	// Words is how many words the values may have together, as [Words] counts them.
	// [Honest] is what an encoding without shared tails has.
	Words int
	// Elements is the longest T[], Bytes the longest byte string; 0 for any.
	Elements, Bytes int
	// Padded refuses bytes whose padding is missing or not zero. Solidity's decoder does
	// not look at it.
	Padded bool
}

// Honest are the limits for data from anywhere: no more words than the data holds, which
// suffices for every encoding whose tails are its own.
func Honest(data []byte) Limits { return Limits{Words: chunks(len(data))} }

// What errors of Decode wrap.
var (
	ErrShort   = errors.New("the data ends early")
	ErrPadding = errors.New("padding is not zero")
	ErrWord    = errors.New("a word does not fit its type")
	ErrLimit   = errors.New("more than the limits allow")
)

// Decode reads an argument list. Like Solidity's decoder it takes tails in any order and
// place, ignores bytes after the last one, and refuses words that do not fit their type,
// and offsets and lengths beyond the data. Byte strings share memory with data; empty ones
// and empty arrays are nil.
func Decode(types []Type, data []byte, limits Limits) ([]Value, error) {
	d := decoder{limits}
	values, err := d.tuple(types, data)
	if err != nil {
		return nil, fmt.Errorf("decode arguments: %w", err)
	}
	return values, nil
}

// decoder counts down the words that values may still have.
type decoder struct{ Limits }

func (d *decoder) spend(n int) error {
	if d.Words -= n; d.Words < 0 {
		return fmt.Errorf("%w: too many words", ErrLimit)
	}
	return nil
}

// tuple reads the fields of a tuple; base begins with the first one's head.
func (d *decoder) tuple(types []Type, base []byte) ([]Value, error) {
	if len(types) == 0 {
		return nil, nil
	}
	values := make([]Value, len(types))
	at := 0
	for i := range types {
		if err := d.value(&values[i], &types[i], base, at); err != nil {
			return nil, fmt.Errorf("%s at byte %d: %w", &types[i], at, err)
		}
		at += types[i].head
	}
	return values, nil
}

// elems reads the n elements of an array; base begins with the first one's head.
func (d *decoder) elems(elem *Type, n int, base []byte) ([]Value, error) {
	if n == 0 {
		return nil, nil
	}
	if len(base)/elem.head < n {
		return nil, ErrShort
	}
	if n > d.Words { // each has at least one: room for them is paid for before it is made
		return nil, fmt.Errorf("%w: %d elements", ErrLimit, n)
	}
	values := make([]Value, n)
	for i := range values {
		if err := d.value(&values[i], elem, base, i*elem.head); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return values, nil
}

// value reads the value whose head is at base[at:]; offsets count from base.
func (d *decoder) value(v *Value, t *Type, base []byte, at int) error {
	if len(base) < at+t.head {
		return ErrShort
	}
	data := base[at:]
	if t.Dynamic {
		offset, err := readLength(data)
		if err != nil {
			return err
		}
		if offset > len(base) {
			return fmt.Errorf("offset %d: %w", offset, ErrShort)
		}
		data = base[offset:]
	}
	return d.body(v, t, data)
}

// body reads the value at data: in place for static types, the tail for dynamic ones.
func (d *decoder) body(v *Value, t *Type, data []byte) (err error) {
	switch t.Kind {
	case Bytes, String:
		v.Bytes, err = d.bytes(data)
	case Slice:
		v.Elems, err = d.slice(t, data)
	case Array:
		v.Elems, err = d.elems(t.Elem, t.Length, data)
	case Tuple:
		v.Elems, err = d.tuple(t.Fields, data)
	default:
		v.Word.SetBytes32(data)
		if !t.Fits(&v.Word) {
			return fmt.Errorf("%w: %s", ErrWord, v.Word.Hex())
		}
		err = d.spend(1)
	}
	return err
}

func (d *decoder) slice(t *Type, data []byte) ([]Value, error) {
	if t.Elem == nil {
		return nil, errors.New("a list of values without a common type cannot be decoded")
	}
	n, err := readLength(data)
	if err != nil {
		return nil, err
	}
	if d.Elements > 0 && n > d.Elements {
		return nil, fmt.Errorf("%w: %d elements, at most %d are allowed", ErrLimit, n, d.Elements)
	}
	if err := d.spend(1); err != nil {
		return nil, err
	}
	return d.elems(t.Elem, n, data[WordSize:])
}

func (d *decoder) bytes(data []byte) ([]byte, error) {
	n, err := readLength(data)
	if err != nil {
		return nil, err
	}
	if d.Bytes > 0 && n > d.Bytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrLimit, n, d.Bytes)
	}
	if err := d.spend(1 + chunks(n)); err != nil {
		return nil, err
	}
	data = data[WordSize:]
	if len(data) < n {
		return nil, ErrShort
	}
	if err := d.checkPadding(data, n); err != nil || n == 0 {
		return nil, err
	}
	return data[:n:n], nil
}

// checkPadding looks at what follows n bytes up to the end of their last word.
func (d *decoder) checkPadding(data []byte, n int) error {
	padded := chunks(n) * WordSize
	if !d.Padded {
		return nil
	}
	if len(data) < padded {
		return ErrShort
	}
	for _, b := range data[n:padded] {
		if b != 0 {
			return ErrPadding
		}
	}
	return nil
}

// maxLength is the greatest length or offset that is looked at; it fits an int anywhere,
// and no data is as long.
const maxLength = 1<<31 - 1

// readLength reads the length or offset that data begins with.
func readLength(data []byte) (int, error) {
	if len(data) < WordSize {
		return 0, ErrShort
	}
	var w uint256.Int
	w.SetBytes32(data)
	if !w.IsUint64() || w.Uint64() > maxLength {
		return 0, fmt.Errorf("length or offset %s: %w", w.Hex(), ErrShort)
	}
	return int(w.Uint64()), nil
}
