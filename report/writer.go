package report

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// page renders a report as Markdown. The comment and the summary are pages with different
// bounds.
type page struct {
	strings.Builder
	r         *Report
	o         Options
	locations []locationRow // that make the headline
	apart     []locationRow // that are counted apart
	tally     tally
	groups    []alike // of the findings
	bounds
	detail detail
	tested int // bytes of Foundry tests so far
	shown  int // lines that are not folded away so far, see section
}

// bounds say how much a page holds.
type bounds struct {
	bytes    int
	rows     int  // of a table or list
	findings int  // shown
	tests    int  // bytes of Foundry tests
	summary  bool // the summary's tables, wider and with all statuses
}

// detail is how much of a page is left out to make it fit. Each level leaves out more
// than the one before. After the last level named here, each level shows the calls of
// half as many findings as the one before; when none are left, half as many findings.
type detail int

const (
	_             detail = iota // everything
	noDiagrams                  // no diagrams of calls
	noTests                     // no Foundry tests
	noReproducers               // no commands to replay
	noUnreached                 // only the count of lines not reached
	noReached                   // only the count of lines reached
)

// renderWithin renders the page with as much detail as fits into its bytes. The page always
// ends with the footer, and nothing in it is truncated.
func renderWithin(r *Report, o Options, b bounds, write func(*page)) []byte {
	p := newPage(r, o)
	p.bounds = b
	for {
		p.Reset()
		p.tested, p.shown = 0, 0
		write(p)
		if p.Len() <= b.bytes || p.smallest() {
			return []byte(p.String())
		}
		p.detail++
	}
}

// newPage is an empty page without bounds.
func newPage(r *Report, o Options) *page {
	p := &page{r: r, o: o}
	p.locations, p.apart = headlined(locationRows(r))
	p.tally = r.count(p.locations)
	p.groups = allAlike(r.Findings)
	return p
}

// halvings is how often a number has been halved at the present level, if it is halved
// first at the level after from.
func (p *page) halvings(from detail) int { return max(0, int(p.detail-from)) }

// withCalls is how many findings are shown with their calls.
func (p *page) withCalls() int {
	return min(len(p.groups), p.findings) >> p.halvings(noReached)
}

// noCalls is the first level at which no finding is shown with its calls.
func (p *page) noCalls() detail {
	return noReached + detail(bits.Len(uint(min(len(p.groups), p.findings))))
}

// shownFindings is how many findings are shown.
func (p *page) shownFindings() int {
	return min(len(p.groups), p.findings) >> p.halvings(p.noCalls())
}

// listed is how many entries of a list of n are shown in a section that is never left out.
func (p *page) listed(n int) int {
	switch p.halvings(p.noCalls()) {
	case 0:
		return min(n, 10) // arbitrary: people read no more
	case 1:
		return min(n, 3)
	}
	return min(n, 1)
}

// smallest reports whether the page's size does not depend on the report any more.
func (p *page) smallest() bool {
	return p.shownFindings() == 0 && p.halvings(p.noCalls()) >= 2
}

// failed is whether the page is too long already, and will be written again with less: nothing makes it shorter.
func (p *page) failed() bool { return p.bytes > 0 && p.Len() > p.bytes && !p.smallest() }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// more says how many entries are not shown.
func (p *page) more(n int, noun string) {
	if n > 0 {
		p.line("\n… %s %s.", human.Plural(n, "more "+noun), p.elsewhere())
	}
}

// elsewhere is where the rest can be read.
func (p *page) elsewhere() string {
	if p.summary {
		return "in `report.json`"
	}
	if url, ok := safeURL(p.o.SummaryURL); ok {
		return fmt.Sprintf("in the [summary](%s)", url)
	}
	return "in `summary.md`"
}

func (p *page) link(place Place) string {
	return link(place.String(), place.File, place.Line, p.o.FileURL)
}

// linkRow is a row's location with a link to it.
func (p *page) linkRow(s locationRow) string { return link(s.place, s.File, s.Line.Line, p.o.FileURL) }

// folded writes a part that is folded away under a title, which must not be a stranger's text.
func (p *page) folded(title string, write func()) {
	p.line("<details><summary>%s</summary>\n", title)
	write()
	p.line("\n</details>\n")
}
