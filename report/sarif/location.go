package sarif

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"
)

// FileURI is the URI of a file, given by its slash-separated path relative to the
// repository's root. It refuses other paths (absolute, with empty, "." or ".." segments, a
// backslash, or control characters): a viewer may resolve them to another place.
func FileURI(path string) (string, bool) {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) {
		return "", false
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if s == "" || s == "." || s == ".." {
			return "", false
		}
		segments[i] = url.PathEscape(s)
	}
	// A colon in the first segment would be read as the end of a scheme.
	segments[0] = strings.ReplaceAll(segments[0], ":", "%3A")
	return strings.Join(segments, "/"), true
}

// LineRegion is the extent of a line's text, without blanks around it. The text may be nil,
// for unknown: the extent is one column then.
func LineRegion(line int, text []byte) Region {
	trimmed := bytes.TrimLeft(text, " \t")
	start := 1 + utf16Len(text[:len(text)-len(trimmed)])
	end := start + utf16Len(bytes.TrimRight(trimmed, " \t\r\n"))
	return Region{StartLine: line, StartColumn: start, EndLine: line, EndColumn: max(end, start+1)}
}

// utf16Len counts the UTF-16 units of text.
func utf16Len(text []byte) int {
	n := 0
	for _, r := range string(text) {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
