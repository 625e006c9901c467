package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// heading is the verdict in one line. It says what was looked at, not that there is no bug.
// Green is only for a pass that found nothing and reached most of the change. prose and code make
// texts safe for the place it is written to.
func (p *page) heading(prose, code func(s string, most int) string) string {
	heading := p.outcome(prose)
	if missing := p.r.missing(); len(missing) > 0 {
		heading += " · " + code(missing[0].shortName(), maxName) + " not deployed" + human.More(len(missing)-1)
	}
	if p.r.Shards.incomplete() {
		heading += " · " + p.r.Shards.String()
	}
	return heading
}

// headFindings is what a heading says of findings: those that only inform are not bugs before they have been judged.
func headFindings(found []Finding) string {
	high, _ := gateRank("high")
	var bugs, others []Finding
	for _, f := range found {
		if f.Oracle != clashOracle.ID && slices.Index(severities, f.Severity) < high {
			others = append(others, f)
		} else {
			bugs = append(bugs, f)
		}
	}
	return strings.Join(slices.DeleteFunc([]string{describeFindings(bugs, "bug"), describeFindings(others, "finding")}, func(s string) bool { return s == "" }), ", ")
}

// outcome is the heading without the contracts that could not be deployed.
func (p *page) outcome(prose func(s string, most int) string) string {
	switch {
	case p.r.Verdict == Skipped && p.r.knownIdle() && len(p.locations) > 0:
		return "⏭️ Nothing to fuzz: " + prose(p.r.Reason, maxReason)
	case p.r.Verdict == Skipped && p.r.knownIdle():
		return "⏭️ Nothing to fuzz"
	case p.r.Verdict == Skipped && len(p.r.Unread) == 0:
		return "⚠️ " + prose(upper(p.r.Reason), maxReason)
	case p.r.Verdict == Skipped:
		return "⚠️ Nothing was fuzzed"
	}
	found, reached := p.r.found(), p.tally.reached()
	if p.r.Verdict != Pass {
		reached = fmt.Sprintf("%d of %s%s", p.tally[Reached], p.tally.what(p.tally.code()), p.tally.reachedWord())
	}
	// What was there before, and matters little, is counted at the end: whoever changed the code cannot do anything about it here.
	broke, old := "nothing broke", ""
	if p.r.Verdict == Pass && len(found) > 0 && !slices.ContainsFunc(found, func(f Finding) bool { return !f.faint() }) {
		broke, old, found = "nothing new broke", " · "+headFindings(found), nil
	}
	switch {
	case p.r.Verdict == Fail && len(found) == 0: // a condition, an expired waiver, or a finding that is withheld
		return "❌ Gate failed · " + reached
	case p.r.Verdict == Fail:
		return "❌ " + headFindings(found) + " · " + reached
	case p.r.Verdict != Pass && len(p.r.hidden()) > 0 && p.tally[Reached] > 0:
		return "🛑 Not all of " + p.r.subject() + " was looked at · " + reached
	case p.r.Verdict == Error && p.r.Shards.starved() && len(p.r.Faults) == 0:
		return "⚠️ Starved · " + reached
	case p.r.Verdict == Error && p.r.Starved != nil && !p.r.Starved.Allowed && len(p.r.Faults) == 0:
		return "⚠️ Starved · " + reached
	case p.r.Verdict != Pass && p.tally.code() == 0:
		return "🛑 Could not fuzz"
	case p.r.Verdict != Pass:
		return "🛑 Could not fuzz · " + reached
	case len(found) > 0:
		return "⚠️ " + headFindings(found) + " · gate passed · " + reached
	case p.tally[Reached] == 0:
		return "⚠️ " + upper(reached) + old
	case p.tally.few():
		heading := "⚠️ " + upper(reached)
		if c, ok := mainCause(p.r); ok && (c.status != Undeployable || len(p.r.missing()) == 0) {
			heading += " · " + c.count()
		}
		return heading + old
	case p.tally[notFuzzed] > 0:
		return fmt.Sprintf("⚠️ %s, %s · %d not fuzzed%s", reached, broke, p.tally[notFuzzed], old)
	case len(p.r.Unread) > 0:
		return fmt.Sprintf("⚠️ %s, %s · %s not looked at%s", reached, broke, p.r.unreadWere(p.r.Unread), old)
	case p.tally.harnessed() != "":
		return "⚠️ " + reached + ", " + p.tally.harnessed() + ", where failures are not findings" + p.brief() + old
	case p.brief() != "" || len(p.r.missing()) > 0 || p.r.Shards.incomplete():
		return "⚠️ " + reached + ", " + broke + p.brief() + old
	}
	return "✅ " + reached + ", " + broke + old
}

// brief says that lines were executed a few times only; empty if not.
func (p *page) brief() string {
	if p.r.Stats.Calls == 0 || p.r.Stats.Calls >= manyCalls {
		return ""
	}
	return " in " + human.Plural(int(p.r.Stats.Calls), "call")
}

// verdict writes the heading and, unless that says enough, the reason.
func (p *page) verdict() {
	p.line("### %s\n", p.heading(prose, code))
	if remark := p.remark(prose); remark != "" {
		p.line("%s\n", remark)
	}
}

// remark is what the heading does not say of the verdict, in a sentence; empty if that says enough.
func (p *page) remark(prose func(s string, most int) string) string {
	r := p.r
	switch {
	case r.Verdict == Skipped && len(r.Unread) == 0 && len(p.locations) > 0: // the heading says it
		return ""
	case r.Verdict == Fail && p.shownGates():
		return sentence(upper(describeMissing(r, prose)))
	case r.Verdict == Pass && p.tally[Reached] > 0 && !r.near():
		return sentence(upper(strings.Join(lacks(r, p.tally, prose), "; ")))
	}
	return sentence(prose(upper(r.Reason), maxReason))
}

// shownGates reports whether a finding that is shown fails the gate.
func (p *page) shownGates() bool {
	rank, _ := gateRank(p.r.FailOn)
	return slices.ContainsFunc(p.r.found(), func(f Finding) bool { return f.gates(rank) })
}

// openFindings is how many findings of a comment are not folded away, as far as the screen has room. Arbitrary: the fourth is not read
// before the first is mended.
const openFindings = 3

// allFindings writes the findings, each with its calls. Of a comment, those are folded away that are faint, that come after
// the first [openFindings] or for which the screen has no room, and those all together for whose titles it has none.
func (p *page) allFindings() {
	shown := p.shownFindings()
	write := func(i int) func() { return func() { p.finding(&p.groups[i], i < p.withCalls()) } }
	fold := func(i int) {
		title := p.groups[i].title()
		if p.groups[i].faint() {
			title += " · " + PreExisting
		}
		p.folded(title, write(i))
	}
	i, room := 0, true
	for ; i < shown && room && (p.summary || i < openFindings); i++ {
		if !p.summary && p.groups[i].faint() {
			fold(i)
			p.shown++
			continue
		}
		room = p.section(untilFindings, p.groups[i].title(), write(i))
	}
	for ; i < shown && p.shown < untilFindings; i++ {
		fold(i)
		p.shown++
	}
	if i < shown {
		p.folded(human.Plural(shown-i, "more finding"), func() {
			for ; i < shown; i++ {
				fold(i)
			}
		})
		p.shown++
	}
	if n := len(p.groups) - shown; n > 0 {
		p.more(n, "finding")
		p.line("")
	}
}

// fixed writes the findings of earlier runs that are gone.
func (p *page) fixed() {
	n := p.listed(len(p.r.Fixed))
	for i := range p.r.Fixed[:n] {
		f := &p.r.Fixed[i]
		p.line("🟢 **%s** %s\n", code(f.ID, maxName), f.describe(prose))
	}
}

// finding writes one finding: what, where, how sure, and the calls.
func (p *page) finding(f *alike, calls bool) {
	if p.failed() {
		return
	}
	p.line("**%s · %s · %s** in %s\\", code(f.ID, maxName), prose(f.Severity, maxName), prose(f.Oracle, maxName), code(f.where(), maxPath))
	said := sentence(prose(upper(f.said()), maxReason)) + " Breaks at " + p.link(f.Location)
	if place := f.place(); !place.sameLine(f.Location) {
		said += ", after the changed line " + p.link(place)
	} else if changed, ok := f.related(); ok {
		said += ", after the changed line " + p.link(changed)
	}
	said += "."
	if also := f.also(code); also != "" {
		said += " " + upper(also) + "."
	}
	p.line("%s\n", said)
	p.line("<sub>%s.</sub>\n", upper(f.assessment(prose, code(p.r.Diff.Base, maxName))))
	if len(f.Sequence) > 0 && calls {
		if lines := f.sourceLines(); len(lines) > 0 {
			p.line("%s", fence(lines))
		}
		if lines := f.callLines(); len(lines) > longCalls && !p.summary {
			p.folded(human.Plural(len(f.Sequence), "call"), func() { p.line("%s", fence(lines)) })
		} else {
			p.line("%s", fence(lines))
		}
		p.diagram(f.Finding)
	}
	if f.Reproducer != "" && p.detail < noReproducers {
		p.line("%s\n", code(replayCommand("", f.Reproducer), maxPath))
		p.foundryTest(f.Finding)
	}
}

// faults writes the faults of Sightline itself.
func (p *page) faults() {
	n := p.listed(len(p.r.Faults))
	if n == 0 {
		return
	}
	p.line("**Faults of Sightline itself**: please report them.\n")
	for _, f := range p.r.Faults[:n] {
		kept := ""
		if f.File != "" {
			kept = ", kept in the report's folder: " + code(f.File, maxPath)
		}
		p.line("- %s%s", prose(f.Message, maxReason), kept)
		if f.Input != "" && p.summary {
			p.line("  - input %s", code(f.Input, maxCall))
		}
	}
	p.more(len(p.r.Faults)-n, "fault")
	p.line("")
}

// warnings writes the warnings.
func (p *page) warnings() {
	n := p.listed(len(p.r.Warnings))
	if n == 0 {
		return
	}
	p.line("**Warnings**\n")
	for _, w := range p.r.Warnings[:n] {
		p.line("- %s", prose(w, maxReason))
	}
	p.more(len(p.r.Warnings)-n, "warning")
	p.line("")
}

// notReached writes the table of the changed lines that were not reached.
func (p *page) notReached() {
	list := slices.DeleteFunc(slices.Clone(p.locations), func(s locationRow) bool { return !s.lacking() })
	if len(list) == 0 {
		return
	}
	neitherFirst(list)
	rest := len(list)
	switch {
	case p.detail >= noUnreached:
		p.line("%s not reached (%s): %s.\n", p.tally.what(rest), p.tally.describe(slices.Concat(missed, []string{partly})...), p.elsewhere())
		return
	case p.summary:
		p.line("| Not reached | Code | Why |\n|---|---|---|")
		for _, s := range list[:min(len(list), p.rows)] {
			p.line("| %s | %s | %s |", p.linkRow(s), code(s.Text, maxCall), why(s))
			rest--
		}
	default:
		rows := groupRows(list)
		rows = rows[:min(len(rows), p.rows)]
		for i := range rows {
			rest -= rows[i].size()
		}
		p.missedRows(rows)
	}
	p.more(rest, "line")
	p.line("")
}

// missedRows writes the table of rows that were not reached, those folded away for which the screen has no room.
func (p *page) missedRows(rows []rowGroup) {
	lines := make([]string, len(rows))
	open, size := 0, 1 // of the table's head
	head := "| Not reached | Why |\n|---|---|"
	tries := slices.ContainsFunc(rows, func(r rowGroup) bool { return r.try() != "" })
	if tries {
		head = "| Not reached | Why | Try |\n|---|---|---|"
	}
	for i := range rows {
		r := &rows[i]
		lines[i] = fmt.Sprintf("| %s | %s |", link(r.label(), r.File, r.Line.Line, p.o.FileURL), why(r.locationRow))
		if tries {
			lines[i] += fmt.Sprintf(" %s |", r.try())
		}
		if size += filled(lines[i]); open == i && (p.shown+size <= untilMissed || i == 0) {
			open++
		}
	}
	table := head + "\n" + strings.Join(lines[:open], "\n")
	p.line("%s", table)
	p.shown += VisibleLines(table)
	if open < len(rows) {
		more := 0
		for i := range rows[open:] {
			more += rows[open+i].size()
		}
		p.line("")
		p.folded(human.Plural(more, "more line")+" not reached", func() { p.line("%s\n%s", head, strings.Join(lines[open:], "\n")) })
		p.shown++
	}
}

// countedApart says how many of the lines that do not make the headline were reached.
func (p *page) countedApart() {
	if text := describeApart(p.r, p.apart); text != "" {
		p.line("%s.\n", upper(text))
	}
}

// why is the reason why a row was not reached, with what tests reach.
func why(s locationRow) string { return s.withTests(whyMissed(s), emphasized) }

// whyMissed is the reason why a row was not reached.
func whyMissed(s locationRow) string {
	known := map[string]string{
		OnlyReverts:  "only in calls that revert",
		Unreachable:  "**proved unreachable**",
		Undeployable: "not deployed",
		Unmapped:     "not mapped to bytecode",
		notFuzzed:    "**not fuzzed**",
	}[s.Status]
	reason := prose(strings.Replace(s.Reason, "executed "+known+": ", "", 1), maxReason)
	switch {
	case s.Status == Reached:
		return "reached in part: " + s.partly(code)
	case known == "" && reason == "" && s.neither():
		return ""
	case known == "" && reason == "":
		return "not reached"
	case known == "", s.Status == Undeployable && strings.Contains(s.Reason, "could not be deployed"):
		return reason
	case reason == "":
		return known
	}
	return known + ": " + reason
}

// footer writes the basis of the result: World, compilers and effort.
func (p *page) footer() {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if world := p.world(); world != "" {
		add("World %s", world)
	}
	if compilers := p.compilers(); compilers != "" {
		add("%s", compilers)
	}
	if slices.ContainsFunc(p.r.Builds, func(b Build) bool { return b.Bytecode == BytecodeTrusted }) {
		add("bytecode taken on trust")
	}
	if s := p.r.Stats; s.Calls > 0 {
		effort := human.Count(s.Calls) + " calls"
		if s.Seconds > 0 {
			effort += ", " + humanSeconds(s.Seconds)
		}
		add("%s, seed %d", effort, p.r.Seed)
	}
	if n := p.tally[NoBytecode] + p.r.count(p.apart)[NoBytecode]; n > 0 && p.tally.code() > 0 {
		add("%s without bytecode", human.Plural(n, "more line"))
	}
	if p.tally.code() > 0 {
		add("\"unreached\" does not mean safe")
	}
	if p.summary {
		add("everything is in `report.json`")
	} else if url, ok := safeURL(p.o.SummaryURL); ok {
		add("[summary](%s)", url)
	} else {
		add("more in `summary.md`")
	}
	p.line("<sub>%s</sub>", strings.Join(parts, " · "))
}

// world names the deployed contracts.
func (p *page) world() string {
	const shown = 5 // arbitrary: about a line
	var names []string
	for _, in := range p.r.World.Instances {
		if len(names) == shown {
			names = append(names, fmt.Sprintf("%d more", len(p.r.World.Instances)-shown))
			break
		}
		name := code(in.Name, maxName)
		if in.Generated {
			name += " (generated)"
		}
		names = append(names, name)
	}
	if n := len(p.r.World.Undeployed); n > 0 {
		names = append(names, fmt.Sprintf("%d not deployed", n))
	}
	if by := p.setUp(); by != "" {
		return "of " + by + ": " + strings.Join(names, ", ")
	}
	return strings.Join(names, ", ")
}

// setUp names the tests that set up the World; empty if it is automatic.
func (p *page) setUp() string {
	const shown = 2 // as above
	var names []string
	n := 0
	for i := range p.r.World.Setups {
		s := &p.r.World.Setups[i]
		if s.Failure != "" {
			continue
		}
		if n++; n <= shown {
			names = append(names, code(strings.TrimSuffix(s.Contract[strings.LastIndexByte(s.Contract, ':')+1:]+"."+s.Function, "."), maxName))
		}
	}
	if n > shown {
		names = append(names, fmt.Sprintf("%d more", n-shown))
	}
	return strings.Join(names, ", ")
}

// compilers names the compilers of the builds, each once.
func (p *page) compilers() string {
	const shown = 3 // as above
	var names []string
	for _, b := range p.r.Builds {
		name := code(b.Compiler, maxName)
		if !slices.Contains(names, name) && len(names) < shown {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
