package cheatcode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// This file reads TOML (https://toml.io/en/v1.1.0) as the JSON that Foundry makes of it: a
// table is an object, a time is a string.

// tomlTable: reading TOML texts.
var tomlTable = tomlReaders()

// tomlReaders are jsonReaders for TOML.
func tomlReaders() []function {
	table := []function{
		{Signature: "keyExistsToml(string,string)", Returns: "bool", text: true, run: keyExists},
		{Signature: "parseTomlKeys(string,string)", Returns: "string[]", text: true, run: jsonKeys},
		{Signature: "parseToml(string)", Returns: "bytes", text: true, run: parseJSON},
		{Signature: "parseToml(string,string)", Returns: "bytes", text: true, run: parseJSON},
	}
	for _, t := range [][2]string{{"Uint", "uint256"}, {"Int", "int256"}, {"Bool", "bool"}, {"Address", "address"}, {"Bytes32", "bytes32"}, {"String", "string"}, {"Bytes", "bytes"}} {
		table = append(table,
			function{Signature: "parseToml" + t[0] + "(string,string)", Returns: t[1], text: true, run: jsonValue},
			function{Signature: "parseToml" + t[0] + "Array(string,string)", Returns: t[1] + "[]", text: true, run: jsonValue},
		)
	}
	return append(table, refuse("types are not read from texts: use vm.parseToml, or the typed ones such as vm.parseTomlUint", "parseTomlType(string,string)|bytes",
		"parseTomlType(string,string,string)|bytes", "parseTomlTypeArray(string,string,string)|bytes")...)
}

// The bounds of a TOML text.
const (
	// maxTOML bounds its length, in bytes: go-toml takes time quadratic in the number of a
	// table's keys, and up to here no more than textGas pays for.
	maxTOML = 1 << 15
	// maxTOMLDepth bounds how deeply arrays and tables nest, as Foundry's parser does.
	maxTOMLDepth = 80
)

// parseTOML reads a document. go-toml says whether it is TOML, and gives its syntax tree,
// in which keys have the order of the text.
func parseTOML(text []byte) (any, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // a byte order mark
	if len(text) > maxTOML {
		return nil, errTOML(fmt.Errorf("it is longer than %d bytes", maxTOML))
	}
	var decoded map[string]any
	if err := toml.Unmarshal(text, &decoded); err != nil {
		return nil, errTOML(err)
	}
	parser := unstable.Parser{}
	parser.Reset(text)
	root := newObject()
	table := root
	for parser.NextExpression() {
		expression := parser.Expression()
		var err error
		if expression.Kind == unstable.KeyValue {
			err = setTOML(table, expression, 0)
		} else {
			table, err = openTOML(root, expression)
		}
		if err != nil {
			return nil, errTOML(err)
		}
	}
	return root, nil
}

// errTOML says where in the text an error is, if go-toml does.
func errTOML(err error) error {
	if decode := new(toml.DecodeError); errors.As(err, &decode) {
		line, column := decode.Position()
		return fmt.Errorf("failed parsing TOML: line %d, column %d: %s", line, column, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return fmt.Errorf("failed parsing TOML: %w", err)
}

var errDeepTOML = errors.New("recursion limit exceeded")

// tomlKey lists the parts of a key.
func tomlKey(n *unstable.Node) ([]string, error) {
	var key []string
	for parts := n.Key(); parts.Next(); {
		if len(key) == maxTOMLDepth {
			return nil, errDeepTOML
		}
		key = append(key, string(parts.Node().Data))
	}
	return key, nil
}

// openTOML finds or makes the table that a header, [key] or [[key]], begins.
func openTOML(root *object, header *unstable.Node) (*object, error) {
	key, err := tomlKey(header)
	if err != nil {
		return nil, err
	}
	parent, last := descend(root, key[:len(key)-1]), key[len(key)-1]
	if header.Kind == unstable.ArrayTable {
		list, _ := parent.values[last].([]any)
		table := newObject()
		parent.set(last, append(list, table))
		return table, nil
	}
	table := descend(parent, key[len(key)-1:])
	parent.moveLast(last) // Foundry's parser inserts a table where its own header is
	return table, nil
}

// descend follows keys to a table, and makes those that are missing. Of an array of tables
// it is the last. The text was checked: a key leads to nothing else.
func descend(table *object, keys []string) *object {
	for _, key := range keys {
		next := table.values[key]
		if list, ok := next.([]any); ok {
			next = list[len(list)-1]
		}
		inner, ok := next.(*object)
		if !ok {
			inner = newObject()
			table.set(key, inner)
		}
		table = inner
	}
	return table
}

// setTOML adds a pair, key = value, to a table.
func setTOML(table *object, pair *unstable.Node, depth int) error {
	key, err := tomlKey(pair)
	if err != nil {
		return err
	}
	v, err := ofTOML(pair.Value(), depth+len(key))
	descend(table, key[:len(key)-1]).set(key[len(key)-1], v)
	return err
}

// ofTOML converts a value to JSON's form: see decodeJSON.
func ofTOML(n *unstable.Node, depth int) (any, error) {
	if depth > maxTOMLDepth {
		return nil, errDeepTOML
	}
	text := string(n.Data)
	switch n.Kind {
	case unstable.Array:
		list := []any{}
		for elements := n.Children(); elements.Next(); {
			v, err := ofTOML(elements.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case unstable.InlineTable:
		table := newObject()
		for pairs := n.Children(); pairs.Next(); {
			if err := setTOML(table, pairs.Node(), depth); err != nil {
				return nil, err
			}
		}
		return table, nil
	case unstable.Bool:
		return text == "true", nil
	case unstable.Integer:
		i, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64)
		return json.Number(strconv.FormatInt(i, 10)), err
	case unstable.Float:
		return floatTOML(strings.ReplaceAll(text, "_", ""))
	case unstable.LocalDate, unstable.LocalTime, unstable.LocalDateTime, unstable.DateTime:
		return timeText(text), nil
	}
	return text, nil
}

// floatTOML converts a number to JSON's form; the three that JSON lacks are strings to
// Foundry.
func floatTOML(text string) (any, error) {
	switch text {
	case "nan", "+nan", "-nan":
		return "NaN", nil
	case "inf", "+inf", "-inf":
		return strings.TrimPrefix(text, "+"), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return floatNumber(f), err
}

// wholeTime takes a time, or a date and a time, apart: its fraction of a second and its
// offset may be missing, as may its seconds.
var wholeTime = regexp.MustCompile(`^(.*T)?(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9})\d*)?([Z+-].*)?$`)

// timeText writes a date or a time as Foundry does: with a T, with seconds, and with a
// fraction of as few digits as it takes, at most nine.
func timeText(text string) string {
	text = strings.ToUpper(strings.Replace(text, " ", "T", 1))
	m := wholeTime.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	date, minutes, seconds, fraction, offset := m[1], m[2], m[3], strings.TrimRight(m[4], "0"), m[5]
	if seconds == "" {
		seconds = ":00"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	if offset == "-00:00" {
		offset = "+00:00"
	}
	return date + minutes + seconds + fraction + offset
}

// floatNumber writes a number in the form of Foundry's JSON: with a decimal point if it has
// fewer than 17 digits before it.
func floatNumber(f float64) json.Number {
	if a := math.Abs(f); a != 0 && (a >= 1e16 || a < 1e-5) {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		exponent = strings.Replace(strings.TrimPrefix(exponent, "+"), "-0", "-", 1)
		return json.Number(mantissa + "e" + exponent)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return json.Number(text)
}
