package report

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// MaxComment bounds the size of the comment, in bytes. GitHub refuses comments of more than
// 65,536 characters; the rest is room for what a caller adds.
const MaxComment = 60_000

// MarkerPrefix begins the comment's first line, and occurs nowhere else in it.
const MarkerPrefix = "<!-- sightline:v1 "

// Marker is the first line of a comment, by which a later run finds it to replace
// it: "<!-- sightline:v1 key=ci.yml/sightline sha=1a2b3c4 run=812 -->". The key
// names the series of comments; sha and run say which is newer.
func Marker(o Options) string {
	return fmt.Sprintf("%skey=%s sha=%s run=%s -->", MarkerPrefix, markerValue(o.Key), markerValue(o.SHA), markerValue(o.Run))
}

// markerValue replaces characters that could end the marker or a value in it.
func markerValue(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (isLetter(byte(r)) || '0' <= r && r <= '9' || strings.ContainsRune("._/-", r)) {
			return r
		}
		return '_'
	}, s)
	s = strings.ReplaceAll(s, "--", "-_") // ends a comment in HTML
	if len(s) > maxPath {
		s = s[:maxPath]
	}
	return s
}

// Comment renders the pull request's comment: the marker, the verdict, the findings with
// their calls, what the change does, the lines that were not reached and why, and those that were. No more than [Screen] lines of it are seen
// before something is unfolded. If it is
// more than MaxComment, parts are left out in this order: diagrams, Foundry tests, commands
// to replay, lines not reached, lines reached, calls, findings.
func Comment(r *Report, o Options) []byte {
	// 40 rows are two screens; the summary has more, and more findings. Tests get half of the page. All
	// arbitrary.
	return renderWithin(r, o, bounds{bytes: MaxComment, rows: 40, findings: 12, tests: 30_000}, func(p *page) {
		p.line("%s", Marker(o))
		p.verdict()
		p.basis()
		p.audit()
		p.shards()
		p.shown = VisibleLines(p.String())
		p.section(untilFindings, "What went wrong", p.trouble)
		p.allFindings()
		p.section(untilFindings, countClashes(len(r.Clashes)), p.allClashes)
		p.section(untilEffect, "What this change does", p.effect)
		p.section(untilEffect, "Self-check", p.selfCheck)
		p.section(untilEffect, human.Plural(len(r.Fixed), "finding")+" fixed", p.fixed)
		p.section(untilWarnings, "Faults of Sightline itself", p.faults)
		p.section(untilWarnings, human.Plural(len(r.Warnings), "warning"), p.warnings)
		p.tests()
		p.notReached()
		p.countedApart()
		p.reachedLines()
		p.footer()
	})
}

// reachedLines writes the reached lines, folded away, as ranges by file.
func (p *page) reachedLines() {
	reached := with(p.locations, Reached)
	if len(reached) == 0 || p.detail >= noReached {
		return
	}
	noun := "reached line"
	if len(p.r.Diff.Explicit) > 0 {
		noun = "reached target"
	}
	p.line("<details><summary>%s</summary>\n", human.Plural(len(reached), noun))
	entries := ranges(reached)
	shown := entries[:min(len(entries), p.rows)]
	for _, e := range shown {
		p.line("- %s", e)
	}
	p.more(len(entries)-len(shown), "file")
	p.line("\n</details>\n")
}

// ranges lists rows by file, consecutive lines as one range: "`src/Vault.sol` 12, 14–17".
// Rows without a file are entries of their own.
func ranges(locations []locationRow) []string {
	var files []string // in order of appearance
	lines := map[string][]int{}
	var entries []string
	for _, s := range locations {
		if s.File == "" {
			entries = append(entries, code(s.place, maxPath))
			continue
		}
		if lines[s.File] == nil {
			files = append(files, s.File)
		}
		lines[s.File] = append(lines[s.File], s.Line.Line)
	}
	for _, file := range files {
		entry := code(file, maxPath) + " " + lineRanges(lines[file])
		if tests := testsReachOf(locations, file); tests != "" {
			entry += " (" + tests + ")"
		}
		entries = append(entries, entry)
	}
	return entries
}
