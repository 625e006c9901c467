package unified

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// sourceExtensions are those of the files whose lines count.
var sourceExtensions = []string{".sol", ".yul", ".vy", ".vyi", ".huff", ".fe"}

// commentsBegin has what comments to the end of the line begin with, by the extensions of
// languages whose tokens are not known here. In Huff "#define" is code.
var commentsBegin = map[string]string{".vy": "#", ".vyi": "#", ".huff": "//", ".fe": "//"}

// IsSource reports whether changed lines of a file count, by its name: those of languages
// that are compiled for the EVM.
func IsSource(name string) bool { return slices.Contains(sourceExtensions, path.Ext(name)) }

// vyperPragma matches Vyper's pragmas: "#pragma optimize codesize", "# @version 0.3.10".
var vyperPragma = regexp.MustCompile(`^#\s*(pragma\b|@version\b)`)

// untokenized lists the lines of an edit in a language whose tokens are not known
// here: an edited line may have changed anywhere. A comment that is a pragma of Vyper's is
// code: it names the compiler.
func untokenized(file string, edits []Edit, head []byte) []ChangedLine {
	table := lineStarts(head)
	all, _ := splitLines(string(head))
	comment := commentsBegin[path.Ext(file)]
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
			case strings.HasPrefix(trimmed, comment) && !vyperPragma.MatchString(trimmed):
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
