package report

import (
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/internal/human"
)

// Levels of annotations.
const (
	AnnotateError   = "error"
	AnnotateWarning = "warning"
	AnnotateNotice  = "notice"
)

// Annotation is a remark at a line of the pull request.
type Annotation struct {
	Level   string
	Title   string
	Message string
	File    string // empty: at none
	Line    int
	EndLine int // of a range; 0: only Line
	Column  int // 0: unknown
}

// Annotations are the findings, first those that gate, as errors, and then the lines that
// were not reached, with the reason. A caller shows as many as there is room for.
func Annotations(r *Report) []Annotation {
	rank, _ := gateRank(r.FailOn)
	errors := r.Trouble.annotations()
	var warnings, notices []Annotation
	for _, f := range allAlike(r.Findings) {
		if f.Waived != nil {
			continue
		}
		a := annotationOf(&f, human.Clean(r.Diff.Base, maxName))
		if f.gates(rank) {
			a.Level = AnnotateError
			errors = append(errors, a)
		} else {
			warnings = append(warnings, a)
		}
	}
	for i := range r.Clashes {
		c := &r.Clashes[i]
		if c.Waived != nil {
			continue
		}
		a := c.annotation(human.Clean(r.Diff.Base, maxName))
		if c.gates(rank) {
			a.Level = AnnotateError
			errors = append(errors, a)
		} else {
			warnings = append(warnings, a)
		}
	}
	shown, _ := headlined(locationRows(r))
	rows := slices.DeleteFunc(slices.Clone(shown), func(s locationRow) bool { return !s.lacking() })
	neitherFirst(rows)
	for _, row := range groupRows(rows) {
		text, title := statusWords[row.Status], "Not reached"
		if row.Status == Reached {
			text, title = "reached in part: "+row.partly(human.Clean), "Reached in part"
		}
		if row.Reason != "" && row.Status != Reached {
			text += ": " + human.Clean(row.Reason, maxReason)
		}
		text = sentence(upper(row.withTests(text, plainText)))
		if row.Status != Unreachable && row.Status != Reached {
			text += " \"Unreached\" does not mean safe."
		}
		for _, lines := range runsOf(row.lines) {
			notices = append(notices, Annotation{Level: AnnotateNotice, Title: title, Message: text, File: row.File, Line: lines.first, EndLine: lines.last})
		}
	}
	return slices.Concat(errors, warnings, notices)
}

// annotationOf is a finding at the line where people should look first.
func annotationOf(f *alike, base string) Annotation {
	place := f.place()
	text := sentence(human.Clean(f.said(), maxReason))
	text += " It breaks at " + human.Clean(f.Location.String(), maxPath)
	if len(f.Sequence) > 0 {
		text += ", after " + human.Plural(len(f.Sequence), "call")
	}
	text += "."
	if also := f.also(human.Clean); also != "" {
		text += " " + upper(also) + "."
	}
	text += " " + upper(f.assessment(human.Clean, base)) + "."
	for _, line := range f.callLines() {
		text += "\n" + line
	}
	if command := replayCommand("", f.Reproducer); command != "" {
		text += "\n" + command
	}
	return Annotation{Level: AnnotateWarning, Message: text, File: place.File, Line: place.Line,
		Title: fmt.Sprintf("%s %s %s in %s", human.Clean(f.ID, maxName), human.Clean(f.Severity, maxName), human.Clean(f.Oracle, maxName), human.Clean(f.where(), maxPath))}
}

// Counts are the numbers of a report that other programs compare.
type Counts struct {
	Findings int // including clashes of storage layouts
	New      int // findings that are introduced, or not known to be old
	Lines    int // changed lines with bytecode
	Reached  int
}

// CountsOf counts the findings and lines of a report.
func CountsOf(r *Report) Counts {
	t := tallyOf(r)
	found := r.found()
	c := Counts{Findings: len(found) + r.Withheld.Findings, New: r.Withheld.New, Lines: t.code(), Reached: t[Reached]}
	for i := range found {
		if !found[i].excused() {
			c.New++
		}
	}
	return c
}
