package input

import (
	"errors"
	"fmt"

	"github.com/holiman/uint256"
)

// Decode reads an argument list back. It accepts what AppendEncode writes, and
// tails in any order and place; it refuses words that do not fit their type,
// padding that is not zero, offsets and lengths beyond the data, and more than
// the bounds of a call (MaxElements, MaxBytes, MaxCallWords), so that nested
// arrays which share one tail cannot blow up. Bytes behind the last tail are
// ignored.
func Decode(types []Type, data []byte) ([]Value, error) {
	d := decoder{words: MaxCallWords}
	values, err := d.tuple(types, data)
	if err != nil {
		return nil, fmt.Errorf("decode arguments: %w", err)
	}
	return values, nil
}

// decoder counts down the words that a call may still hold.
type decoder struct{ words int }

var (
	errShortData = errors.New("the data ends early")
	errPadding   = errors.New("padding is not zero")
	errTooMany   = fmt.Errorf("more than %d words", MaxCallWords)
)

func (d *decoder) spend(n int) error {
	if d.words -= n; d.words < 0 {
		return errTooMany
	}
	return nil
}

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

func (d *decoder) elems(elem *Type, n int, base []byte) ([]Value, error) {
	if n == 0 {
		return nil, nil
	}
	if len(base) < n*elem.head {
		return nil, errShortData
	}
	values := make([]Value, n)
	for i := range values {
		if err := d.value(&values[i], elem, base, i*elem.head); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return values, nil
}

// value decodes the value whose head is at base[at:]; offsets count from base.
func (d *decoder) value(v *Value, t *Type, base []byte, at int) error {
	if len(base) < at+t.head {
		return errShortData
	}
	data := base[at:]
	if t.Dynamic {
		offset, err := readLength(base, at)
		if err != nil {
			return err
		}
		if offset > len(base) {
			return fmt.Errorf("offset %d: %w", offset, errShortData)
		}
		data = base[offset:]
	}
	return d.body(v, t, data)
}

// body decodes the value at data: in place for static types, the tail for
// dynamic ones.
func (d *decoder) body(v *Value, t *Type, data []byte) (err error) {
	switch t.Kind {
	case Bytes, String:
		v.Bytes, err = d.bytes(data)
	case Slice:
		var n int
		if n, err = readLength(data, 0); err != nil {
			return err
		}
		if n > MaxElements {
			return fmt.Errorf("%d elements, at most %d are allowed", n, MaxElements)
		}
		if err = d.spend(1); err == nil {
			v.Elems, err = d.elems(t.Elem, n, data[32:])
		}
	case Array:
		v.Elems, err = d.elems(t.Elem, t.Length, data)
	case Tuple:
		v.Elems, err = d.tuple(t.Fields, data)
	default:
		v.Word.SetBytes32(data)
		if !t.Fits(&v.Word) {
			return fmt.Errorf("the word %s does not fit", v.Word.Hex())
		}
		err = d.spend(1)
	}
	return err
}

func (d *decoder) bytes(data []byte) ([]byte, error) {
	n, err := readLength(data, 0)
	if err != nil {
		return nil, err
	}
	if n > MaxBytes {
		return nil, fmt.Errorf("%d bytes, at most %d are allowed", n, MaxBytes)
	}
	if err := d.spend(1 + (n+31)/32); err != nil {
		return nil, err
	}
	padded := (n + 31) &^ 31
	data = data[32:]
	if len(data) < padded {
		return nil, errShortData
	}
	for _, b := range data[n:padded] {
		if b != 0 {
			return nil, errPadding
		}
	}
	return append([]byte(nil), data[:n]...), nil
}

// readLength reads the length or offset at data[at:].
func readLength(data []byte, at int) (int, error) {
	if len(data) < at+32 {
		return 0, errShortData
	}
	var w uint256.Int
	w.SetBytes32(data[at:])
	if !w.IsUint64() || w.Uint64() > 1<<31-1 {
		return 0, fmt.Errorf("length or offset %s: %w", w.Hex(), errShortData)
	}
	return int(w.Uint64()), nil
}
