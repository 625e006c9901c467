package jsontext_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/jsontext"
)

var seeds = []string{
	``, ` `, `{}`, ` { } `, `[]`, `[ ]`, `{"a":1}`, `{"a" : [1, -0.5e+3, 0, 10] , "b":{"c":null}}`, `[true,false,null]`, `[tru]`, `"x"`, `"\u00e4\n\\\""`, `"\ud800"`,
	"\"\xff\"", "\"\x00\"", `"\x"`, `"\u12g4"`, `"abcdefgh`, `"abcdefghijk"`, `"abcdefg\"h"`, `01`, `-`, `1.`, `1e`, `1 2`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `[1,]`, `[1 2]`, `{]`, `[}`,
	`{"id":1,"ID":2}`, `{"id":1,"id":2}`, `{"\u0069d":1}`, "{\"\xff\":1}", `{"iſ":1}`, `{"source":{},"ast":[{}]}`, `nul`, `nullx`,
}

// FuzzAgainstEncodingJSON: what is valid, and what values, members and elements are, is what encoding/json says.
func FuzzAgainstEncodingJSON(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		valid := json.Valid(text)
		if got := jsontext.Valid(text); got != valid {
			t.Fatalf("%q: valid %v, want %v", text, got, valid)
		}
		var object map[string]json.RawMessage
		members := map[string]json.RawMessage{}
		ok := jsontext.Members(text, func(name, value []byte) bool {
			members[string(name)] = value
			return true
		})
		if err := json.Unmarshal(text, &object); ok != (err == nil && object != nil) || ok && !reflect.DeepEqual(members, object) {
			t.Fatalf("%q: members %q, %v, want %q, %v", text, members, ok, object, err)
		}
		var array []json.RawMessage
		elements := []json.RawMessage{}
		ok = jsontext.Elements(text, func(value []byte) bool {
			elements = append(elements, value)
			return true
		})
		if err := json.Unmarshal(text, &array); ok != (err == nil && array != nil) || ok && !reflect.DeepEqual(elements, array) {
			t.Fatalf("%q: elements %q, %v, want %q, %v", text, elements, ok, array, err)
		}
		var s *string
		got, ok := jsontext.String(bytes.Trim(text, " \n\r\t"))
		if err := json.Unmarshal(text, &s); ok != (err == nil && s != nil) || ok && got != *s {
			t.Fatalf("%q: string %q, %v, want %v", text, got, ok, err)
		}
		var fields struct {
			ID  json.RawMessage `json:"id"`
			AST json.RawMessage `json:"ast"`
		}
		if values, ok := jsontext.Fields(text, "id", "ast"); ok {
			if err := json.Unmarshal(text, &fields); err != nil || !bytes.Equal(values[0], fields.ID) || !bytes.Equal(values[1], fields.AST) {
				t.Fatalf("%q: fields %q, want %q and %q, %v", text, values, fields.ID, fields.AST, err)
			}
		}
	})
}

// TestDepth: values nest as deep as encoding/json lets them.
func TestDepth(t *testing.T) {
	for depth, want := range map[int]bool{10_000: true, 10_001: false} {
		for _, nested := range []string{strings.Repeat("[", depth) + strings.Repeat("]", depth), strings.Repeat(`{"":`, depth) + "1" + strings.Repeat("}", depth)} {
			text := []byte(nested)
			members := jsontext.Members(text, func(_, _ []byte) bool { return true })
			elements := jsontext.Elements(text, func([]byte) bool { return true })
			if json.Valid(text) != want || jsontext.Valid(text) != want || (members || elements) != want {
				t.Errorf("%d layers: valid %v, taken apart %v, want %v", depth, jsontext.Valid(text), members || elements, want)
			}
		}
	}
}

// TestFields: members that encoding/json would merge are left to it, and nothing else is.
func TestFields(t *testing.T) {
	for text, want := range map[string]bool{
		`{"id":1,"name":{},"x":2,"x":3}`: true, `{}`: true, `{"\u0069d":1}`: true,
		`{"id":1,"id":1}`: false, `{"ID":1}`: false, `{"id":1,"Id":2}`: false, `[]`: false, `{"id":1`: false, `{"naſme":1}`: true, `{"idſ":1}`: true, `{"K":1}`: false,
	} {
		if _, ok := jsontext.Fields([]byte(text), "id", "name", "k"); ok != want {
			t.Errorf("%s: %v, want %v", text, ok, want)
		}
	}
}

// TestStops: a visitor ends a visit.
func TestStops(t *testing.T) {
	seen := 0
	if jsontext.Elements([]byte(`[1,2,3]`), func([]byte) bool { seen++; return seen < 2 }) || seen != 2 {
		t.Errorf("%d elements were visited, want 2", seen)
	}
}
