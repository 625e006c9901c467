package cheatcode

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// This file encodes JSON without being told its types: by what its values look like, as
// Foundry does. An object is a tuple of its values in the order of their keys.

func parseJSON(c *context, a []abi.Value) ([]abi.Value, error) {
	path := "$"
	if len(a) > 1 {
		path = a[1].Text()
	}
	at, err := c.find(a[0].Bytes, path)
	if errors.Is(err, errNoKey) {
		return []abi.Value{{}}, nil
	}
	if err != nil {
		return nil, err
	}
	t, v, err := typed(at, 0)
	if err != nil {
		return nil, err
	}
	return []abi.Value{bytesOf(abi.Append(nil, []abi.Type{t}, []abi.Value{v}))}, nil
}

// maxNesting bounds how deeply arrays and objects nest. Arbitrary; configurations have
// about five levels.
const maxNesting = 16

// typed finds the type of a JSON value, and the value as one of it.
func typed(v any, depth int) (abi.Type, abi.Value, error) {
	if depth > maxNesting {
		return abi.Type{}, abi.Value{}, errors.New("the JSON nests too deeply")
	}
	switch v := v.(type) {
	case nil:
		return wordType, abi.Value{}, nil
	case bool:
		return wordType, boolOf(v), nil
	case json.Number:
		n, err := numberOf(v.String())
		return wordType, n, err
	case string:
		t, s := typedText(v)
		return t, s, nil
	case []any:
		types, values, err := typedAll(v, depth)
		return abi.List(types), listOf(values...), err
	case *object:
		var fields []any
		for _, key := range slices.Sorted(slices.Values(v.keys)) {
			fields = append(fields, v.values[key])
		}
		types, values, err := typedAll(fields, depth)
		return abi.TupleOf(types), listOf(values...), err
	}
	panic(fmt.Sprintf("cheatcode: JSON holds a %T", v))
}

func typedAll(all []any, depth int) ([]abi.Type, []abi.Value, error) {
	types, values := make([]abi.Type, len(all)), make([]abi.Value, len(all))
	for i, v := range all {
		var err error
		if types[i], values[i], err = typed(v, depth+1); err != nil {
			return nil, nil, err
		}
	}
	return types, values, nil
}

// numberOf is an integer, which may be written with an exponent.
func numberOf(text string) (abi.Value, error) {
	if strings.ContainsAny(text, "eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return abi.Value{}, fmt.Errorf("unsupported JSON number: %s", text)
		}
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	digits, negative := strings.CutPrefix(text, "-")
	n, err := uint256.FromDecimal(digits)
	if err != nil || negative && n.Gt(signBit) {
		return abi.Value{}, fmt.Errorf("unsupported JSON number: %s", text)
	}
	if negative {
		n.Neg(n)
	}
	return wordOf(n), nil
}

// typedText is a string, or if it is hexadecimal digits after 0x, the bytes that they are:
// of an address, of a word, or any.
func typedText(text string) (abi.Type, abi.Value) {
	digits, isHex := strings.CutPrefix(text, "0x")
	if len(digits)%2 != 0 {
		digits = "0" + digits
	}
	data, err := hex.DecodeString(digits)
	switch {
	case !isHex || err != nil:
		return stringType, textOf(text)
	case len(data) == common.AddressLength || len(data) == common.HashLength:
		return wordType, wordOf(new(uint256.Int).SetBytes(data))
	}
	return bytesType, bytesOf(data)
}
