package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// IssuePrefix begins the first line of an issue's body, and occurs nowhere else in it.
const IssuePrefix = "<!-- sightline-issue:v1 "

// maxFoundIDs bounds the ids in an issue's marker: 2,000 bytes of usual length. Arbitrary; what
// comes behind them is in the issue, but is never called new.
const maxFoundIDs = 200

// Issue is what an issue says of a report: the findings of a branch. Nothing is found if Found is
// empty.
type Issue struct {
	Title string
	Body  []byte // begins with a marker, as a comment does, which also has Found
	// Found are the ids of the findings that count: at least low, neither known to be old, nor
	// waived, nor absent from the release build. Of withheld ones there are only numbers.
	Found []string

	summary string // address
}

// NewIssue renders the issue: the findings that count, with their calls, in at most [MaxComment]
// bytes. Of withheld findings it has no more than the report has: their number, and how to see
// them.
func NewIssue(r *Report, o Options) *Issue {
	counted := *r
	out := func(f *Finding) bool { return f.excused() || f.Severity == severities[0] }
	counted.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return out(&f) })
	counted.Clashes = slices.DeleteFunc(slices.Clone(r.Clashes), func(c Clash) bool { return out(c.asFinding()) })
	i := &Issue{}
	found := counted.found()
	for _, f := range found {
		i.Found = append(i.Found, markerValue(strings.ReplaceAll(f.ID, "/", "_")))
	}
	for n := range r.Withheld.New {
		i.Found = append(i.Found, fmt.Sprintf("withheld-%d", n+1))
	}
	i.Found = i.Found[:min(len(i.Found), maxFoundIDs)]
	if url, ok := safeURL(o.SummaryURL); ok {
		i.summary = url
	}
	heading := countFindings(found, r.Withheld.New)
	i.Title = "Sightline: " + heading
	i.Body = renderWithin(&counted, o, bounds{bytes: MaxComment, rows: 40, findings: 50, tests: 30_000}, func(p *page) {
		p.line("%s", issueMarker(o, i.Found))
		p.line("### %s\n", upper(heading))
		p.basis()
		if len(i.Found) == 0 {
			p.line("What was here is not found any more: mended, waived, or not met again by this run. The issue is opened again when something is found.\n")
			p.footer()
			return
		}
		p.withheld()
		p.allFindings()
		p.section(untilFindings, countClashes(len(counted.Clashes)), p.allClashes)
		p.line("<sub>Every run of the workflow updates this issue, and closes it when it finds none of this any more. What is accepted for now belongs into the file of waivers, with an owner and a date.</sub>\n")
		p.footer()
	})
	return i
}

// issueMarker is the first line of an issue.
func issueMarker(o Options, found []string) string {
	m := strings.TrimPrefix(Marker(o), MarkerPrefix)
	return IssuePrefix + strings.TrimSuffix(m, " -->") + " found=" + strings.Join(found, "/") + " -->"
}

// withheld says that findings are not shown, and how to see them.
func (p *page) withheld() {
	n := p.r.Withheld.New
	if n == 0 {
		return
	}
	p.line("**%s not shown**, since anyone can read this, and it may be live in deployed code. To see it, on your own machine:\n", arePlural(n, "finding"))
	p.line("%s", fence([]string{"git checkout " + human.Clean(p.o.Fuzzed, maxName), "sightline run --audit"}))
	p.line("Or let this workflow run in a private copy of the repository, where everything is shown.\n")
}

// countFindings is "3 findings (1 critical, 2 high)", with those that are not shown.
func countFindings(found []Finding, withheld int) string {
	if len(found)+withheld == 0 {
		return "nothing found any more"
	}
	count := map[string]int{}
	for _, f := range found {
		count[f.Severity]++
	}
	var parts []string
	for _, s := range slices.Backward(severities) {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	if withheld > 0 {
		parts = append(parts, fmt.Sprintf("%d not shown", withheld))
	}
	return fmt.Sprintf("%s (%s)", human.Plural(len(found)+withheld, "finding"), strings.Join(parts, ", "))
}

// News is the comment on an issue that lacks so many of the findings so far.
func (i *Issue) News(n int) []byte {
	text := human.Plural(n, "finding") + " that this issue did not have so far: its text is up to date"
	if i.summary != "" {
		text += fmt.Sprintf(", and the run's [summary](%s) has more", i.summary)
	}
	return []byte(text + ".\n")
}
