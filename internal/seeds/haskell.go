package seeds

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// asciiNames are the names of control characters in Haskell's strings, in their order (Haskell 2010
// report, section 2.6).
var asciiNames = strings.Fields("NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US SP")

// del is the control character beyond them.
const del = 0x7f

var errShown = errors.New("not a byte string as Haskell shows it")

// haskellBytes reads a byte string as Haskell's show writes it: in double quotes, with characters
// up to 255, one a byte, and the escapes of its string literals.
func haskellBytes(text string) ([]byte, error) {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return nil, errShown
	}
	text = text[1 : len(text)-1]
	var out []byte
	for text != "" {
		if text[0] == '"' {
			return nil, errShown
		}
		if text[0] != '\\' {
			r, size := utf8.DecodeRuneInString(text)
			if r > 255 {
				return nil, errShown
			}
			out, text = append(out, byte(r)), text[size:]
			continue
		}
		b, rest, err := haskellEscape(text[1:])
		if err != nil {
			return nil, err
		}
		out, text = append(out, b...), rest
	}
	return out, nil
}

// simpleEscapes are those of one character.
var simpleEscapes = map[byte]byte{'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, '"': '"', '\'': '\'', '\\': '\\'}

// haskellEscape reads an escape after its backslash: at most one byte.
func haskellEscape(text string) (b []byte, rest string, err error) {
	if text == "" {
		return nil, "", errShown
	}
	first := text[0]
	if c, ok := simpleEscapes[first]; ok {
		return []byte{c}, text[1:], nil
	}
	switch {
	case first == '&': // nothing: it ends an escape before digits, or SO before H
		return nil, text[1:], nil
	case first == '^' && len(text) > 1 && text[1] >= '@' && text[1] <= '_':
		return []byte{text[1] - '@'}, text[2:], nil
	case first >= '0' && first <= '9':
		return haskellNumber(text, 10)
	case first == 'x':
		return haskellNumber(text[1:], 16)
	case first == 'o':
		return haskellNumber(text[1:], 8)
	}
	if rest, ok := strings.CutPrefix(text, "DEL"); ok {
		return []byte{del}, rest, nil
	}
	best := -1 // the longest: SOH before SO
	for i, name := range asciiNames {
		if strings.HasPrefix(text, name) && (best < 0 || len(name) > len(asciiNames[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil, "", errShown
	}
	return []byte{byte(best)}, text[len(asciiNames[best]):], nil
}

// haskellNumber reads a byte as digits of a base, as many as there are.
func haskellNumber(text string, base int) (b []byte, rest string, err error) {
	n := 0
	for n < len(text) && strings.IndexByte("0123456789abcdefABCDEF"[:map[int]int{8: 8, 10: 10, 16: 22}[base]], text[n]) >= 0 {
		n++
	}
	x, err := strconv.ParseUint(text[:n], base, 8)
	if err != nil {
		return nil, "", errShown
	}
	return []byte{byte(x)}, text[n:], nil
}
