package cheatcode

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file reads TOML (https://toml.io/en/v1.0.0) as the JSON that it is to Foundry: a
// table is an object, a time is a string.

// tomlTable: what stands in a TOML text.
var tomlTable = tomlReaders()

// tomlReaders are jsonReaders for TOML.
func tomlReaders() []Function {
	table := []Function{
		{Signature: "keyExistsToml(string,string)", Returns: "bool", text: true, run: keyExists},
		{Signature: "parseTomlKeys(string,string)", Returns: "string[]", text: true, run: jsonKeys},
		{Signature: "parseToml(string)", Returns: "bytes", text: true, run: parseJSON},
		{Signature: "parseToml(string,string)", Returns: "bytes", text: true, run: parseJSON},
	}
	for _, t := range [][2]string{{"Uint", "uint256"}, {"Int", "int256"}, {"Bool", "bool"}, {"Address", "address"}, {"Bytes32", "bytes32"}, {"String", "string"}, {"Bytes", "bytes"}} {
		table = append(table,
			Function{Signature: "parseToml" + t[0] + "(string,string)", Returns: t[1], text: true, run: jsonValue},
			Function{Signature: "parseToml" + t[0] + "Array(string,string)", Returns: t[1] + "[]", text: true, run: jsonValue},
		)
	}
	return append(table, refuse("types are not read from texts: use vm.parseToml, or the typed ones such as vm.parseTomlUint", "parseTomlType(string,string)|bytes",
		"parseTomlType(string,string,string)|bytes", "parseTomlTypeArray(string,string,string)|bytes")...)
}

// tomlParser reads a text from the front.
type tomlParser struct {
	rest   string
	headed map[string]bool // tables that have had a header
}

// parseTOML reads a document.
func parseTOML(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errTOML("it is no UTF-8")
	}
	root := newObject()
	p := &tomlParser{rest: strings.ReplaceAll(string(text), "\r\n", "\n"), headed: map[string]bool{}}
	table := root
	for p.blank(true); p.rest != ""; p.blank(true) {
		var err error
		if strings.HasPrefix(p.rest, "[") {
			table, err = p.header(root)
		} else {
			err = p.pair(table, 0)
		}
		if err != nil {
			return nil, err
		}
		if p.blank(false); p.rest != "" && p.rest[0] != '\n' {
			return nil, errTOML("something stands behind a value or a header")
		}
	}
	return root, nil
}

func errTOML(what string) error { return fmt.Errorf("failed parsing TOML: %s", what) }

// blank leaves out spaces and comments, and newlines if they count as such.
func (p *tomlParser) blank(newlines bool) {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t")
		if newlines && strings.HasPrefix(p.rest, "\n") {
			p.rest = p.rest[1:]
			continue
		}
		if !strings.HasPrefix(p.rest, "#") {
			return
		}
		end := strings.IndexByte(p.rest, '\n')
		if end < 0 {
			end = len(p.rest)
		}
		p.rest = p.rest[end:]
	}
}

// take cuts a text off the front, if it is there.
func (p *tomlParser) take(text string) bool {
	rest, ok := strings.CutPrefix(p.rest, text)
	p.rest = rest
	return ok
}

// header reads [table] or [[element of an array]].
func (p *tomlParser) header(root *object) (*object, error) {
	element := p.take("[[")
	if !element {
		p.take("[")
	}
	keys, err := p.keys()
	if err != nil {
		return nil, err
	}
	if element && !p.take("]]") || !element && !p.take("]") {
		return nil, errTOML("a header is not closed")
	}
	last := keys[len(keys)-1]
	parent, err := descend(root, keys[:len(keys)-1])
	if err != nil {
		return nil, err
	}
	if element {
		list, _ := parent.values[last].([]any)
		if parent.values[last] != nil && list == nil {
			return nil, errTOML(strconv.Quote(last) + " is no array of tables")
		}
		table := newObject()
		parent.set(last, append(list, table))
		return table, nil
	}
	path := fmt.Sprintf("%p %q", parent, last) // the same table may be reached in one way only
	if p.headed[path] {
		return nil, errTOML(strconv.Quote(last) + " has two headers")
	}
	p.headed[path] = true
	return descend(parent, []string{last})
}

// descend goes to a table below one, and makes it where it is not there. Of an array of
// tables it is the last.
func descend(table *object, keys []string) (*object, error) {
	for _, key := range keys {
		next := table.values[key]
		if list, ok := next.([]any); ok && len(list) > 0 {
			next = list[len(list)-1]
		}
		if next == nil {
			next = newObject()
			table.set(key, next)
		}
		inner, ok := next.(*object)
		if !ok {
			return nil, errTOML(strconv.Quote(key) + " is no table")
		}
		table = inner
	}
	return table, nil
}

// bareKey is a key without quotes.
var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+`)

// keys reads a key, or several with dots between them.
func (p *tomlParser) keys() ([]string, error) {
	var keys []string
	for {
		p.blank(false)
		key := bareKey.FindString(p.rest)
		switch {
		case key != "":
			p.rest = p.rest[len(key):]
		case strings.HasPrefix(p.rest, `"`) || strings.HasPrefix(p.rest, "'"):
			var err error
			if key, err = p.quoted(); err != nil {
				return nil, err
			}
		default:
			return nil, errTOML("a key is missing")
		}
		keys = append(keys, key)
		if len(keys) > maxNesting {
			return nil, errTOML("a key has too many parts")
		}
		if p.blank(false); !p.take(".") {
			return keys, nil
		}
	}
}

// pair reads key = value.
func (p *tomlParser) pair(table *object, depth int) error {
	keys, err := p.keys()
	if err != nil {
		return err
	}
	if !p.take("=") {
		return errTOML(strconv.Quote(keys[0]) + " has no value")
	}
	if table, err = descend(table, keys[:len(keys)-1]); err != nil {
		return err
	}
	last := keys[len(keys)-1]
	if _, known := table.values[last]; known {
		return errTOML(strconv.Quote(last) + " is set twice")
	}
	v, err := p.value(depth)
	table.set(last, v)
	return err
}

// value reads a value.
func (p *tomlParser) value(depth int) (any, error) {
	if depth > maxNesting {
		return nil, errTOML("it nests too deeply")
	}
	p.blank(false)
	switch {
	case strings.HasPrefix(p.rest, `"`), strings.HasPrefix(p.rest, "'"):
		return p.quoted()
	case p.take("["):
		return p.array(depth)
	case p.take("{"):
		return p.inline(depth)
	}
	end := strings.IndexAny(p.rest, ",]}#\n")
	if end < 0 {
		end = len(p.rest)
	}
	word := strings.TrimRight(p.rest[:end], " \t")
	p.rest = p.rest[len(word):]
	return plainTOML(word)
}

// array reads what stands in brackets, over several lines if it does.
func (p *tomlParser) array(depth int) (any, error) {
	list := []any{}
	for {
		if p.blank(true); p.take("]") {
			return list, nil
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if p.blank(true); !p.take(",") && !strings.HasPrefix(p.rest, "]") {
			return nil, errTOML("an array is not closed")
		}
	}
}

// inline reads a table in braces, which is in one line.
func (p *tomlParser) inline(depth int) (any, error) {
	table := newObject()
	if p.blank(false); p.take("}") {
		return table, nil
	}
	for {
		if err := p.pair(table, depth+1); err != nil {
			return nil, err
		}
		if p.blank(false); p.take("}") {
			return table, nil
		}
		if !p.take(",") {
			return nil, errTOML("a table in braces is not closed")
		}
	}
}

// escapes are what stands for a character behind a backslash.
var escapes = map[byte]string{'b': "\b", 't': "\t", 'n': "\n", 'f': "\f", 'r': "\r", '"': `"`, '\\': `\`}

// quoted reads a string: within ' as it is, within " with escapes, within three of them
// over several lines.
func (p *tomlParser) quoted() (string, error) {
	quote := p.rest[:1]
	end := quote
	if p.take(strings.Repeat(quote, 3)) {
		end = strings.Repeat(quote, 3)
		p.take("\n")
	} else {
		p.take(quote)
	}
	var b strings.Builder
	for {
		switch {
		case p.rest == "" || len(end) == 1 && p.rest[0] == '\n':
			return "", errTOML("a string is not closed")
		case p.take(end):
			for len(end) == 3 && p.take(quote) { // up to two belong to the string
				b.WriteString(quote)
			}
			return b.String(), nil
		case quote == `"` && p.take(`\`):
			if err := p.escape(&b, len(end) == 3); err != nil {
				return "", err
			}
		default:
			b.WriteByte(p.rest[0])
			p.rest = p.rest[1:]
		}
	}
}

// escape reads what stands behind a backslash.
func (p *tomlParser) escape(b *strings.Builder, lines bool) error {
	if trimmed := strings.TrimLeft(p.rest, " \t"); lines && strings.HasPrefix(trimmed, "\n") {
		p.rest = strings.TrimLeft(trimmed, " \t\n")
		return nil
	}
	if p.rest == "" {
		return errTOML("a string is not closed")
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	if text, ok := escapes[c]; ok {
		b.WriteString(text)
		return nil
	}
	size := map[byte]int{'u': 4, 'U': 8}[c]
	if size == 0 || len(p.rest) < size {
		return errTOML("a backslash in a string means nothing")
	}
	n, err := strconv.ParseUint(p.rest[:size], 16, 32)
	if err != nil || n > utf8.MaxRune || n >= 0xd800 && n < 0xe000 {
		return errTOML("a string has a character that does not exist")
	}
	b.WriteRune(rune(n))
	p.rest = p.rest[size:]
	return nil
}

// The forms of values without quotes.
var (
	tomlInteger = regexp.MustCompile(`^([+-]?(0|[1-9](_?[0-9])*)|0x[0-9A-Fa-f](_?[0-9A-Fa-f])*|0o[0-7](_?[0-7])*|0b[01](_?[01])*)$`)
	tomlFloat   = regexp.MustCompile(`^[+-]?(0|[1-9](_?[0-9])*)(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?$`)
	tomlTime    = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})?)?|\d{2}:\d{2}:\d{2}(\.\d+)?)$`)
)

// plainTOML is a value without quotes.
func plainTOML(word string) (any, error) {
	digits := strings.ReplaceAll(word, "_", "")
	switch {
	case word == "true" || word == "false":
		return word == "true", nil
	case tomlInteger.MatchString(word):
		n, err := strconv.ParseInt(digits, 0, 64)
		if err != nil {
			return nil, errTOML(word + " does not fit into 64 bits")
		}
		return json.Number(strconv.FormatInt(n, 10)), nil
	case tomlFloat.MatchString(word):
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return nil, errTOML(word + " is too large")
		}
		return floatNumber(f), nil
	case tomlTime.MatchString(word):
		return word, nil
	}
	return nil, errTOML(strconv.Quote(word) + " is no value")
}

// floatNumber writes a number as Foundry's JSON has it: with a point as long as it has
// less than 17 digits before it.
func floatNumber(f float64) json.Number {
	if a := math.Abs(f); a != 0 && (a >= 1e16 || a < 1e-5) {
		return json.Number(strings.Replace(strconv.FormatFloat(f, 'e', -1, 64), "e+", "e", 1))
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return json.Number(text)
}
