package report

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// browserCounts counts the rows of the headline by status.
func (p *page) browserCounts() []browserCount {
	counts := []browserCount{}
	for _, status := range rowStatuses {
		if n := p.tally[status]; n > 0 {
			counts = append(counts, browserCount{status, statusWords[status], n})
		}
	}
	return counts
}

// browserUnread are files at which nothing looked, for one reason.
type browserUnread struct {
	Files  []string `json:"files"`
	Reason string   `json:"reason"`
}

// browserUnread lists the files at which nothing looked, those of one reason together.
func (p *page) browserUnread() []browserUnread {
	groups := []browserUnread{}
	for _, u := range p.r.Unread {
		i := slices.IndexFunc(groups, func(g browserUnread) bool { return g.Reason == u.Reason })
		if i < 0 {
			i = len(groups)
			groups = append(groups, browserUnread{Reason: u.Reason})
		}
		groups[i].Files = append(groups[i].Files, u.File)
	}
	return groups
}

// browserFacts are what the verdict rests on.
func (p *page) browserFacts() []browserFact {
	facts := []browserFact{}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, browserFact{name, value})
		}
	}
	r := p.r
	switch {
	case r.Audit != nil:
		add("Audit", "all of the sources, with no base to compare with")
	case len(r.Diff.Explicit) > 0:
		add("Targets", strings.Join(r.Diff.Explicit, ", "))
	default:
		add("Change", fmt.Sprintf("%s → %s: %s, %s", r.Diff.Base, cmp.Or(r.Diff.Head, "working tree"), human.Plural(r.Diff.Files, "file"), human.Plural(r.Diff.Lines, "changed line")))
	}
	gate := "a finding of " + r.FailOn + " severity or above fails"
	if r.FailOn == "none" {
		gate = "no finding fails"
	}
	if r.Gate != "" {
		gate += "; required: " + r.Gate
	}
	add("Gate", gate)
	if r.Shards != nil {
		add("Shards", cmp.Or(r.DescribeShards(), r.Shards.String()))
	}
	add("Tests", describeTests(r, p.locations, plainText))
	add("Tracefile", r.traced())
	add("World", p.browserWorld())
	add("Compiler", strings.Join(p.compilerNames(), ", "))
	if s := r.Stats; s.Calls > 0 {
		effort := human.Count(s.Calls) + " calls in " + human.Count(s.Executions) + " executions"
		if s.Seconds > 0 {
			effort += ", " + humanSeconds(s.Seconds)
		}
		add("Effort", effort)
		add("Stopped", s.Stopped)
	}
	add("Budget", describeBudget(r.Limits))
	if r.SelfCheck != nil {
		add("Self-check", r.SelfCheck.Headline())
	}
	if r.Workers > 0 {
		add("Seed", fmt.Sprintf("%d, %s", r.Seed, human.Plural(r.Workers, "worker")))
	}
	if c := r.Corpus; c != nil {
		add("Corpus", fmt.Sprintf("%s, SHA-256 %s", human.Plural(c.Files, "saved input"), c.SHA256))
	}
	return facts
}

// browserWorld says how the World was made.
func (p *page) browserWorld() string {
	w := &p.r.World
	if len(w.Instances) == 0 {
		return ""
	}
	text := human.Plural(len(w.Instances), "contract") + ", deployed automatically"
	var by []string
	for i := range w.Setups {
		if s := &w.Setups[i]; s.Failure == "" {
			by = append(by, strings.TrimSuffix(s.Contract[strings.LastIndexByte(s.Contract, ':')+1:]+"."+s.Function, "."))
		}
	}
	if len(by) > 0 {
		text = human.Plural(len(w.Instances), "contract") + ", set up by " + by[0] + human.More(len(by)-1)
	}
	if n := len(w.Undeployed); n > 0 {
		text += fmt.Sprintf("; %d not deployed", n)
	}
	return text
}

// compilerNames are the compilers of the builds, each once.
func (p *page) compilerNames() []string {
	var names []string
	for i := range p.r.Builds {
		b := &p.r.Builds[i]
		name := b.Compiler
		if b.Generator == "ir" {
			name += " via IR"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// describeBudget is "120 s, 1M calls".
func describeBudget(l Limits) string {
	var parts []string
	if l.Seconds > 0 {
		parts = append(parts, humanSeconds(math.Round(l.Seconds)))
	}
	if l.Calls > 0 {
		parts = append(parts, human.Count(l.Calls)+" calls")
	}
	return strings.Join(parts, ", ")
}

// browserBugs are the findings.
func (p *page) browserBugs() []browserBug {
	rank, _ := gateRank(p.r.FailOn)
	bugs := []browserBug{}
	also := map[*Finding]string{}
	for _, f := range p.groups {
		also[f.Finding] = f.also(human.Clean)
	}
	for i := range p.r.Findings {
		f := &p.r.Findings[i]
		said := sentence(upper(f.said()))
		if others := also[f]; others != "" {
			said += " " + sentence(upper(others))
		}
		bugs = append(bugs, browserBug{Finding: *f, Where: f.where(), Said: said,
			Assessment: sentence(upper(f.assessment(human.Clean, human.Clean(p.r.Diff.Base, maxName)))),
			Gates:      f.gates(rank), Replay: replayCommand("", f.Reproducer)})
	}
	return bugs
}

// browserClashes are the storage layouts that clash.
func (p *page) browserClashes() []browserClash {
	rank, _ := gateRank(p.r.FailOn)
	clashes := []browserClash{}
	for i := range p.r.Clashes {
		c := &p.r.Clashes[i]
		clashes = append(clashes, browserClash{Clash: *c, Basis: c.basis(), Gates: c.gates(rank), Replay: replayCommand("", c.Reproducer)})
	}
	return clashes
}

// browserFiles are the rows by file, in the order in which files appear, and what is around them.
func (p *page) browserFiles() []browserFile {
	files := []browserFile{}
	index := map[string]int{}
	targets := p.targetsOfRows()
	for _, s := range slices.Concat(p.locations, p.apart) {
		i, known := index[s.File]
		if !known {
			i = len(files)
			index[s.File] = i
			files = append(files, browserFile{Name: s.File, Link: fileLink(s.File, p.o.FileURL), Lines: []sourceLine{}})
		}
		files[i].Rows = append(files[i].Rows, p.browserRow(s, targets[s.place]))
	}
	for i := range files {
		p.addSource(&files[i])
	}
	return files
}

// targetsOfRows are the targets by the place of their row.
func (p *page) targetsOfRows() map[string][]*Target {
	targets := map[string][]*Target{}
	for i := range p.r.Targets {
		t := &p.r.Targets[i]
		place := position(t.File, t.Line)
		if t.File == "" {
			place = fmt.Sprintf("%s:%#x", t.Contract, t.PC)
		}
		targets[place] = append(targets[place], t)
	}
	return targets
}

func (p *page) browserRow(s locationRow, targets []*Target) browserRow {
	row := browserRow{Line: s.Line.Line, Place: s.place, Kind: s.Kind, Text: s.Text, Status: s.Status, Reason: s.Reason, Tests: s.Tests,
		Aside: s.Aside, Harness: s.Harness, Partly: s.Partly, Barrier: s.Barrier, Targets: []browserTarget{}}
	for _, t := range targets {
		shown := browserTarget{Contract: t.Contract, Status: t.Status, Reason: t.Reason, Barrier: t.Barrier, Executions: t.Executions, Calls: t.Calls,
			Seconds: t.Seconds, Sequence: list(t.Sequence), Replay: replayCommand("", t.Reproducer), Setup: t.Setup}
		if t.Reason == s.Reason {
			shown.Reason = ""
		}
		if reflect.DeepEqual(t.Barrier, s.Barrier) {
			shown.Barrier = nil
		}
		if t.Release == ReleaseAbsent || t.Release == ReleaseUnknown {
			shown.Release = cmp.Or(t.ReleaseReason, t.Release)
		}
		row.Targets = append(row.Targets, shown)
	}
	return row
}

// Bounds of the source around rows. Arbitrary: what shows where one is, and what keeps the page small.
const (
	around        = 2     // lines before and after a row
	maxSourceLine = 200   // characters
	maxAround     = 5_000 // lines of a file
)

// addSource adds the lines around the rows of a file, and their indentation to the rows, as far as the source
// has what the rows say.
func (p *page) addSource(f *browserFile) {
	text, ok := p.o.source(f.Name)
	if !ok {
		return
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	row := map[int]bool{}
	texts := make([]string, len(f.Rows))
	for i := range f.Rows {
		r := &f.Rows[i]
		if r.Line < 1 || r.Line > len(lines) {
			return // the report is about another source
		}
		source := lines[r.Line-1]
		indent := source[:len(source)-len(strings.TrimLeft(source, " \t"))]
		said := strings.TrimSpace(strings.TrimSuffix(r.Text, "…"))
		if !strings.HasPrefix(source[len(indent):], said) {
			return // as above
		}
		texts[i] = indent + strings.TrimSpace(r.Text)
		if r.Text == "" { // of a target that is not a changed line
			texts[i] = cut(source, maxSourceLine)
		}
		row[r.Line] = true
	}
	for i, text := range texts {
		f.Rows[i].Text = text
	}
	near := map[int]bool{}
	for line := range row {
		for n := max(1, line-around); n <= min(len(lines), line+around); n++ {
			if !row[n] {
				near[n] = true
			}
		}
	}
	if len(near) > maxAround {
		return
	}
	for n := range lines { // in order
		if near[n+1] {
			f.Lines = append(f.Lines, sourceLine{n + 1, cut(lines[n], maxSourceLine)})
		}
	}
}

// cut cuts a text after so many characters.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
