package main

import (
	"fmt"
	"strings"
)

// explain says who is right about a line, and why: the marks decide, and known
// says what was found by looking at it.
func explain(p *project, l *line) (right, why string) {
	switch {
	case l.passed == l.ours && (l.passed || l.marked):
		right = "Sightline"
	case l.passed != l.ours && (l.passed || l.marked):
		right = "forge"
	default:
		right = "undecided"
	}
	for _, k := range known {
		if k.project == p.name && strings.HasSuffix(fmt.Sprintf("%s:%d", l.file, l.number), k.line) {
			return right, k.why
		}
	}
	return right, "not looked into"
}

// known are disagreements that were looked into.
var known = []struct{ project, line, why string }{}
