package report

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// The functions below put strings that an attacker chose into GitHub-flavored
// Markdown. Three places can hold such a string: prose, a code span and a fenced
// block. Each shows the string as it is and keeps it inert: no markup, HTML, link,
// image, mention, reference or table cell, and no way to end the place it is in.

// zeroWidth is a zero-width space. GitHub finds mentions, references, emoji and
// bare links in the rendered text, after entities are decoded, so an entity does not
// stop it; a zero-width space after the character does (Renovate and Dependabot do
// the same in their pull requests).
const zeroWidth = "&#8203;"

// prose is s as text. Pairs of backticks in it, as in messages of compilers and of this
// program, become code spans.
func prose(s string, n int) string {
	cleaned := human.Clean(s, n)
	parts := strings.Split(cleaned, "`")
	if len(parts)%2 == 0 || slices.Contains(parts[1:max(1, len(parts)-1)], "") {
		return escape(cleaned) // no pairs, or empty ones
	}
	for i, part := range parts {
		if i%2 == 0 {
			parts[i] = escape(part)
		} else {
			parts[i] = code(part, n)
		}
	}
	return strings.Join(parts, "")
}

// escape is the clean string s as text and nothing else.
func escape(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/4)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '$':
			b.WriteString("<span>$</span>") // as GitHub documents it; otherwise two of them make a formula
		case c == '@' || c == '#':
			b.WriteString(entity(c) + zeroWidth)
		case c == ':' && i+1 < len(s) && s[i+1] != ' ': // a scheme or an emoji
			b.WriteString(":" + zeroWidth)
		case strings.IndexByte("\\`*_~[]<>&|", c) >= 0, i == 0 && strings.IndexByte("+-=", c) >= 0:
			b.WriteString(entity(c))
		case (c == '.' || c == ')') && allDigits(s[:i]), i == 0 && allDigits(s): // starts a list, perhaps together with the text after s
			b.WriteString(entity(c))
		case c == '-' && endsWithWord(s[:i], "gh"), c == '.' && endsWithWord(s[:i], "www"):
			b.WriteString(zeroWidth) // GH-12 is a reference, www. a link
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	if endsWithWord(s, "www") || endsWithWord(s, "gh") {
		b.WriteString(zeroWidth) // the text after s may begin with a full stop or a hyphen
	}
	return b.String()
}

func entity(c byte) string { return "&#" + strconv.Itoa(int(c)) + ";" }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// allDigits reports whether s is a number.
func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// endsWithWord reports whether s ends with the word, in any case.
func endsWithWord(s, word string) bool {
	at := len(s) - len(word)
	if at < 0 || !strings.EqualFold(s[at:], word) {
		return false
	}
	return at == 0 || (!isLetter(s[at-1]) && (s[at-1] < '0' || s[at-1] > '9'))
}

// code is s as a code span, in which GitHub looks for nothing. Backticks would end it, a
// pipe would end a table's cell even there, and a search could take "<!--" for the
// comment's marker: a string with one of them becomes an HTML element with everything
// escaped. An empty string has no span.
func code(s string, n int) string {
	cleaned := human.Clean(s, n)
	switch {
	case cleaned == "":
		return ""
	case strings.ContainsAny(cleaned, "`|") || strings.Contains(cleaned, "<!--"):
		return "<code>" + escape(cleaned) + "</code>"
	}
	return "`" + cleaned + "`"
}

// fence is a fenced block of lines of text, which must be clean.
func fence(lines []string) string { return fenceOf("text", lines) }

// fenceOf is a fenced block of clean lines in a language. The fence is longer than any run
// of backticks in them.
func fenceOf(language string, lines []string) string {
	body := strings.ReplaceAll(strings.Join(lines, "\n"), "<!--", "<! --")
	longest, run := 2, 0
	for _, c := range body {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	ticks := strings.Repeat("`", longest+1)
	return ticks + language + "\n" + body + "\n" + ticks + "\n"
}

// link is a code span that links to a line of a file if there is an address for it, and
// only the code span if not.
func link(label, file string, line int, fileURL string) string {
	address := fileLink(file, fileURL)
	if address == "" {
		return code(label, maxPath)
	}
	return fmt.Sprintf("[%s](%s#L%d)", code(label, maxPath), address, line)
}

// fileLink is the address of a file; empty if there is none.
func fileLink(file, fileURL string) string {
	base, ok := safeURL(fileURL)
	if !ok || file == "" || len(file) > maxPath {
		return ""
	}
	segments := strings.Split(file, "/")
	for i, s := range segments {
		if s == "" || s == "." || s == ".." { // would link to another page
			return ""
		}
		segments[i] = url.PathEscape(s)
	}
	return base + strings.Join(segments, "/")
}

// safeURL returns u if it is an http or https address that needs no escaping
// inside a Markdown link.
func safeURL(u string) (string, bool) {
	parsed, err := url.Parse(u)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "https" && parsed.Scheme != "http") {
		return "", false
	}
	const allowed = "-._~:/?#=%+,@&"
	for i := range len(u) {
		if c := u[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte(allowed, c) < 0 {
			return "", false
		}
	}
	return u, true
}
