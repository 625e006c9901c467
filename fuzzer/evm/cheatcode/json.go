package cheatcode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// jsonTable: what stands in a JSON text.
var jsonTable = jsonReaders()

// jsonReaders makes the table: one for each type and one for lists of them.
func jsonReaders() []Function {
	table := []Function{
		{Signature: "keyExists(string,string)", Returns: "bool", run: keyExists},
		{Signature: "keyExistsJson(string,string)", Returns: "bool", run: keyExists},
		{Signature: "parseJsonKeys(string,string)", Returns: "string[]", run: jsonKeys, Note: "in alphabetical order"},
	}
	for _, t := range []struct{ name, kind string }{
		{"Uint", "uint256"}, {"Int", "int256"}, {"Bool", "bool"}, {"Address", "address"}, {"String", "string"}, {"Bytes", "bytes"}, {"Bytes32", "bytes32"},
	} {
		table = append(table,
			Function{Signature: "parseJson" + t.name + "(string,string)", Returns: t.kind, run: jsonValue},
			Function{Signature: "parseJson" + t.name + "Array(string,string)", Returns: t.kind + "[]", run: jsonValue},
		)
	}
	table = append(table,
		Function{Signature: "parseJson(string)", Returns: "bytes", run: parseJSON},
		Function{Signature: "parseJson(string,string)", Returns: "bytes", run: parseJSON},
	)
	return append(table, refuse("types are not read from texts: use vm.parseJson, or the typed ones such as vm.parseJsonUint", "parseJsonType(string,string)|bytes",
		"parseJsonType(string,string,string)|bytes", "parseJsonTypeArray(string,string,string)|bytes")...)
}

// errNoKey says that a path leads nowhere.
var errNoKey = errors.New("there is nothing at this path")

// findJSON follows a path (".vault.fees[2]", "$['a key']") in a text; "$" and "." are all
// of it.
func findJSON(text []byte, path string) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var at any
	if err := decoder.Decode(&at); err != nil {
		return nil, fmt.Errorf("failed parsing JSON: %w", err)
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
		case map[string]any:
			next, ok := node[key]
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

func keyExists(_ *context, a []value) ([]value, error) {
	_, err := findJSON(a[0].bytes, a[1].text())
	if err != nil && !errors.Is(err, errNoKey) {
		return nil, err
	}
	return []value{truthOf(err == nil)}, nil
}

func jsonKeys(_ *context, a []value) ([]value, error) {
	at, err := findJSON(a[0].bytes, a[1].text())
	if err != nil {
		return nil, err
	}
	object, ok := at.(map[string]any)
	if !ok {
		return nil, errors.New("there is no object at this path")
	}
	var list value
	for _, key := range slices.Sorted(maps.Keys(object)) {
		list.list = append(list.list, textOf(key))
	}
	return []value{list}, nil
}

func jsonValue(c *context, a []value) ([]value, error) {
	at, err := findJSON(a[0].bytes, a[1].text())
	if err != nil {
		return nil, err
	}
	v, err := ofJSON(&c.fn.result[0], at)
	return []value{v}, err
}

// ofJSON reads a value of the type: strings as people write them, and numbers and
// bools as JSON has them.
func ofJSON(t *typ, at any) (value, error) {
	if t.kind == kindSlice {
		elements, ok := at.([]any)
		if !ok {
			return value{}, errors.New("there is no array at this path")
		}
		var list value
		for _, element := range elements {
			v, err := ofJSON(t.elem, element)
			if err != nil {
				return value{}, err
			}
			list.list = append(list.list, v)
		}
		return list, nil
	}
	switch at := at.(type) {
	case string:
		return parse(t, at)
	case json.Number:
		return parse(t, at.String())
	case bool:
		return parse(t, strconv.FormatBool(at))
	}
	return value{}, fmt.Errorf("there is no %s at this path", typeName(t))
}
