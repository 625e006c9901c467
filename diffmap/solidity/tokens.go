// Package solidity splits Solidity and Yul source into tokens, and finds its imports and
// pragmas.
package solidity

import (
	"strings"
	"unicode/utf8"
)

// Kind classifies a [Token].
type Kind uint8

// The kinds of Solidity and Yul tokens (Solidity documentation, "Language
// Grammar", lexer part). Keywords are identifiers.
const (
	Identifier Kind = iota
	Number
	String  // with its quotes; a hex or unicode prefix is an Identifier before it
	Punct   // operator or punctuation, longest match
	Comment // "//" without its line end, or "/*" to "*/"
	Illegal // a byte sequence no token begins with
)

// Token is the half-open byte range [Start, End) of a token in its source.
type Token struct {
	Kind       Kind
	Start, End int
}

// Tokenize splits Solidity or Yul source into tokens, in order. Between tokens
// there is only whitespace; a byte order mark counts as such. Any input is
// accepted: what solc would refuse becomes Illegal tokens, or a String that ends
// with its line, or a Comment that ends with the file.
func Tokenize(src []byte) []Token {
	text := string(src)
	var tokens []Token
	for at := skipSpace(text, len(bomOf(text))); at < len(text); {
		kind, n := nextToken(text[at:])
		tokens = append(tokens, Token{kind, at, at + n})
		at = skipSpace(text, at+n)
	}
	return tokens
}

// bomOf returns the UTF-8 byte order mark at the start of text, or "".
func bomOf(text string) string {
	const bom = "\ufeff"
	if strings.HasPrefix(text, bom) {
		return bom
	}
	return ""
}

// skipSpace returns the offset of the first byte from at on that is not white
// space.
func skipSpace(text string, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '\n', '\v', '\f', '\r':
			at++
			continue
		}
		break
	}
	return at
}

// nextToken returns kind and length of the token at the start of a text that is
// not empty.
func nextToken(text string) (Kind, int) {
	c := text[0]
	switch {
	case isIdentStart(c):
		return Identifier, identLength(text)
	case isDigit(c), c == '.' && len(text) > 1 && isDigit(text[1]):
		return Number, numberLength(text)
	case c == '"', c == '\'':
		return String, stringLength(text)
	case strings.HasPrefix(text, "//"):
		return Comment, lineCommentLength(text)
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return Comment, 2 + end + 2
		}
		return Comment, len(text)
	}
	if n := punctLength(text); n > 0 {
		return Punct, n
	}
	_, n := utf8.DecodeRuneInString(text)
	return Illegal, n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func identLength(text string) int {
	n := 0
	for n < len(text) && (isIdentStart(text[n]) || isDigit(text[n])) {
		n++
	}
	return n
}

// numberLength covers decimal, hexadecimal and rational literals with
// underscores and exponents: 0x1F, 1_000, .5, 2.5e-3.
func numberLength(text string) int {
	hex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	n := 0
	for n < len(text) {
		c := text[n]
		switch {
		case isDigit(c), isIdentStart(c):
		case c == '.' && !hex && n+1 < len(text) && isDigit(text[n+1]):
		case (c == '-' || c == '+') && !hex && n > 0 && (text[n-1] == 'e' || text[n-1] == 'E') &&
			n+1 < len(text) && isDigit(text[n+1]):
		default:
			return n
		}
		n++
	}
	return n
}

// stringLength covers a string up to its closing quote, or to the line end
// where solc reports an error. A backslash takes the next character with it,
// before 0.7 a line end too.
func stringLength(text string) int {
	quote := text[0]
	for n := 1; n < len(text); n++ {
		switch c := text[n]; {
		case c == quote:
			return n + 1
		case c == '\\':
			if strings.HasPrefix(text[n+1:], "\r\n") {
				n++
			}
			n++
		case isLineEnd(text[n:]):
			return n
		}
	}
	return len(text)
}

// lineCommentLength covers a "//" comment. solc ends it at a lone CR, VT or FF
// and at the Unicode line ends too (Scanner::isUnicodeLinebreak), none of which
// an editor or git shows as a line end: code behind one is live.
func lineCommentLength(text string) int {
	for n := 2; n < len(text); n++ {
		if isLineEnd(text[n:]) {
			return n
		}
	}
	return len(text)
}

// isLineEnd reports whether text begins with what solc takes for a line end: LF,
// VT, FF, CR, U+0085, U+2028, U+2029.
func isLineEnd(text string) bool {
	c := text[0]
	return c >= '\n' && c <= '\r' || strings.HasPrefix(text, "\u0085") ||
		strings.HasPrefix(text, "\u2028") || strings.HasPrefix(text, "\u2029")
}

// puncts are the operators of more than one character, longest first.
var puncts = []string{
	">>>=", ">>>", ">>=", "<<=",
	"=>", "->", ":=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "**", "<<", ">>",
	"+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=",
}

func punctLength(text string) int {
	for _, p := range puncts {
		if strings.HasPrefix(text, p) {
			return len(p)
		}
	}
	if strings.IndexByte("(){}[];,.:?=<>!~+-*/%&|^", text[0]) >= 0 {
		return 1
	}
	return 0
}
