package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// This file draws the calls of a finding as a sequence diagram of Mermaid, which GitHub
// renders in Markdown. It shows what a list of calls does not: which contracts call each
// other in between, such as a token that calls back, a proxy, or a re-entrant call.

// Bounds of a diagram. With more participants, the arrows on a page of GitHub's width are
// too short for their text; 30 rows are one screen (both tried with Mermaid 10 and 11).
const (
	maxParticipants = 10
	maxArrows       = 30
	maxArrowText    = 60 // characters
	maxParticipant  = 24
)

// diagram writes the calls of a finding as a sequence diagram, folded away, unless they are
// a single call of one contract.
func (p *page) diagram(f *Finding) {
	if p.detail >= noDiagrams {
		return
	}
	d := newDiagram(f.Trace)
	if len(f.Trace) < 2 || len(d.participants) > maxParticipants {
		return
	}
	p.line("<details><summary>These calls as a diagram</summary>\n")
	p.line("```mermaid\n%s```\n", d)
	p.line("</details>\n")
}

// diagram is a sequence diagram that is being written.
type diagram struct {
	strings.Builder
	participants []string // their names; the i-th one is "pI" in the text
	open         []Message
}

func newDiagram(trace []Message) *diagram {
	d := &diagram{}
	shown, all := arrows(trace)
	for _, m := range shown {
		for _, name := range []string{m.From, m.To} {
			if !slices.Contains(d.participants, name) {
				d.participants = append(d.participants, name)
			}
		}
	}
	d.WriteString("sequenceDiagram\n")
	for i, name := range d.participants {
		fmt.Fprintf(d, "  participant p%d as %s\n", i, diagramText(name, maxParticipant))
	}
	for _, m := range shown {
		d.close(m.Depth, m.Step)
		text := m.Call
		if m.Depth == 0 {
			text = fmt.Sprintf("%d %s", m.Step, m.Call)
		}
		d.arrow(m.From, "->>", m.To, text)
		d.open = append(d.open, m)
	}
	d.close(0, 0)
	if !all {
		fmt.Fprintf(d, "  Note over p0: %s\n", diagramText("some calls are left out", maxArrowText))
	}
	return d
}

// arrows are the messages that are shown: all, or if those are too many, the sequence's own
// calls and those made in the last of them.
func arrows(trace []Message) (shown []Message, all bool) {
	if len(trace) <= maxArrows {
		return trace, true
	}
	var own, last []Message
	for _, m := range trace {
		switch {
		case m.Depth == 0:
			own = append(own, m)
		case m.Step == trace[len(trace)-1].Step:
			last = append(last, m)
		}
	}
	last = last[:min(len(last), maxArrows/2)]
	own = own[max(0, len(own)-(maxArrows-len(last))):]
	return slices.Concat(own, last), false
}

// close ends the open calls in which a message of a depth and step cannot have been made,
// the inner ones first, with an arrow back for those that failed.
func (d *diagram) close(depth, step int) {
	for n := len(d.open); n > 0 && (d.open[n-1].Depth >= depth || d.open[n-1].Step != step); n-- {
		if m := d.open[n-1]; m.Fails != "" {
			d.arrow(m.To, "--x", m.From, m.Fails)
		}
		d.open = d.open[:n-1]
	}
}

func (d *diagram) arrow(from, kind, to, text string) {
	fmt.Fprintf(d, "  p%d%sp%d: %s\n", slices.Index(d.participants, from), kind, slices.Index(d.participants, to), diagramText(text, maxArrowText))
}

// diagramText is s as text of a diagram and nothing else. Every character that could mean
// something to Mermaid, Markdown or HTML is written as an entity of Mermaid's, which
// replaces them before it parses; so are letters outside of ASCII, and the word "end",
// which ends a block wherever it stands.
func diagramText(s string, n int) string {
	var b strings.Builder
	word := 0 // where the word that is being written begins in cleaned
	cleaned := human.Clean(s, n)
	for i, r := range cleaned {
		letter := r < 0x80 && (isLetter(byte(r)) || '0' <= r && r <= '9')
		if !letter {
			word = i + len(string(r))
		}
		switch {
		case letter && i-word == 2 && isEnd(cleaned[word:]):
			fmt.Fprintf(&b, "#%d;", r)
		case letter || strings.ContainsRune(" .,()", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	if b.Len() == 0 {
		return "#160;" // a space that is kept: an empty text is a syntax error
	}
	return b.String()
}

// isEnd reports whether the text begins with the word "end".
func isEnd(s string) bool {
	if len(s) < 3 || !strings.EqualFold(s[:3], "end") {
		return false
	}
	return len(s) == 3 || !isLetter(s[3]) && (s[3] < '0' || s[3] > '9')
}
