package report

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// This file shows what a reviewer needs to check a finding: the lines of source, and the
// calls as a Foundry test.

// maxTest bounds a Foundry test that is shown, bytes; arbitrary: a test of a World of a dozen
// contracts has 8 kB.
const maxTest = 20_000

// sourceLines are the text of the line that breaks and of the changed line before it; empty
// if neither is known. All of it is clean.
func (f *Finding) sourceLines() []string {
	var lines []string
	add := func(p Place, what string) {
		if text := human.Clean(p.Text, maxCall); text != "" && p.File != "" {
			lines = append(lines, human.Clean(p.String(), maxPath)+"  "+text+what)
		}
	}
	if place := f.place(); !place.sameLine(f.Location) {
		add(place, "  ← changed")
		add(f.Location, "  ← breaks here")
	} else {
		if changed, ok := f.related(); ok {
			add(changed, "  ← changed")
		}
		add(f.Location, "  ← breaks here")
	}
	return lines
}

// foundryTest writes the finding's Foundry test, folded away, or why there is none.
func (p *page) foundryTest(f *Finding) {
	t := f.Test
	if t == nil || p.detail >= noTests {
		return
	}
	if t.Text == "" {
		p.line("<details><summary>No Foundry test</summary>\n\n%s\n\n</details>\n", sentence(prose(upper(t.Reason), maxReason)))
		return
	}
	title := "Foundry test to paste, which shows the calls"
	if t.Fails {
		title = "Foundry test to paste, which fails as long as this happens"
	}
	if len(t.Text) > maxTest || p.tested+len(t.Text) > p.bounds.tests {
		p.line("%s: too long for this page, %s prints it.\n", title, code(replayCommand("", f.Reproducer)+" --foundry-test", maxPath))
		return
	}
	p.tested += len(t.Text)
	p.line("<details><summary>%s</summary>\n", title)
	p.line("%s\n</details>\n", fenceOf("solidity", cleanLines(t.Text, maxTest)))
}

// cleanLines are the lines of a text, each clean and with its indentation.
func cleanLines(text string, most int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		body := strings.TrimLeft(line, " ")
		lines = append(lines, strings.TrimRight(strings.Repeat(" ", min(len(line)-len(body), most))+human.Clean(body, most), " "))
	}
	return lines
}

// basis says, below the heading, which commit was looked at and what it was compared with, as far as that is known.
func (p *page) basis() {
	base, said := "", ""
	if p.r.Diff.Base != "" && p.r.Audit == nil {
		base = "base " + p.commit(p.r.Diff.Base)
	}
	switch {
	case p.o.Fuzzed == "":
		said = base
	case p.o.MergeOf != "" && base != "":
		said = fmt.Sprintf("commit %s, which merges %s into %s", p.commit(p.o.Fuzzed), p.commit(p.o.MergeOf), base)
	case p.o.MergeOf != "":
		said = fmt.Sprintf("commit %s, which merges %s into the base", p.commit(p.o.Fuzzed), p.commit(p.o.MergeOf))
	case base != "":
		said = fmt.Sprintf("commit %s, %s", p.commit(p.o.Fuzzed), base)
	default:
		said = "commit " + p.commit(p.o.Fuzzed)
	}
	if said != "" {
		p.line("%s.\n", upper(said))
	}
}

// shortCommit is how many digits of a commit's id GitHub shows.
const shortCommit = 7

// commit is the id of a commit, with a link to its page if there is one.
func (p *page) commit(id string) string {
	full := (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
	if !full {
		return code(id, maxName)
	}
	if base, ok := safeURL(p.o.CommitURL); ok {
		return fmt.Sprintf("[`%s`](%s%s)", id[:shortCommit], base, id)
	}
	return "`" + id[:shortCommit] + "`"
}
