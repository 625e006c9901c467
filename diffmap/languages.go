package diffmap

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// otherLanguage says why lines of a file that is not Solidity are not mapped;
// empty for Solidity.
func otherLanguage(file string) string {
	switch path.Ext(file) {
	case ".yul":
		return "Yul source: none of the builds has its standard-JSON input and output"
	case ".vy":
		return "Vyper source: only what solc compiles can be mapped yet"
	}
	return ""
}

// untokenized lists the lines of an edit in a language whose tokens are not known
// here: an edited line may have changed anywhere. Vyper's comments begin with #.
func untokenized(file string, edits []Edit, head []byte) []ChangedLine {
	table := newLineTable(head)
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
