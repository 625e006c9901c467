package cheatcode

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// textTable: strings.
var textTable = []function{
	{Signature: "toString(address)", Returns: "string", run: toString},
	{Signature: "toString(bytes)", Returns: "string", run: toString},
	{Signature: "toString(bytes32)", Returns: "string", run: toString},
	{Signature: "toString(bool)", Returns: "string", run: toString},
	{Signature: "toString(uint256)", Returns: "string", run: toString},
	{Signature: "toString(int256)", Returns: "string", run: toString},
	{Signature: "parseBytes(string)", Returns: "bytes", run: parseText},
	{Signature: "parseAddress(string)", Returns: "address", run: parseText},
	{Signature: "parseUint(string)", Returns: "uint256", run: parseText},
	{Signature: "parseInt(string)", Returns: "int256", run: parseText},
	{Signature: "parseBytes32(string)", Returns: "bytes32", run: parseText},
	{Signature: "parseBool(string)", Returns: "bool", run: parseText},
	{Signature: "toLowercase(string)", Returns: "string", run: mapText(bytes.ToLower)},
	{Signature: "toUppercase(string)", Returns: "string", run: mapText(bytes.ToUpper)},
	{Signature: "trim(string)", Returns: "string", run: mapText(bytes.TrimSpace)},
	{Signature: "replace(string,string,string)", Returns: "string", run: replaceText},
	{Signature: "split(string,string)", Returns: "string[]", run: splitText},
	{Signature: "indexOf(string,string)", Returns: "uint256", run: indexOf},
	{Signature: "contains(string,string)", Returns: "bool", run: contains},
	{Signature: "toBase64(bytes)", Returns: "string", run: toBase64(base64.StdEncoding)},
	{Signature: "toBase64(string)", Returns: "string", run: toBase64(base64.StdEncoding)},
	{Signature: "toBase64URL(bytes)", Returns: "string", run: toBase64(base64.URLEncoding)},
	{Signature: "toBase64URL(string)", Returns: "string", run: toBase64(base64.URLEncoding)},
}

// plain writes values as Foundry does: strings as they are.
var plain = abi.Style{String: func(s string) string { return s }}

func format(t *abi.Type, v *abi.Value) string { return plain.Format(t, v) }

// signedBig is a word as a number in two's complement.
func signedBig(w *uint256.Int) *big.Int {
	if w.Sign() >= 0 {
		return w.ToBig()
	}
	return new(big.Int).Neg(new(uint256.Int).Neg(w).ToBig())
}

func toString(c *context, a []abi.Value) ([]abi.Value, error) {
	return []abi.Value{textOf(format(&c.fn.arguments[0], &a[0]))}, nil
}

func parseText(c *context, a []abi.Value) ([]abi.Value, error) {
	v, err := parse(&c.fn.result[0], a[0].Text())
	if err != nil {
		return nil, err
	}
	return []abi.Value{v}, nil
}

// parse reads a value as people write it.
func parse(t *abi.Type, text string) (abi.Value, error) {
	failed := func(what string) (abi.Value, error) {
		return abi.Value{}, fmt.Errorf("failed parsing %q as type `%s`: %s", text, t, what)
	}
	switch t.Kind {
	case abi.Uint, abi.Int:
		n, err := parseNumber(text, t.Kind == abi.Int)
		if err != nil {
			return failed(err.Error())
		}
		return abi.Value{Word: n}, nil
	case abi.Bool:
		switch strings.ToLower(text) {
		case "true", "1":
			return boolOf(true), nil
		case "false", "0":
			return boolOf(false), nil
		}
		return failed("it is neither true nor false")
	case abi.Address:
		data, err := parseHex(text)
		if err != nil || len(data) != common.AddressLength {
			return failed("an address has 40 hexadecimal digits")
		}
		return addressOf(common.BytesToAddress(data)), nil
	case abi.FixedBytes:
		data, err := parseHex(text)
		if err != nil || len(data) != t.Bits/8 {
			return failed(fmt.Sprintf("it must have %d hexadecimal digits", t.Bits/4))
		}
		var v abi.Value
		v.Word.SetBytes(append(data, make([]byte, 32-len(data))...))
		return v, nil
	case abi.Bytes:
		data, err := parseHex(text)
		if err != nil || text == "" {
			return failed("it is not hexadecimal")
		}
		return bytesOf(data), nil
	case abi.String:
		return textOf(text), nil
	}
	return failed("no text is written so")
}

func parseHex(text string) ([]byte, error) {
	return hex.DecodeString(strings.TrimPrefix(text, "0x"))
}

// maxDigits is more than the digits of any number of 256 bits.
const maxDigits = 100

var errNumber = errors.New("it is not a 256-bit number")

// parseNumber reads a decimal or hexadecimal number.
func parseNumber(text string, mayNegate bool) (uint256.Int, error) {
	var word uint256.Int
	digits, negative := strings.CutPrefix(text, "-")
	if !negative && mayNegate {
		digits = strings.TrimPrefix(digits, "+")
	}
	if digits == "" || len(digits) > maxDigits || negative && !mayNegate || strings.ContainsAny(digits, "+-") {
		return word, errNumber
	}
	base := 10
	if rest, isHex := strings.CutPrefix(strings.ToLower(digits), "0x"); isHex {
		digits, base = rest, 16
	}
	if base == 10 {
		digits = wholeNumber(digits)
	}
	n, ok := new(big.Int).SetString(digits, base)
	limit := 256
	if mayNegate {
		limit = 255
	}
	if ok && negative {
		n.Neg(n)
		ok = new(big.Int).Not(n).BitLen() <= limit
	} else if ok {
		ok = n.BitLen() <= limit
	}
	if !ok {
		return word, errNumber
	}
	word.SetFromBig(n)
	return word, nil
}

// wholeNumber writes a number without exponent, if it has one: 1e18.
func wholeNumber(text string) string {
	digits, exponent, found := strings.Cut(strings.ToLower(text), "e")
	n, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if !found || err != nil || n < 0 || n > maxDecimals {
		return text
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(fraction) > n {
		return text
	}
	return whole + fraction + strings.Repeat("0", n-len(fraction))
}

func mapText(change func([]byte) []byte) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(_ *context, a []abi.Value) ([]abi.Value, error) {
		return []abi.Value{bytesOf(change(slices.Clone(a[0].Bytes)))}, nil
	}
}

// maxText bounds how long texts may become: replacing each letter of a page with a page
// makes more than gas pays for. Arbitrary.
const maxText = 1 << 16

var errLong = errors.New("the text becomes too long")

func replaceText(_ *context, a []abi.Value) ([]abi.Value, error) {
	n := bytes.Count(a[0].Bytes, a[1].Bytes)
	if len(a[0].Bytes)+n*len(a[2].Bytes) > maxText {
		return nil, errLong
	}
	return []abi.Value{bytesOf(bytes.ReplaceAll(a[0].Bytes, a[1].Bytes, a[2].Bytes))}, nil
}

// splitText: an empty delimiter separates all letters, with an empty part before the
// first and after the last, as in Rust.
func splitText(_ *context, a []abi.Value) ([]abi.Value, error) {
	parts := bytes.Split(a[0].Bytes, a[1].Bytes)
	if len(a[1].Bytes) == 0 {
		parts = slices.Concat([][]byte{nil}, parts, [][]byte{nil})
	}
	var list abi.Value
	for _, part := range parts {
		list.Elems = append(list.Elems, bytesOf(part))
	}
	return []abi.Value{list}, nil
}

// indexOf returns the largest number if the text is not found; Foundry calls it NOT_FOUND.
func indexOf(_ *context, a []abi.Value) ([]abi.Value, error) {
	at := bytes.Index(a[0].Bytes, a[1].Bytes)
	if at < 0 {
		return []abi.Value{wordOf(new(uint256.Int).SetAllOne())}, nil
	}
	return []abi.Value{uintOf(uint64(at))}, nil
}

func contains(_ *context, a []abi.Value) ([]abi.Value, error) {
	return []abi.Value{boolOf(bytes.Contains(a[0].Bytes, a[1].Bytes))}, nil
}

func toBase64(encoding *base64.Encoding) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(_ *context, a []abi.Value) ([]abi.Value, error) {
		return []abi.Value{textOf(encoding.EncodeToString(a[0].Bytes))}, nil
	}
}
