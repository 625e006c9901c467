package solidity

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
	s := Scanner{Text: string(source), line: 1}
	depth := 0
	// Behind the last of these words there is nothing to find: most of a source.
	last := max(strings.LastIndex(s.Text, "pragma"), strings.LastIndex(s.Text, "import"))
	for s.At <= last && s.Next() {
		switch {
		case s.Token == "{":
			depth++
		case s.Token == "}":
			depth--
		case depth == 0 && s.Token == "pragma":
			if s.Next() && s.Token == "solidity" {
				pragmas = append(pragmas, s.until(";"))
			}
		case depth == 0 && s.Token == "import":
			line := s.line
			for s.Next() && s.Token != ";" {
				if s.IsString {
					imports = append(imports, Import{Path: s.Token, Line: line})
				}
			}
		}
	}
	return pragmas, imports
}

// Scanner splits Solidity into words, strings and single characters, comments
// left out.
type Scanner struct {
	Text     string
	At       int
	line     int    // of the token's start
	Token    string // a string's value without its quotes
	IsString bool
	lines    int // line feeds passed within the last token
}

// Next goes to the next token; false at the end.
func (s *Scanner) Next() bool {
	s.line += s.lines
	s.lines, s.IsString = 0, false
	s.skip()
	if s.At >= len(s.Text) {
		s.Token = ""
		return false
	}
	start := s.At
	switch c := s.Text[s.At]; {
	case c == '"' || c == '\'':
		s.quoted(c)
		return true
	case isWord(c):
		for s.At < len(s.Text) && isWord(s.Text[s.At]) {
			s.At++
		}
	default:
		s.At++
	}
	s.Token = s.Text[start:s.At]
	return true
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// skip passes whitespace and comments.
func (s *Scanner) skip() {
	for s.At < len(s.Text) {
		rest := s.Text[s.At:]
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
		s.At += length
	}
}

// quoted reads a string. It ends with its quote, or, unterminated, with its
// line.
func (s *Scanner) quoted(quote byte) {
	var value strings.Builder
	s.IsString = true
	for s.At++; s.At < len(s.Text); s.At++ {
		c := s.Text[s.At]
		if c == quote {
			s.At++
			break
		}
		if c == '\n' {
			break
		}
		if c == '\\' && s.At+1 < len(s.Text) {
			s.At++
			if c = s.Text[s.At]; c == '\n' {
				s.lines++
				continue
			}
		}
		value.WriteByte(c)
	}
	s.Token = value.String()
}

// until is the text up to the closing token, comments left out, with the
// tokens' spacing.
func (s *Scanner) until(closing string) string {
	var text strings.Builder
	for {
		end := s.At
		if !s.Next() || s.Token == closing {
			return strings.TrimSpace(text.String())
		}
		if s.At-len(s.Token) > end {
			text.WriteByte(' ')
		}
		text.WriteString(s.Token)
	}
}
