package compile

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// readInput reads a standard-JSON input, and returns a text of it that means the same to us
// and to a compiler. JSON leaves open what a name that stands twice means, and encoding/json
// takes "Content" for "content", so that one text could show us the checkout's sources and
// give solc others. Such an input is written anew from what was read of it.
func readInput(text []byte) (in standardInput, own json.RawMessage, err error) {
	top, err := membersOf(text, "input")
	if err != nil {
		return in, nil, err
	}
	for name, into := range map[string]any{"language": &in.Language, "settings": &in.Settings} {
		if len(top[name]) > 0 {
			if err := reading.DecodeJSON(top[name], "input."+name, into); err != nil {
				return in, nil, err
			}
		}
	}
	in.Sources = map[string]inputSource{}
	if len(top["sources"]) > 0 && !quickTexts(top["sources"], in.Sources) {
		var sources map[string]map[string]json.RawMessage
		if err := reading.DecodeJSON(top["sources"], "input.sources", &sources); err != nil {
			return in, nil, err
		}
		clear(in.Sources)
		for name, source := range sources {
			var s inputSource
			if len(source["content"]) > 0 {
				if err := reading.DecodeJSON(source["content"], "input.sources", &s.Content); err != nil {
					return in, nil, err
				}
			}
			in.Sources[name] = s
		}
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

// quickTexts reads the sources of an input as tools write them, into texts.
func quickTexts(text []byte, texts map[string]inputSource) bool {
	return jsontext.Members(text, func(name, value []byte) bool {
		var s inputSource
		ok := jsontext.Members(value, func(field, value []byte) bool {
			if string(field) != "content" {
				return true
			}
			content, ok := jsontext.String(value)
			s.Content = &content
			return ok
		})
		texts[string(name)] = s
		return ok
	})
}

// ambiguous reports whether an object of an input that both we and compilers read has a name
// twice, or two that encoding/json takes for one: the input itself, its settings and each of
// its sources. Names of sources are exact.
func ambiguous(text []byte) bool {
	// each reports whether a value is not an object, has a name twice, or inner says so of one of its members.
	each := func(text []byte, fold bool, inner func(name string, value []byte) bool) bool {
		seen := map[string]bool{}
		return !jsontext.Members(text, func(raw, value []byte) bool {
			name := string(raw)
			key := name
			if fold {
				key = strings.ToLower(strings.ToUpper(name)) // "ſ" is an s for encoding/json
			}
			if seen[key] {
				return false
			}
			seen[key] = true
			return !inner(name, value)
		})
	}
	skip := func(string, []byte) bool { return false }
	fields := func(_ string, value []byte) bool { return each(value, true, skip) }
	return each(text, true, func(name string, value []byte) bool {
		switch name {
		case "settings":
			return fields(name, value)
		case "sources":
			return each(value, false, fields)
		}
		return false
	})
}
