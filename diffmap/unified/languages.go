package unified

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// sourceExtensions are those of the files whose lines count.
var sourceExtensions = []string{".sol", ".yul", ".vy"}

// IsSource reports whether changed lines of a file count, by its name: Solidity, Yul and Vyper.
func IsSource(name string) bool { return slices.Contains(sourceExtensions, path.Ext(name)) }

// untokenized lists the lines of an edit in a language whose tokens are not known
// here: an edited line may have changed anywhere. Vyper's comments begin with #.
func untokenized(file string, edits []Edit, head []byte) []ChangedLine {
	table := lineStarts(head)
	all, _ := splitLines(string(head))
	var lines []ChangedLine
	for _, e := range edits {
		kind := LineAdded
		if len(e.Old) > 0 {
			kind = LineEdited
		}
		for i, text := range e.New {
			line := ChangedLine{Path: file, Line: e.NewStart + i, Kind: kind}
			start := table[line.Line-1]
			switch trimmed := strings.TrimSpace(text); {
			case trimmed == "":
				line.Formatting = true
			case strings.HasPrefix(trimmed, "#"):
				line.Comment = true
			default:
				line.Spans = []Span{{start, start + len(text)}}
			}
			lines = append(lines, line)
		}
		if len(e.New) == 0 {
			number := max(1, min(e.NewStart, len(all)))
			lines = append(lines, ChangedLine{Path: file, Line: number, Kind: DeletionAnchor, Spans: []Span{{table[number-1], table[number-1]}}})
		}
	}
	slices.SortStableFunc(lines, func(a, b ChangedLine) int { return cmp.Compare(a.Line, b.Line) })
	return lines
}
