package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report/sarif"
)

// SARIF renders the findings for code scanning. Only findings are alerts: an unreached
// line is not a flaw in the code, and alerts on such lines would bury the findings; the
// comment and the summary show them.
//
// An alert is at the changed line on the failing path, since GitHub shows it in the pull
// request only then; the place where it breaks is a related location. GitHub makes one
// alert of the findings of one oracle at one line, so they are one result here. A finding
// in code without source has no line to be shown at, but a notification.
func SARIF(r *Report, o Options) ([]byte, error) {
	b := &sarifBuilder{r: r, o: o, sources: map[string]*sourceFile{}}
	log := sarif.New(sarif.Driver{
		Name:           "Sightline", // the key of GitHub's rulesets: it never changes
		Version:        human.Clean(r.Tool.Version, maxName),
		InformationURI: "https://github.com/sightline-evm/sightline",
		Rules:          b.rules(),
	}, b.category())
	run := log.Runs[0]
	run.Invocations[0].ExecutionSuccessful = r.Verdict != Error
	for _, group := range b.groups(run) {
		run.Results = append(run.Results, b.result(group))
	}
	b.clashes(run)
	for _, f := range r.Faults {
		run.Notify(sarif.Error, "Fault of Sightline itself: "+human.Clean(f.Message, maxReason))
	}
	for _, w := range r.Warnings {
		run.Notify(sarif.Warning, human.Clean(w, maxReason))
	}
	if said := r.DescribeShards(); said != "" {
		run.Notify(sarif.Warning, said)
	}
	if t := tallyOf(r); t.code() > t[Reached] {
		run.Notify(sarif.Note, fmt.Sprintf("%d of %s reached. \"Unreached\" does not mean safe.", t[Reached], t.what(t.code())))
	}
	for _, row := range b.stopped() {
		run.Notify(sarif.Note, fmt.Sprintf("%s: %s", human.Clean(row.label(), maxPath), human.Clean(row.Reason, maxReason)))
	}
	return sarif.Encode(log)
}

// stopped are the lines, at most terminalRows of them, that were not reached and of which it is
// known where executions end.
func (b *sarifBuilder) stopped() []rowGroup {
	rows := slices.DeleteFunc(groupRows(with(locationRows(b.r), missed...)), func(row rowGroup) bool { return row.Barrier == nil })
	return rows[:min(len(rows), terminalRows)]
}

// category is the id of the series of runs, and of the run.
func (b *sarifBuilder) category() string {
	category := markerValue(b.o.Category)
	if category == "" {
		category = "sightline"
	}
	return category + "/" + markerValue(b.o.Run)
}

// rules are the oracles that watched, and those of findings by other oracles.
func (b *sarifBuilder) rules() []sarif.Rule {
	b.index = map[string]int{}
	rules := []sarif.Rule{}
	add := func(o Oracle) {
		if _, ok := b.index[ruleID(o.ID)]; !ok {
			b.index[ruleID(o.ID)] = len(rules)
			rules = append(rules, ruleOf(o))
		}
	}
	for _, o := range b.r.Oracles {
		add(o)
	}
	for _, f := range b.r.Findings {
		add(Oracle{ID: f.Oracle, Title: f.Title, SWC: f.SWC, CWE: f.CWE, Severity: f.Severity})
	}
	if len(b.r.Upgrades)+len(b.r.Clashes) > 0 {
		add(clashOracle)
	}
	return rules
}

// ruleID is the rule of an oracle.
func ruleID(oracle string) string {
	if id := human.Clean(oracle, maxName); id != "" {
		return id
	}
	return "unnamed"
}

func ruleOf(o Oracle) sarif.Rule {
	id := ruleID(o.ID)
	title := human.Clean(o.Title, maxReason)
	if title == "" {
		title = id
	}
	doc := human.Clean(o.Doc, sarif.MaxDescription)
	if doc == "" {
		doc = title
	}
	text, markdown := helpOf(o, doc)
	tags := []string{"security", "smart-contract"}
	if o.SWC != "" {
		number := human.Clean(o.SWC, maxName)
		tags = append(tags, "external/swc/swc-"+number, "SWC-"+number)
	}
	if o.CWE != "" {
		tags = append(tags, "external/cwe/cwe-"+human.Clean(o.CWE, maxName))
	}
	level, security := levels(o.Severity)
	rule := sarif.Rule{
		ID: id, Name: camelCase(id),
		ShortDescription:     sarif.Text{Text: title},
		FullDescription:      sarif.Text{Text: doc},
		Help:                 sarif.Help{Text: text, Markdown: markdown},
		HelpURI:              helpURI(id),
		DefaultConfiguration: sarif.Configuration{Level: level},
		Properties:           sarif.RuleProperties{Tags: tags, Precision: "very-high", SecuritySeverity: security},
	}
	switch level {
	case sarif.Error, sarif.Warning:
		rule.Properties.ProblemSeverity = level
	default:
		rule.Properties.ProblemSeverity = "recommendation"
	}
	return rule
}

// helpOf is a rule's documentation, as text and as Markdown: what it is, how it was shown, how
// to mend it and how to accept it for now. doc is the oracle's, and clean.
func helpOf(o Oracle, doc string) (text, markdown string) {
	shown := "Every finding was confirmed on go-ethereum and comes with a reproducer: `sightline replay` shows its calls."
	if o.ID == clashOracle.ID {
		shown = "It is detected from compiler output of base and head, and demonstrated on go-ethereum if a getter exposes it."
	}
	const waive = "To accept a finding for now, list its id (at the end of the alert's message) and its fingerprint (in report.json) in the file that the setting `waivers` names; it takes effect once it is merged:"
	const entry = "waivers:\n  - id: SL-0000\n    fingerprint: 00000000000000000000000000000000\n    reason: why it is acceptable\n    owner: who answers for it\n    expires: YYYY-MM-DD"
	remedy := human.Clean(o.Remedy, sarif.MaxDescription)
	text, markdown = doc+" "+shown, prose(doc, sarif.MaxDescription)+" "+shown
	if remedy != "" {
		text += "\n\nHow to mend it: " + remedy
		markdown += "\n\n**How to mend it**\n\n" + prose(remedy, sarif.MaxDescription)
	}
	text += "\n\nHow to waive it: " + waive + "\n\n" + entry
	markdown += "\n\n**How to waive it**\n\n" + waive + "\n\n```yaml\n" + entry + "\n```\n"
	return text, markdown
}

// helpURI is the page about a rule. What an oracle of another version is called may be
// anything.
func helpURI(id string) string {
	const docs = "https://github.com/sightline-evm/sightline/blob/main/docs/"
	switch {
	case id == clashOracle.ID:
		return docs + "upgrades.md"
	case strings.Trim(id, "abcdefghijklmnopqrstuvwxyz-") == "":
		return docs + "oracles.md#" + id
	}
	return docs + "oracles.md"
}

// camelCase makes a rule's name of its id: "ether-leak" is EtherLeak.
func camelCase(id string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(id, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString(upper(word))
	}
	return b.String()
}

// groups collects the findings that are one alert on GitHub, in order of appearance.
// Those without a line become notifications.
func (b *sarifBuilder) groups(run *sarif.Run) [][]*Finding {
	type key struct {
		rule, file string
		line       int
	}
	index := map[key]int{}
	var groups [][]*Finding
	for i := range b.r.Findings {
		f := &b.r.Findings[i]
		if f.Waived != nil {
			continue // code scanning does not read suppressions
		}
		p := f.place()
		if _, ok := b.location(p); !ok {
			run.Notify(sarif.Warning, fmt.Sprintf("Finding %s (%s) is in code without a source line, so it is not an alert: see report.json.",
				human.Clean(f.ID, maxName), human.Clean(f.Oracle, maxName)))
			continue
		}
		k := key{ruleID(f.Oracle), p.File, p.Line}
		at, ok := index[k]
		if !ok {
			at = len(groups)
			index[k] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], f)
	}
	return groups
}

// result is the alert of a group of findings, which is not empty.
func (b *sarifBuilder) result(group []*Finding) sarif.Result {
	first := group[0]
	rule := ruleID(first.Oracle)
	primary, _ := b.location(first.place())
	res := sarif.Result{
		RuleID: rule, RuleIndex: b.index[rule],
		Level: sarif.Note, Locations: []sarif.Location{primary},
	}
	var message []string
	for _, f := range group {
		if level, _ := levels(f.Severity); !f.excused() {
			res.Level = higher(res.Level, level)
		}
		message = append(message, b.message(f, &res))
		res.CodeFlows = append(res.CodeFlows, b.flow(f, primary))
	}
	res.Message.Text = strings.Join(message, "\n\n")
	if hash := b.hash(first.place()); hash != "" {
		res.PartialFingerprints = map[string]string{sarif.LineHash: hash}
	}
	return res
}

// message describes a finding. It adds the place where it breaks to the related locations,
// and links it. It says nothing that differs between two runs that find the same: neither
// how many calls and executions it took, nor which commits were compared.
func (b *sarifBuilder) message(f *Finding, res *sarif.Result) string {
	text := sentence(unlinked(human.Clean(f.said(), maxReason)))
	text += fmt.Sprintf(" In %s.", unlinked(human.Clean(f.where(), maxPath)))
	if broken, ok := b.location(f.Location); ok && !f.place().sameLine(f.Location) {
		broken.ID = len(res.RelatedLocations) + 1
		broken.Message = &sarif.Text{Text: "where it breaks"}
		res.RelatedLocations = append(res.RelatedLocations, broken)
		text += fmt.Sprintf(" It breaks at [%s](%d).", unbracketed(human.Clean(f.Location.String(), maxPath)), broken.ID)
	}
	if changed, ok := f.related(); ok {
		if line, ok := b.location(changed); ok {
			line.ID = len(res.RelatedLocations) + 1
			line.Message = &sarif.Text{Text: "a changed line that it runs"}
			res.RelatedLocations = append(res.RelatedLocations, line)
			text += fmt.Sprintf(" It runs the changed line [%s](%d).", unbracketed(human.Clean(changed.String(), maxPath)), line.ID)
		}
	}
	text += fmt.Sprintf(" %s.", upper(f.comparedWithBase()))
	if command := replayCommand("", f.Reproducer); command != "" {
		text += " Replay: " + unlinked(command)
	}
	return text + fmt.Sprintf(" (%s)", unlinked(human.Clean(f.ID, maxName)))
}

// comparedWithBase says how the finding compares with the base and how sure it is, as the same words for every run
// that finds the same.
func (f *Finding) comparedWithBase() string {
	text := map[string]string{Introduced: "introduced by the change", PreExisting: "happens on the base too", NoBase: "audit: no base"}[f.Comparison]
	if text == "" {
		text = "not compared with the base"
	}
	if sureness := f.sureness(unlinkedClean); sureness != "" {
		text += "; " + sureness
	}
	return text
}

// flow is the calls of a finding, each at the declaration of the function that it calls, then
// the place where it breaks. A call whose function has no source is shown at the alert's place.
func (b *sarifBuilder) flow(f *Finding, primary sarif.Location) sarif.CodeFlow {
	var steps []sarif.Location
	for _, call := range f.Sequence[:min(len(f.Sequence), maxSteps)] {
		text := human.Clean(call.Sender, maxName) + " calls " + call.whole()
		if call.Note != "" {
			text += ": " + human.Clean(call.Note, maxReason)
		}
		step, ok := b.location(Place{File: call.File, Line: call.Line})
		if !ok {
			step = primary
		}
		step.Message = &sarif.Text{Text: unlinked(text)}
		steps = append(steps, step)
	}
	end, ok := b.location(f.Location)
	if !ok {
		end = primary
	}
	end.Message = &sarif.Text{Text: unlinked(human.Clean(f.said(), maxReason))}
	return sarif.Flow(append(steps, end)...)
}
