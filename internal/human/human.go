// Package human formats names, numbers and messages for people.
package human

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Clean makes s safe to show on one line of any output: invisible characters, control
// characters and those that change the direction of text become visible escapes (\n,
// \x1b, \u202e), and bytes that are not UTF-8 become \xff. If the result is longer than
// n characters, it is cut and ends in "…".
//
// Every string of a report goes through here before it is shown, since an attacker may
// choose names, paths, revert reasons and arguments.
func Clean(s string, n int) string {
	var b strings.Builder
	b.Grow(min(len(s), max(n, 0)))
	length := 0 // of b, in characters
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		shown, characters := s[i:i+size], 1
		switch {
		case ' ' <= r && r <= '~': // most are; IsPrint would search
		case r == utf8.RuneError && size == 1:
			shown = fmt.Sprintf(`\x%02x`, s[i])
			characters = len(shown)
		case !strconv.IsPrint(r):
			quoted := strconv.QuoteRuneToASCII(r)
			shown = quoted[1 : len(quoted)-1]
			characters = len(shown)
		}
		if length += characters; length > n {
			b.WriteString("…")
			break
		}
		b.WriteString(shown)
		i += size
	}
	return strings.TrimSpace(b.String())
}

// MaxShown bounds a piece of text on one line, characters; arbitrary.
const MaxShown = 2000

// Printable makes untrusted names and texts safe to show, see [Clean].
func Printable(s string) string { return Clean(s, MaxShown) }

// Plural returns "1 line", "2 lines".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Count formats n for people: 950, 12.3k, 18.2M.
func Count(n uint64) string {
	switch {
	case n < 10_000:
		return strconv.FormatUint(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fG", float64(n)/1e9)
}

// Clock formats seconds for people: 1:32, or 1:04:10.
func Clock(seconds float64) string {
	s := int(seconds)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// More returns " and 2 more", for a list that omits n items; empty for 0.
func More(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// List joins the first names, and counts the rest; it returns none for an empty list.
func List(names []string, none string) string {
	const most = 5 // arbitrary: what fits on a line
	if len(names) == 0 {
		return none
	}
	return First(names, most)
}

// First joins the first most of names, and counts the rest.
func First(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + More(len(names)-most)
}

// OneLine joins the lines of a message, which may contain a compiler's output.
func OneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Revision abbreviates a full commit id to 12 digits; other names stay as they are.
func Revision(rev string) string {
	if len(rev) == 40 && strings.Trim(rev, "0123456789abcdef") == "" {
		return rev[:12]
	}
	return rev
}
