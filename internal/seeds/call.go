package seeds

import (
	"bytes"
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// sequence is one entry of a corpus.
type sequence []call

// call is a call as another fuzzer wrote it.
type call struct {
	contract string         // "C" or "src/C.sol:C"; empty: the file does not say
	to       common.Address // in that fuzzer's World; zero: the file does not say
	from     common.Address // likewise
	create   bool           // it deploys a contract

	signature string     // "deposit(uint256)", or the name alone; empty: data says which function it is
	data      []byte     // calldata, unless there is a signature
	arguments []argument // with a signature

	value        uint256.Int // wei
	time, blocks uint64      // that pass before it; seconds
}

// argument is one as its file has it.
type argument interface {
	// as is the argument as a value of a type.
	as(t *input.Type) (input.Value, error)
}

// selectorSize is the length of a method's selector, in bytes.
const selectorSize = 4

// errMisfit is that an argument is not a value of its parameter's type.
var errMisfit = errors.New("an argument does not fit its parameter")

// enters reports whether a call may be one of the function: its arguments may still not fit.
func (c *call) enters(f *input.Function) bool {
	switch {
	case f.Kind == input.Receive:
		return c.signature == "" && len(c.data) == 0
	case f.Kind == input.Fallback:
		return c.signature == "" && len(c.data) > 0
	case f.Kind != input.Method:
		return false
	case c.signature == "":
		return len(c.data) >= selectorSize && bytes.Equal(c.data[:selectorSize], f.Selector[:])
	}
	return c.signature == f.Signature || c.signature == f.Name && len(c.arguments) == len(f.Inputs)
}

// key tells functions of one contract apart.
func (c *call) key() string {
	if c.signature != "" {
		return c.signature
	}
	return string(c.data[:min(len(c.data), selectorSize)])
}

// values are the call's arguments as a function takes them.
func (c *call) values(f *input.Function) ([]input.Value, error) {
	if c.signature == "" {
		switch f.Kind {
		case input.Receive:
			return nil, nil
		case input.Fallback:
			if len(c.data) > input.MaxBytes {
				return nil, errMisfit
			}
			return []input.Value{{Bytes: c.data}}, nil
		}
		return input.Decode(f.Inputs, c.data[selectorSize:])
	}
	if len(c.arguments) != len(f.Inputs) {
		return nil, errMisfit
	}
	return listAs(c.arguments, func(i int) *input.Type { return &f.Inputs[i] })
}

// listAs are arguments as values of types.
func listAs(list []argument, typ func(int) *input.Type) ([]input.Value, error) {
	if len(list) == 0 {
		return nil, nil
	}
	values := make([]input.Value, len(list))
	for i := range list {
		var err error
		if values[i], err = list[i].as(typ(i)); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// elementsAs are the elements of an array or the fields of a struct as its value.
func elementsAs(list []argument, t *input.Type) (input.Value, error) {
	switch {
	case t.Kind == input.Slice && len(list) > input.MaxElements,
		t.Kind == input.Array && len(list) != t.Length,
		t.Kind == input.Tuple && len(list) != len(t.Fields):
		return input.Value{}, errMisfit
	}
	elems, err := listAs(list, t.Child)
	return input.Value{Elems: elems}, err
}

// numberAs is a decimal number, or a hexadecimal one with 0x, as a value of an integer type.
func numberAs(text string, t *input.Type) (input.Value, error) {
	negative := false
	if t.Kind == input.Int && len(text) > 0 && text[0] == '-' {
		negative, text = true, text[1:]
	}
	x, ok := number(text)
	if !ok || negative && x.Gt(minInt256) || t.Kind == input.Int && !negative && !x.Lt(minInt256) {
		return input.Value{}, errMisfit
	}
	if negative {
		x.Neg(&x)
	}
	if !t.Fits(&x) {
		return input.Value{}, errMisfit
	}
	return input.Value{Word: x}, nil
}

// minInt256 is 2^255, which int256 has with a minus alone.
var minInt256 = new(uint256.Int).Lsh(uint256.NewInt(1), 255)

// number reads decimal digits, or hexadecimal ones after 0x.
func number(text string) (x uint256.Int, ok bool) {
	if len(text) > 2 && (text[:2] == "0x" || text[:2] == "0X") {
		digits := text[2:]
		for len(digits) > 1 && digits[0] == '0' {
			digits = digits[1:]
		}
		return x, x.SetFromHex("0x"+digits) == nil
	}
	if text == "" || text[0] < '0' || text[0] > '9' { // the library takes a sign
		return x, false
	}
	return x, x.SetFromDecimal(text) == nil
}

// bytesAs is a byte string as a value.
func bytesAs(data []byte, t *input.Type) (input.Value, error) {
	if t.Kind != input.FixedBytes {
		if len(data) > input.MaxBytes {
			return input.Value{}, errMisfit
		}
		if len(data) == 0 {
			return input.Value{}, nil
		}
		return input.Value{Bytes: data}, nil
	}
	if len(data) != t.Bits/8 {
		return input.Value{}, errMisfit
	}
	var word [32]byte
	copy(word[:], data)
	var v input.Value
	v.Word.SetBytes32(word[:])
	return v, nil
}

// addressAs is the value of an address.
func addressAs(a common.Address) input.Value {
	var v input.Value
	v.Word.SetBytes20(a[:])
	return v
}

// boolAs is the value of a bool.
func boolAs(is bool) input.Value {
	var v input.Value
	if is {
		v.Word.SetOne()
	}
	return v
}

// bounded cuts a number to a bound.
func bounded(x *uint256.Int, most uint64) uint64 {
	if x.LtUint64(most) {
		return x.Uint64()
	}
	return most
}
