package layout

import (
	"regexp"
	"slices"
	"strings"
)

// maxCommentLines bounds a comment that is read; arbitrary.
const maxCommentLines = 100

// commentBefore is the comment at the end of a text: a block, or lines that have
// nothing else on them. It is read from the text since solc's AST has none of structs
// before 0.8.20.
func commentBefore(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	if strings.HasSuffix(text, "*/") {
		return strings.Trim(text[max(0, strings.LastIndex(text, "/*")):], "/*")
	}
	var lines []string
	for text != "" && len(lines) < maxCommentLines {
		at := strings.LastIndexByte(text, '\n') + 1
		line := strings.TrimSpace(text[at:])
		if !strings.HasPrefix(line, "//") {
			break
		}
		lines = append(lines, strings.TrimLeft(line, "/"))
		text = strings.TrimRight(text[:at], " \t\r\n")
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// OpenZeppelin's annotations of variables (documentation of its upgrades plugins, "Writing Upgradeable Contracts").
var (
	renamedFrom = regexp.MustCompile(`@custom:oz-renamed-from\s+(\S+)`)
	retypedFrom = regexp.MustCompile(`@custom:oz-retyped-from\s+([^\n*]+)`)
)

// annotate reads the annotations in a variable's comment.
func (v *Variable) annotate(comment string) {
	if found := renamedFrom.FindStringSubmatch(comment); found != nil {
		v.RenamedFrom = found[1]
	}
	if found := retypedFrom.FindStringSubmatch(comment); found != nil {
		v.RetypedFrom = strings.TrimSpace(found[1])
	}
}
