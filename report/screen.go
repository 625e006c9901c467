package report

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sightline-evm/sightline/internal/human"
)

// A comment is read on one screen, and what does not fit is folded away. Each section has what is left of the screen up to
// its limit, so that a long one does not push the next ones out of sight.

// Screen is how many lines a comment has at most before anything in it is unfolded: one screen and a half of a laptop. Arbitrary.
const Screen = 60

// screenWidth is how many characters a line of a comment holds on GitHub, about.
const screenWidth = 105

// Limits of sections, in lines from the top of a comment. Arbitrary, but in this order: what broke, what the change does, what went wrong with
// the run, what was not reached.
const (
	untilFindings = 38
	untilEffect   = 44
	untilWarnings = 47
	untilMissed   = Screen - 7 // the rest is for the lines reached, and the footer
)

// longCalls is the number of lines of calls that a finding shows unfolded.
const longCalls = 16

// section writes a part of a page, folded away where the screen is full: then it returns false. title is what a reader sees of it then.
func (p *page) section(until int, title string, write func()) bool {
	start := p.Len()
	write()
	all := p.String()
	part := all[start:]
	lines := VisibleLines(part)
	if p.summary || lines == 0 || p.shown+lines <= until {
		p.shown += lines
		return true
	}
	p.Reset()
	p.WriteString(all[:start])
	p.folded(title, func() { p.WriteString(part) })
	p.shown++
	return false
}

var (
	linkTarget = regexp.MustCompile(`\]\([^()\s]*\)`)
	anyTag     = regexp.MustCompile(`</?[a-z]+[^>]*>|<!--.*?-->`)
)

// VisibleLines is how many lines of a page are seen before anything is unfolded, each as often as it fills one.
func VisibleLines(text string) (n int) {
	depth, fence := 0, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		ticks := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		switch {
		case fence != "" && trimmed == fence:
			fence = ""
			continue
		case fence != "": // has a scroll bar
			if depth == 0 {
				n++
			}
			continue
		case len(ticks) >= 3:
			fence = ticks
			continue
		}
		if strings.HasPrefix(line, "<details>") {
			if depth == 0 {
				n++ // its summary
			}
			depth++
		}
		ends := strings.Count(line, "</details>")
		if depth == 0 && !strings.HasPrefix(line, "|---") {
			n += filled(line)
		}
		depth = max(0, depth-ends)
	}
	return n
}

// filled is how many lines a line of Markdown takes.
func filled(line string) int {
	line = html.UnescapeString(anyTag.ReplaceAllString(linkTarget.ReplaceAllString(line, "]"), ""))
	line = strings.TrimSpace(strings.ReplaceAll(line, "\u200b", ""))
	return (utf8.RuneCountInString(line) + screenWidth - 1) / screenWidth
}

// title is a finding in a line, of which the rest is folded away. It is HTML, in which GitHub reads no Markdown.
func (f *Finding) title() string {
	return fmt.Sprintf("%s · %s · %s in %s: %s", inHTML(f.ID, maxName), plainHTML(f.Severity, maxName), plainHTML(f.Oracle, maxName), inHTML(f.where(), maxTitle), plainHTML(f.said(), maxTitle))
}

// plainHTML is s as text within an HTML element, and inHTML is code() there.
func plainHTML(s string, n int) string { return escape(human.Clean(s, n)) }

func inHTML(s string, n int) string { return "<code>" + plainHTML(s, n) + "</code>" }

// maxTitle bounds a finding's message in its title, in bytes: the whole is two lines at most.
const maxTitle = 100
