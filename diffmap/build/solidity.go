package build

import (
	"strings"
)

// Import is an import directive.
type Import struct {
	Path string // as written, escapes resolved
	Line int    // of the directive, from 1
}

// Pragmas lists the version ranges of a source's "pragma solidity" directives.
func Pragmas(source []byte) []string {
	pragmas, _ := directives(source)
	return pragmas
}

// Imports lists a source's import directives.
func Imports(source []byte) []Import {
	_, imports := directives(source)
	return imports
}

// directives finds the pragmas and imports at a source's top level. It reads
// tokens only, so that it works for every version of the language and for
// sources that do not compile.
func directives(source []byte) (pragmas []string, imports []Import) {
	s := scanner{text: string(source), line: 1}
	depth := 0
	for s.next() {
		switch {
		case s.token == "{":
			depth++
		case s.token == "}":
			depth--
		case depth == 0 && s.token == "pragma":
			if s.next() && s.token == "solidity" {
				pragmas = append(pragmas, s.until(";"))
			}
		case depth == 0 && s.token == "import":
			line := s.line
			for s.next() && s.token != ";" {
				if s.isString {
					imports = append(imports, Import{Path: s.token, Line: line})
				}
			}
		}
	}
	return pragmas, imports
}

// scanner splits Solidity into words, strings and single characters, comments
// left out.
type scanner struct {
	text     string
	at       int
	line     int    // of the token's start
	token    string // a string's value without its quotes
	isString bool
	lines    int // line feeds passed within the last token
}

// next goes to the next token; false at the end.
func (s *scanner) next() bool {
	s.line += s.lines
	s.lines, s.isString = 0, false
	s.skip()
	if s.at >= len(s.text) {
		s.token = ""
		return false
	}
	start := s.at
	switch c := s.text[s.at]; {
	case c == '"' || c == '\'':
		s.quoted(c)
		return true
	case isWord(c):
		for s.at < len(s.text) && isWord(s.text[s.at]) {
			s.at++
		}
	default:
		s.at++
	}
	s.token = s.text[start:s.at]
	return true
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// skip passes white space and comments.
func (s *scanner) skip() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		length := 1
		switch {
		case strings.HasPrefix(rest, "//"):
			if length = strings.IndexAny(rest, "\n\r"); length < 0 {
				length = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			if end := strings.Index(rest[2:], "*/"); end >= 0 {
				length = end + 4
			} else {
				length = len(rest)
			}
		case !strings.ContainsRune(" \t\r\n\f\v", rune(rest[0])):
			return
		}
		s.line += strings.Count(rest[:length], "\n")
		s.at += length
	}
}

// quoted reads a string. It ends with its quote, or, unterminated, with its
// line.
func (s *scanner) quoted(quote byte) {
	var value strings.Builder
	s.isString = true
	for s.at++; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if c == quote {
			s.at++
			break
		}
		if c == '\n' {
			break
		}
		if c == '\\' && s.at+1 < len(s.text) {
			s.at++
			if c = s.text[s.at]; c == '\n' {
				s.lines++
				continue
			}
		}
		value.WriteByte(c)
	}
	s.token = value.String()
}

// until is the text up to the closing token, comments left out, with the
// tokens' spacing.
func (s *scanner) until(closing string) string {
	var text strings.Builder
	for {
		end := s.at
		if !s.next() || s.token == closing {
			return strings.TrimSpace(text.String())
		}
		if s.at-len(s.token) > end {
			text.WriteByte(' ')
		}
		text.WriteString(s.token)
	}
}
