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
)

// textTable: strings.
var textTable = []Function{
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

// format writes a value as Foundry does.
func format(t *typ, v *value) string {
	switch t.kind {
	case kindUint:
		return v.word.Dec()
	case kindInt:
		return signedBig(&v.word).String()
	case kindAddress:
		return v.address().Hex()
	case kindBool:
		return fmt.Sprint(v.truth())
	case kindFixed:
		word := v.word.Bytes32()
		return "0x" + hex.EncodeToString(word[:t.size])
	case kindBytes:
		return "0x" + hex.EncodeToString(v.bytes)
	case kindString:
		return v.text()
	case kindTuple:
		return literal(t, v)
	}
	texts := make([]string, len(v.list))
	for i := range v.list {
		texts[i] = format(t.elem, &v.list[i])
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// signedBig is a word as a number in two's complement.
func signedBig(w *uint256.Int) *big.Int {
	if w.Sign() >= 0 {
		return w.ToBig()
	}
	return new(big.Int).Neg(new(uint256.Int).Neg(w).ToBig())
}

func toString(c *context, a []value) ([]value, error) {
	return []value{textOf(format(&c.fn.arguments[0], &a[0]))}, nil
}

func parseText(c *context, a []value) ([]value, error) {
	v, err := parse(&c.fn.result[0], a[0].text())
	if err != nil {
		return nil, err
	}
	return []value{v}, nil
}

// parse reads a value as people write it.
func parse(t *typ, text string) (value, error) {
	failed := func(what string) (value, error) {
		return value{}, fmt.Errorf("failed parsing %q as type `%s`: %s", text, typeName(t), what)
	}
	switch t.kind {
	case kindUint, kindInt:
		n, err := parseNumber(text, t.kind == kindInt)
		if err != nil {
			return failed(err.Error())
		}
		return value{word: n}, nil
	case kindBool:
		switch strings.ToLower(text) {
		case "true", "1":
			return truthOf(true), nil
		case "false", "0":
			return truthOf(false), nil
		}
		return failed("it is neither true nor false")
	case kindAddress:
		data, err := parseHex(text)
		if err != nil || len(data) != common.AddressLength {
			return failed("an address has 40 hexadecimal digits")
		}
		return addressOf(common.BytesToAddress(data)), nil
	case kindFixed:
		data, err := parseHex(text)
		if err != nil || len(data) != t.size {
			return failed(fmt.Sprintf("it must have %d hexadecimal digits", 2*t.size))
		}
		var v value
		v.word.SetBytes(append(data, make([]byte, 32-t.size)...))
		return v, nil
	case kindBytes:
		data, err := parseHex(text)
		if err != nil || text == "" {
			return failed("it is not hexadecimal")
		}
		return bytesOf(data), nil
	case kindString:
		return textOf(text), nil
	}
	return failed("no text is written so")
}

// typeName is the type as signatures have it.
func typeName(t *typ) string {
	switch t.kind {
	case kindUint:
		return fmt.Sprint("uint", t.size)
	case kindInt:
		return fmt.Sprint("int", t.size)
	case kindFixed:
		return fmt.Sprint("bytes", t.size)
	case kindSlice:
		return typeName(t.elem) + "[]"
	case kindArray:
		return fmt.Sprintf("%s[%d]", typeName(t.elem), t.size)
	case kindTuple:
		names := make([]string, len(t.fields))
		for i := range t.fields {
			names[i] = typeName(&t.fields[i])
		}
		return "(" + strings.Join(names, ",") + ")"
	}
	return map[kind]string{kindAddress: "address", kindBool: "bool", kindBytes: "bytes", kindString: "string"}[t.kind]
}

func parseHex(text string) ([]byte, error) {
	return hex.DecodeString(strings.TrimPrefix(text, "0x"))
}

// maxDigits is more than any number of 256 bits has.
const maxDigits = 100

var errNumber = errors.New("it is no number of 256 bits")

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

func mapText(change func([]byte) []byte) func(*context, []value) ([]value, error) {
	return func(_ *context, a []value) ([]value, error) {
		return []value{bytesOf(change(slices.Clone(a[0].bytes)))}, nil
	}
}

// maxText bounds what texts are made to: replacing a letter by a page in a page grows
// as no gas pays for. Arbitrary.
const maxText = 1 << 16

var errLong = errors.New("the text becomes too long")

func replaceText(_ *context, a []value) ([]value, error) {
	n := bytes.Count(a[0].bytes, a[1].bytes)
	if len(a[0].bytes)+n*len(a[2].bytes) > maxText {
		return nil, errLong
	}
	return []value{bytesOf(bytes.ReplaceAll(a[0].bytes, a[1].bytes, a[2].bytes))}, nil
}

// splitText: an empty delimiter separates all letters, with nothing before the first
// and behind the last, as in Rust.
func splitText(_ *context, a []value) ([]value, error) {
	parts := bytes.Split(a[0].bytes, a[1].bytes)
	if len(a[1].bytes) == 0 {
		parts = slices.Concat([][]byte{nil}, parts, [][]byte{nil})
	}
	var list value
	for _, part := range parts {
		list.list = append(list.list, bytesOf(part))
	}
	return []value{list}, nil
}

// indexOf: the largest number when it is not there, which Foundry calls NOT_FOUND.
func indexOf(_ *context, a []value) ([]value, error) {
	at := bytes.Index(a[0].bytes, a[1].bytes)
	if at < 0 {
		return []value{wordOf(new(uint256.Int).SetAllOne())}, nil
	}
	return []value{uintOf(uint64(at))}, nil
}

func contains(_ *context, a []value) ([]value, error) {
	return []value{truthOf(bytes.Contains(a[0].bytes, a[1].bytes))}, nil
}

func toBase64(encoding *base64.Encoding) func(*context, []value) ([]value, error) {
	return func(_ *context, a []value) ([]value, error) {
		return []value{textOf(encoding.EncodeToString(a[0].bytes))}, nil
	}
}
