package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// alike is a finding for people to look at, with others that are the same to them. report.json, SARIF and
// gates have each by itself: whether it happens on the base, and is waived, is known of each contract.
type alike struct {
	*Finding
	inherits []*Finding // the same code fails, in other contracts
	wraps    []*Finding // its property is what they check, too
}

// allAlike groups findings, in their order.
func allAlike(findings []Finding) []alike {
	var groups []alike
	for i := range findings {
		f := &findings[i]
		at := slices.IndexFunc(groups, func(g alike) bool { return g.sameCode(f) || g.sameProperty(f) })
		switch {
		case at < 0:
			groups = append(groups, alike{Finding: f})
		case groups[at].sameCode(f):
			groups[at].inherits = append(groups[at].inherits, f)
		default:
			groups[at].wraps = append(groups[at].wraps, f)
		}
	}
	return groups
}

// distinct are the findings that people are told to look at.
func distinct(findings []Finding) []Finding {
	var out []Finding
	for _, g := range allAlike(findings) {
		out = append(out, *g.Finding)
	}
	return out
}

// judgedAlike reports whether gates and readers make the same of two findings.
func (f *Finding) judgedAlike(g *Finding) bool {
	return f.Oracle == g.Oracle && f.Severity == g.Severity && f.Condition == g.Condition && f.Comparison == g.Comparison &&
		f.Release == g.Release && (f.Waived == nil) == (g.Waived == nil) && f.Since == g.Since
}

// sameCode reports whether a line that two contracts inherit fails in both, by calls of the same function.
func (f *Finding) sameCode(g *Finding) bool {
	return f.judgedAlike(g) && f.Location.File != "" && f.Location.sameLine(g.Location) && f.Location.Contract != g.Location.Contract &&
		f.Function == g.Function && f.Message == g.Message && f.calledFunction() == g.calledFunction() && f.place().sameLine(g.place())
}

// calledFunction is the signature of the function that the last call calls.
func (f *Finding) calledFunction() string {
	_, function, _ := strings.Cut(f.Called[strings.LastIndexByte(f.Called, ':')+1:], ".")
	return function
}

// sameProperty reports whether the same calls break two properties of a contract of which one calls the other, as an
// invariant does that is written for two fuzzers.
func (f *Finding) sameProperty(g *Finding) bool {
	n := len(f.Sequence) - 1
	return n >= 0 && f.judgedAlike(g) && isProperty(f) && isProperty(g) && f.Location.File == g.Location.File && f.Location.Contract == g.Location.Contract &&
		(callsIn(f.Location.Text, g.Function) || callsIn(g.Location.Text, f.Function)) &&
		len(g.Sequence)-1 == n && slices.Equal(sequenceLines(f.Sequence[:n]), sequenceLines(g.Sequence[:n]))
}

// isProperty reports whether a finding is that a property fails.
func isProperty(f *Finding) bool { return f.Message == "property "+f.Function+" fails" }

// callsIn reports whether a line of a source calls a function, and not only declares it.
func callsIn(line, function string) bool {
	if !strings.Contains(line, function+"(") {
		return false
	}
	called := regexp.MustCompile(`\b` + regexp.QuoteMeta(function) + `\(`)
	return len(called.FindAllString(line, -1)) > strings.Count(line, "function "+function+"(")
}

// also says which other findings a finding stands for, in a sentence without its end; empty if there are none.
func (a *alike) also(code func(s string, most int) string) string {
	names := func(others []*Finding) string {
		const most = 8 // arbitrary: about two lines
		var names []string
		for _, f := range others[:min(len(others), most)] {
			names = append(names, fmt.Sprintf("%s (%s)", code(f.where(), maxPath), code(f.ID, maxName)))
		}
		return strings.Join(names, ", ") + human.More(len(others)-len(names))
	}
	var said []string
	if len(a.inherits) > 0 {
		said = append(said, "the same code fails in "+names(a.inherits))
	}
	if len(a.wraps) > 0 {
		said = append(said, "the same calls break "+names(a.wraps))
	}
	return strings.Join(said, "; ")
}
