package compile

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// readInput reads a standard-JSON input, and returns a text of it that means the same to us
// and to a compiler. JSON leaves open what a name that stands twice means, and encoding/json
// takes "Content" for "content", so that one text could show us the checkout's sources and
// give solc others. Such an input is written anew from what was read of it.
func readInput(text []byte) (in standardInput, own json.RawMessage, err error) {
	var top map[string]json.RawMessage
	if err := reading.DecodeJSON(text, "input", &top); err != nil {
		return in, nil, err
	}
	for name, into := range map[string]any{"language": &in.Language, "settings": &in.Settings} {
		if len(top[name]) > 0 {
			if err := reading.DecodeJSON(top[name], "input."+name, into); err != nil {
				return in, nil, err
			}
		}
	}
	var sources map[string]map[string]json.RawMessage
	if len(top["sources"]) > 0 {
		if err := reading.DecodeJSON(top["sources"], "input.sources", &sources); err != nil {
			return in, nil, err
		}
	}
	in.Sources = map[string]inputSource{}
	for name, source := range sources {
		var s inputSource
		if len(source["content"]) > 0 {
			if err := reading.DecodeJSON(source["content"], "input.sources", &s.Content); err != nil {
				return in, nil, err
			}
		}
		in.Sources[name] = s
	}
	if !in.complete() {
		return in, nil, nil
	}
	if !ambiguous(text) {
		return in, bytes.Clone(text), nil
	}
	rewritten := map[string]any{"sources": in.Sources}
	for _, name := range []string{"language", "settings"} {
		if len(top[name]) > 0 {
			rewritten[name] = top[name]
		}
	}
	own, err = json.Marshal(rewritten)
	return in, own, err
}

// ambiguous reports whether an object of an input that both we and compilers read has a name
// twice, or two that encoding/json takes for one: the input itself, its settings and each of
// its sources. Names of sources are exact.
func ambiguous(text []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	// each reads an object, or any other value, and reports whether names are repeated in it, or
	// within what inner is for.
	var each func(fold bool, inner map[string]func() bool, others func() bool) bool
	skip := func() bool {
		var value json.RawMessage
		return decoder.Decode(&value) != nil
	}
	each = func(fold bool, inner map[string]func() bool, others func() bool) bool {
		token, err := decoder.Token()
		if err != nil || token != json.Delim('{') {
			return true
		}
		seen := map[string]bool{}
		for decoder.More() {
			token, err := decoder.Token()
			name, ok := token.(string)
			if err != nil || !ok {
				return true
			}
			key := name
			if fold {
				key = strings.ToLower(strings.ToUpper(name)) // "ſ" is an s for encoding/json
			}
			if seen[key] {
				return true
			}
			seen[key] = true
			read := inner[name]
			if read == nil {
				read = others
			}
			if read() {
				return true
			}
		}
		_, err = decoder.Token()
		return err != nil
	}
	fields := func() bool { return each(true, nil, skip) }
	return each(true, map[string]func() bool{
		"settings": fields,
		"sources":  func() bool { return each(false, nil, fields) },
	}, skip)
}
