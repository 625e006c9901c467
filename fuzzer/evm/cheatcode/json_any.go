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
)

// This file encodes JSON whose types nobody has said: by what its values look like, as
// Foundry does. An object is a tuple of its values in the order of their keys.

// token is a value in the contract ABI's encoding.
type token struct {
	dynamic bool
	data    []byte // what stands in the head, or where the head points to if dynamic
}

func parseJSON(c *context, a []value) ([]value, error) {
	path := "$"
	if len(a) > 1 {
		path = a[1].text()
	}
	at, err := c.find(a[0].bytes, path)
	if errors.Is(err, errNoKey) {
		return []value{{}}, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := tokenOf(at, 0)
	if err != nil {
		return nil, err
	}
	return []value{bytesOf(sequence([]token{t}))}, nil
}

// sequence encodes a tuple's fields, or what stands behind an array's length.
func sequence(tokens []token) []byte {
	head := 0
	for _, t := range tokens {
		if t.dynamic {
			head += 32
		} else {
			head += len(t.data)
		}
	}
	var out, tails []byte
	for _, t := range tokens {
		if !t.dynamic {
			out = append(out, t.data...)
			continue
		}
		out = appendUint(out, head+len(tails))
		tails = append(tails, t.data...)
	}
	return append(out, tails...)
}

// maxNesting bounds how deeply arrays and objects nest, since each level copies what is in
// it. Arbitrary; configurations have some five levels.
const maxNesting = 16

func tokenOf(v any, depth int) (token, error) {
	if depth > maxNesting {
		return token{}, errors.New("the JSON nests too deeply")
	}
	switch v := v.(type) {
	case nil:
		return wordToken(new(uint256.Int)), nil
	case bool:
		word := truthOf(v).word
		return wordToken(&word), nil
	case json.Number:
		return numberToken(v.String())
	case string:
		return stringToken(v), nil
	case []any:
		tokens, err := tokensOf(v, depth)
		return token{true, append(appendUint(nil, len(v)), sequence(tokens)...)}, err
	case *object:
		var values []any
		for _, key := range slices.Sorted(slices.Values(v.keys)) {
			values = append(values, v.values[key])
		}
		tokens, err := tokensOf(values, depth)
		return token{slices.ContainsFunc(tokens, func(t token) bool { return t.dynamic }), sequence(tokens)}, err
	}
	panic(fmt.Sprintf("cheatcode: JSON holds a %T", v))
}

func tokensOf(values []any, depth int) ([]token, error) {
	var tokens []token
	for _, v := range values {
		t, err := tokenOf(v, depth+1)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

func wordToken(w *uint256.Int) token {
	word := w.Bytes32()
	return token{data: word[:]}
}

func bytesToken(b []byte) token {
	t := typ{kind: kindBytes}
	v := bytesOf(b)
	return token{true, appendValue(nil, &t, &v)}
}

// numberToken is a whole number, which may be written with an exponent.
func numberToken(text string) (token, error) {
	if strings.ContainsAny(text, "eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return token{}, fmt.Errorf("unsupported JSON number: %s", text)
		}
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	digits, negative := strings.CutPrefix(text, "-")
	n, err := uint256.FromDecimal(digits)
	if err != nil || negative && n.Gt(signBit) {
		return token{}, fmt.Errorf("unsupported JSON number: %s", text)
	}
	if negative {
		n.Neg(n)
	}
	return wordToken(n), nil
}

// stringToken is a string, or where it is hexadecimal digits behind 0x the bytes that
// they are: of an address, of a word, or any.
func stringToken(text string) token {
	digits, isHex := strings.CutPrefix(text, "0x")
	if len(digits)%2 != 0 {
		digits = "0" + digits
	}
	data, err := hex.DecodeString(digits)
	switch {
	case !isHex || err != nil:
		return bytesToken([]byte(text))
	case len(data) == common.AddressLength || len(data) == common.HashLength:
		return wordToken(new(uint256.Int).SetBytes(data))
	}
	return bytesToken(data)
}
