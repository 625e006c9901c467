package cheatcode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/internal/abi"
)

// jsonTable: reading JSON texts.
var jsonTable = jsonReaders()

// jsonReaders makes the table: one for each type and one for lists of them.
func jsonReaders() []function {
	table := []function{
		{Signature: "keyExists(string,string)", Returns: "bool", text: true, run: keyExists},
		{Signature: "keyExistsJson(string,string)", Returns: "bool", text: true, run: keyExists},
		{Signature: "parseJsonKeys(string,string)", Returns: "string[]", text: true, run: jsonKeys},
	}
	for _, t := range []struct{ name, kind string }{
		{"Uint", "uint256"}, {"Int", "int256"}, {"Bool", "bool"}, {"Address", "address"}, {"String", "string"}, {"Bytes", "bytes"}, {"Bytes32", "bytes32"},
	} {
		table = append(table,
			function{Signature: "parseJson" + t.name + "(string,string)", Returns: t.kind, text: true, run: jsonValue},
			function{Signature: "parseJson" + t.name + "Array(string,string)", Returns: t.kind + "[]", text: true, run: jsonValue},
		)
	}
	table = append(table,
		function{Signature: "parseJson(string)", Returns: "bytes", text: true, run: parseJSON},
		function{Signature: "parseJson(string,string)", Returns: "bytes", text: true, run: parseJSON},
	)
	return append(table, refuse("types are not read from texts: use vm.parseJson, or the typed ones such as vm.parseJsonUint", "parseJsonType(string,string)|bytes",
		"parseJsonType(string,string,string)|bytes", "parseJsonTypeArray(string,string,string)|bytes")...)
}

// errNoKey says that a path leads nowhere.
var errNoKey = errors.New("there is nothing at this path")

// document parses a text: TOML if the cheatcode's name says so, otherwise JSON.
func (c *context) document(text []byte) (any, error) {
	if strings.Contains(c.fn.Signature, "Toml") {
		return parseTOML(text)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	all, err := decodeJSON(decoder, 0)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more text after the value")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("failed parsing JSON: %w", err)
	}
	return all, nil
}

// object is a JSON object, or a TOML table, with its keys in order.
type object struct {
	keys   []string
	values map[string]any
}

func newObject() *object { return &object{values: map[string]any{}} }

func (o *object) set(key string, v any) {
	if _, known := o.values[key]; !known {
		o.keys = append(o.keys, key)
	}
	o.values[key] = v
}

// moveLast moves a key to the end; the object must have it.
func (o *object) moveLast(key string) {
	i := slices.Index(o.keys, key)
	o.keys = append(slices.Delete(o.keys, i, i+1), key)
}

// maxJSON bounds how deeply JSON nests, as Foundry's parser does.
const maxJSON = 128

// decodeJSON reads a value: nil, bool, string, json.Number, []any or *object.
func decodeJSON(decoder *json.Decoder, depth int) (any, error) {
	if depth > maxJSON {
		return nil, errors.New("recursion limit exceeded")
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			v, err := decodeJSON(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = decoder.Token()
		return list, err
	case json.Delim('{'):
		o := newObject()
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			v, err := decodeJSON(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			o.set(key.(string), v) //nolint:errcheck // the decoder lets nothing else be a key
		}
		_, err = decoder.Token()
		return o, err
	}
	return token, nil
}

// find follows a path (".vault.fees[2]", "$['a key']") in a text; "$" and "." are all
// of it.
func (c *context) find(text []byte, path string) (any, error) {
	at, err := c.document(text)
	if err != nil {
		return nil, err
	}
	if path = strings.TrimPrefix(path, "$"); path == "." {
		path = ""
	}
	for path != "" {
		key, rest, err := step(path)
		if err != nil {
			return nil, err
		}
		path = rest
		switch node := at.(type) {
		case *object:
			next, ok := node.values[key]
			if !ok {
				return nil, errNoKey
			}
			at = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(node) {
				return nil, errNoKey
			}
			at = node[i]
		default:
			return nil, errNoKey
		}
	}
	return at, nil
}

// step cuts the first key off a path.
func step(path string) (key, rest string, err error) {
	if inner, ok := strings.CutPrefix(strings.TrimPrefix(path, "."), "["); ok {
		key, rest, ok = strings.Cut(inner, "]")
		if !ok {
			return "", "", errors.New("the path has a bracket that is not closed")
		}
		return strings.Trim(key, `'"`), rest, nil
	}
	path = strings.TrimPrefix(path, ".")
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	return path[:end], path[end:], nil
}

func keyExists(c *context, a []abi.Value) ([]abi.Value, error) {
	_, err := c.find(a[0].Bytes, a[1].Text())
	if err != nil && !errors.Is(err, errNoKey) {
		return nil, err
	}
	return []abi.Value{boolOf(err == nil)}, nil
}

func jsonKeys(c *context, a []abi.Value) ([]abi.Value, error) {
	at, err := c.find(a[0].Bytes, a[1].Text())
	if err != nil {
		return nil, err
	}
	o, ok := at.(*object)
	if !ok {
		return nil, errors.New("there is not an object at this path")
	}
	var list abi.Value
	for _, key := range o.keys {
		list.Elems = append(list.Elems, textOf(key))
	}
	return []abi.Value{list}, nil
}

func jsonValue(c *context, a []abi.Value) ([]abi.Value, error) {
	at, err := c.find(a[0].Bytes, a[1].Text())
	if err != nil {
		return nil, err
	}
	v, err := ofJSON(&c.fn.result[0], at)
	return []abi.Value{v}, err
}

// ofJSON reads a value of the type: strings as people write them, and numbers and
// bools as JSON has them.
func ofJSON(t *abi.Type, at any) (abi.Value, error) {
	if t.Kind == abi.Slice {
		elements, ok := at.([]any)
		if !ok {
			return abi.Value{}, errors.New("there is no array at this path")
		}
		var list abi.Value
		for _, element := range elements {
			v, err := ofJSON(t.Elem, element)
			if err != nil {
				return abi.Value{}, err
			}
			list.Elems = append(list.Elems, v)
		}
		return list, nil
	}
	switch at := at.(type) {
	case string:
		return parse(t, at)
	case json.Number:
		if t.Kind == abi.Uint || t.Kind == abi.Int {
			return parse(t, strings.Replace(at.String(), "e+", "e", 1))
		}
		return parse(t, signedExponent(at.String()))
	case bool:
		return parse(t, strconv.FormatBool(at))
	}
	return abi.Value{}, fmt.Errorf("there is no %s at this path", t.String())
}

// signedExponent writes a number as Foundry does, with a sign before the exponent.
func signedExponent(number string) string {
	i := strings.IndexAny(number, "eE")
	if i < 0 || i+1 == len(number) || number[i+1] == '+' || number[i+1] == '-' {
		return number
	}
	return number[:i+1] + "+" + number[i+1:]
}
