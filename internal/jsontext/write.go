package jsontext

import (
	"encoding/json"
	"maps"
	"slices"
)

// AppendCompact appends a value that is valid JSON as json.Marshal writes a json.RawMessage: without the spaces around its parts, and with
// what has a meaning in HTML or JavaScript escaped.
func AppendCompact(to, value []byte) []byte {
	from := 0 // what is to be copied as it is
	inString := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '"':
			inString = !inString
		case '\\':
			i++
		case ' ', '\t', '\n', '\r':
			if !inString {
				to = append(to, value[from:i]...)
				from = i + 1
			}
		case '<', '>', '&':
			const digits = "0123456789abcdef"
			to = append(to, value[from:i]...)
			to = append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
			from = i + 1
		case 0xe2: // U+2028 and U+2029 are e2 80 a8 and e2 80 a9
			if i+2 < len(value) && value[i+1] == 0x80 && value[i+2]&^1 == 0xa8 {
				to = append(to, value[from:i]...)
				to = append(to, '\\', 'u', '2', '0', '2', '8'+value[i+2]&1)
				i += 2
				from = i + 1
			}
		}
	}
	return append(to, value[from:]...)
}

// Marshal is json.Marshal of members whose values are valid JSON, or nil for null.
func Marshal(members map[string]json.RawMessage) []byte {
	size := len("{}")
	for name, value := range members {
		size += len(name) + len(value) + len(`"":,`)
	}
	text := append(make([]byte, 0, size+size/16), '{') // some room for what is escaped
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			text = append(text, ',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			panic(err) // strings can be encoded
		}
		text = append(append(text, quoted...), ':')
		if value := members[name]; value != nil {
			text = AppendCompact(text, value)
		} else {
			text = append(text, "null"...)
		}
	}
	return append(text, '}')
}
