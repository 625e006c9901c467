// Package jsontext takes JSON apart without copying it, and without reading a part before it is asked for:
// builds are tens of megabytes, of which a run needs some. What it accepts means the same to encoding/json; what it
// does not accept is for encoding/json to read, which says what is wrong.
package jsontext

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep values nest at most, as in encoding/json.
const maxDepth = 10_000

// Valid reports whether text is one JSON value, as json.Valid does.
func Valid(text []byte) bool {
	end := end(text, Space(text, 0), 0)
	return end >= 0 && Space(text, end) == len(text)
}

// Members calls visit with the members of an object in their order, as long as it returns true. Names are decoded;
// values are parts of text. It returns false if visit did, or text is not one object.
func Members(text []byte, visit func(name, value []byte) bool) bool {
	end := Object(text, Space(text, 0), func(name []byte, i int) int {
		end := end(text, i, 1)
		if end < 0 || !visit(name, text[i:end:end]) {
			return -1
		}
		return end
	})
	return end >= 0 && Space(text, end) == len(text)
}

// Elements calls visit with the elements of an array in their order, as [Members] does.
func Elements(text []byte, visit func(value []byte) bool) bool {
	end := parts(text, Space(text, 0), '[', func(i int) int {
		end := end(text, i, 1)
		if end < 0 || !visit(text[i:end:end]) {
			return -1
		}
		return end
	})
	return end >= 0 && Space(text, end) == len(text)
}

// Object calls visit with the members of the object that begins at text[i]: with the name, and where the value begins. It has to
// return where that ends, as [End] says, or −1. So nothing is read twice where a visitor reads an object of its own. Object returns where the object
// ends, or −1 if there is none or visit returned that.
func Object(text []byte, i int, visit func(name []byte, i int) (end int)) (end int) {
	return parts(text, i, '{', func(i int) int {
		if i >= len(text) || text[i] != '"' {
			return -1
		}
		name, end := unquoted(text, i)
		if end < 0 {
			return -1
		}
		if i = Space(text, end); i >= len(text) || text[i] != ':' {
			return -1
		}
		return visit(name, Space(text, i+1))
	})
}

// parts calls part with where each part of an object or an array begins; it returns where that ends, or −1.
func parts(text []byte, i int, open byte, part func(i int) int) (end int) {
	if i >= len(text) || text[i] != open {
		return -1
	}
	if i = Space(text, i+1); i < len(text) && text[i] == open+2 { // '{' and '}', '[' and ']'
		return i + 1
	}
	for {
		if i = part(i); i < 0 {
			return -1
		}
		if i = Space(text, i); i >= len(text) {
			return -1
		}
		switch text[i] {
		case ',':
			i = Space(text, i+1)
		case open + 2:
			return i + 1
		default:
			return -1
		}
	}
}

// Fields are the values of an object's members with the given names, nil where there is none. It returns false if
// text is not an object, or if encoding/json would take several members, or one that is written otherwise, for a field of that name.
func Fields(text []byte, names ...string) ([][]byte, bool) {
	values, end := FieldsAt(text, Space(text, 0), nil, names...)
	return values, end >= 0 && Space(text, end) == len(text)
}

// FieldsAt is [Fields] of the object that begins at text[i]; end is where it ends, or −1. read, which may be nil, may read the field of a
// number as [Object]'s visitor does; it returns 0 if it leaves that to FieldsAt.
func FieldsAt(text []byte, i int, read func(field, i int) (end int), names ...string) (values [][]byte, end int) {
	values = make([][]byte, len(names))
	end = Object(text, i, func(name []byte, i int) int {
		for field, wanted := range names {
			if string(name) != wanted {
				continue
			}
			if values[field] != nil {
				return -1
			}
			next := 0
			if read != nil {
				next = read(field, i)
			}
			if next == 0 {
				next = End(text, i)
			}
			if next >= 0 {
				values[field] = text[i:next:next]
			}
			return next
		}
		for _, wanted := range names {
			if strings.EqualFold(string(name), wanted) {
				return -1
			}
		}
		return End(text, i)
	})
	return values, end
}

// String is the string that text is, as encoding/json decodes it; false if it is none.
func String(text []byte) (string, bool) {
	if len(text) == 0 || text[0] != '"' || StringEnd(text, 0) != len(text) {
		return "", false
	}
	s, end := unquoted(text, 0)
	return string(s), end >= 0
}

// unquoted is the string that begins at text[i], decoded: a part of text, or of a copy where that differs. It ends at end, which is −1 where there is none.
func unquoted(text []byte, i int) (decoded []byte, end int) {
	if end = StringEnd(text, i); end < 0 {
		return nil, -1
	}
	inner := text[i+1 : end-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner, end
	}
	if plain, ok := unescaped(inner); ok {
		return plain, end
	}
	var s string
	if json.Unmarshal(text[i:end], &s) != nil {
		return nil, -1
	}
	return []byte(s), end
}

// unescaped is the inner text of a string that has no other escapes than those of one character: JSON in a string, and sources.
func unescaped(inner []byte) ([]byte, bool) {
	if !utf8.Valid(inner) {
		return nil, false
	}
	plain := make([]byte, 0, len(inner))
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			return append(plain, inner...), true
		}
		plain = append(plain, inner[:i]...)
		c := inner[i+1]
		switch c {
		case 'u':
			return nil, false
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		}
		plain = append(plain, c)
		inner = inner[i+2:]
	}
}

// Space is the first index from i on at which there is no space.
func Space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// visited is how many layers around a value visitors read by themselves at most: a build's are six deep. What nests so
// deep that it matters is for encoding/json.
const visited = 16

// End is the index behind the value that begins at text[i], or −1 if none does, or one that nests too deep.
func End(text []byte, i int) int { return end(text, i, visited) }

// end is [End] inside of so many layers.
func end(text []byte, i, depth int) int {
	if i >= len(text) {
		return -1
	}
	switch c := text[i]; c {
	case '"':
		return StringEnd(text, i)
	case '{', '[':
		return containerEnd(text, i, depth+1)
	case 't':
		return wordEnd(text, i, "true")
	case 'f':
		return wordEnd(text, i, "false")
	case 'n':
		return wordEnd(text, i, "null")
	}
	return numberEnd(text, i)
}

func containerEnd(text []byte, i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	open := text[i]
	if i = Space(text, i+1); i < len(text) && text[i] == open+2 {
		return i + 1
	}
	for {
		if open == '{' {
			if i >= len(text) || text[i] != '"' {
				return -1
			}
			if i = StringEnd(text, i); i < 0 {
				return -1
			}
			if i = Space(text, i); i >= len(text) || text[i] != ':' {
				return -1
			}
			i = Space(text, i+1)
		}
		if i = end(text, i, depth); i < 0 {
			return -1
		}
		if i = Space(text, i); i >= len(text) {
			return -1
		}
		switch text[i] {
		case ',':
			i = Space(text, i+1)
		case open + 2:
			return i + 1
		default:
			return -1
		}
	}
}

func wordEnd(text []byte, i int, word string) int {
	if end := i + len(word); end <= len(text) && string(text[i:end]) == word {
		return end
	}
	return -1
}

// numberEnd is the end of a number (RFC 8259, section 6).
func numberEnd(text []byte, i int) int {
	digits := func() bool {
		from := i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(text) && text[i] == '.' {
		if i++; !digits() {
			return -1
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// StringEnd is the index behind the string whose quote is text[i], or −1 if it does not end, or has what a string has not.
func StringEnd(text []byte, i int) int {
	for i++; ; {
		for ; i+8 <= len(text); i += 8 {
			if mark := notable(binary.LittleEndian.Uint64(text[i:])); mark != 0 {
				i += bits.TrailingZeros64(mark) / 8
				break
			}
		}
		if i >= len(text) {
			return -1
		}
		switch c := text[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i = escapeEnd(text, i); i < 0 {
				return -1
			}
		default:
			i++ // near the end of the text
		}
	}
}

// notable marks the bytes of a word that end a string's plain text: quotes, backslashes and what is below a space. The
// lowest mark is right; those above may be of a borrow.
func notable(word uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, backslash := word^ones*'"', word^ones*'\\'
	return ((word-ones*' ')&^word | (quote-ones)&^quote | (backslash-ones)&^backslash) & tops
}

// escapeEnd is the index behind an escape that begins at text[i], or −1.
func escapeEnd(text []byte, i int) int {
	if i++; i >= len(text) {
		return -1
	}
	switch text[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		const digits = 4
		if i+1+digits > len(text) {
			return -1
		}
		for _, c := range text[i+1 : i+1+digits] {
			if ('0' > c || c > '9') && ('a' > c|0x20 || c|0x20 > 'f') {
				return -1
			}
		}
		return i + 1 + digits
	}
	return -1
}
