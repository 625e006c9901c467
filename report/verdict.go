package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// ExitCode is the exit code of a verdict. exit.Input and exit.Canceled are not among them:
// there is no report then, or only a partial one.
func ExitCode(verdict string) int {
	switch verdict {
	case Pass, Skipped:
		return exit.Pass
	case Fail:
		return exit.Fail
	}
	return exit.Failure
}

// Gating are the findings that fail the gate, including clashes of storage layouts.
func (r *Report) Gating() (list []Finding) {
	rank, ok := gateRank(r.FailOn)
	for _, f := range r.found() {
		if ok && f.gates(rank) {
			list = append(list, f)
		}
	}
	return list
}

// rule is a row of the table that decides the verdict.
type rule struct {
	when    string // in docs/report.md
	verdict string
	// applies reports whether the rule does, and the reason of its verdict then.
	applies func(*facts) (reason string, ok bool)
}

// facts are what the rules look at.
type facts struct {
	*Report
	isGate bool      // FailOn is a severity that gates, or "none"
	gating []Finding // including clashes
	tally  tally     // of the rows that make the headline
	all    tally     // of all rows
	met    bool      // the condition holds
	near   bool      // it does within the tolerance alone
	err    error     // the condition cannot be evaluated
}

// rules are the table, of which the first row that applies counts. A fault comes after
// findings, since those were confirmed on their own, and before a pass, since the cause of
// the fault could hide a finding.
var rules = []rule{
	{"`--fail-on` is not a severity and not `none`", Error, func(f *facts) (string, bool) {
		return fmt.Sprintf("fail-on is %q; it must be none, low, medium, high or critical", human.Clean(f.FailOn, maxName)), !f.isGate
	}},
	{"a finding gates, or a clash of storage layouts", Fail, func(f *facts) (string, bool) {
		return fmt.Sprintf("%s at or above %s", describeFindings(f.gating, "finding"), f.FailOn), len(f.gating) > 0
	}},
	{"Sightline itself had a fault", Error, func(f *facts) (string, bool) {
		if len(f.Faults) == 0 {
			return "", false
		}
		return fmt.Sprintf("%s of Sightline itself: %s", human.Plural(len(f.Faults), "fault"), human.Clean(f.Faults[0].Message, maxReason)), true
	}},
	{"the change moves code, or what is built, to where nothing looks (`unread`)", Error, func(f *facts) (string, bool) {
		hidden := f.hidden()
		if len(hidden) == 0 {
			return "", false
		}
		return fmt.Sprintf("%s not looked at: %s", f.unreadWere(hidden), describeUnread(hidden, human.Clean)), true
	}},
	{"there is nothing to fuzz: no changed line, or none with bytecode", Skipped, func(f *facts) (string, bool) {
		return nothingToDo(f.Report, f.all), f.all.code() == f.all[notFuzzed]
	}},
	{"no changed line could be mapped to bytecode and deployed", Error, func(f *facts) (string, bool) {
		t := f.tally
		return fmt.Sprintf("none of %s could be fuzzed: %s", t.what(t.code()), t.describe(Undeployable, Unmapped)+firstReason(f.Report)), t.deployed() == 0 && t.code() > t[notFuzzed]
	}},
	{"fewer of the campaign's shards came to their end than `--quorum` asks for", Error, func(f *facts) (string, bool) {
		if !f.Shards.starved() {
			return "", false
		}
		return fmt.Sprintf("%s; a pass needs %.0f %% of them (--quorum)", f.DescribeShards(), 100*f.Shards.Quorum), true
	}},
	{"there are targets, but no sequence was run", Error, func(f *facts) (string, bool) {
		return fmt.Sprintf("%s, but no sequence was run", f.tally.what(f.tally.code())), f.Stats.Executions == 0
	}},
	{"the campaign was starved: it ran too few executions for its targets, and `--allow-starved` is not set", Error, func(f *facts) (string, bool) {
		if f.Starved == nil || f.Starved.Allowed {
			return "", false
		}
		return f.DescribeStarved(), true
	}},
	{"a waiver has expired", Fail, func(f *facts) (string, bool) {
		expired := f.expired()
		if len(expired) == 0 {
			return "", false
		}
		w := expired[0]
		return fmt.Sprintf("the waiver of %s ended on %s: %s must renew or remove it", human.Clean(w.name(), maxName), human.Clean(w.Expires, maxName), human.Clean(w.Owner, maxName)), true
	}},
	{"the condition `gate` cannot be evaluated", Error, func(f *facts) (string, bool) {
		if f.err == nil {
			return "", false
		}
		return fmt.Sprintf("the gate cannot be evaluated: %s", human.Clean(f.err.Error(), maxReason)), true
	}},
	{"the condition `gate` does not hold", Fail, func(f *facts) (string, bool) {
		if f.met {
			return "", false
		}
		return human.Clean(f.unmet(), maxReason), true
	}},
	{"otherwise", Pass, func(f *facts) (string, bool) {
		reason := passReason(f.Report, f.tally)
		if f.near {
			reason += "; " + f.distance() + ", within the tolerance"
		}
		return reason, true
	}},
}

// Decide sets the verdict and its reason: of the first of the [rules] that applies, which
// docs/report.md lists.
func Decide(r *Report) {
	_, isGate := gateRank(r.FailOn)
	f := facts{Report: r, isGate: isGate, gating: r.Gating(), tally: tallyOf(r), all: r.count(locationRows(r))}
	f.met, f.near, f.err = r.holds()
	for _, rule := range rules {
		if reason, ok := rule.applies(&f); ok {
			r.Verdict, r.Reason = rule.verdict, reason
			return
		}
	}
	panic("report: no rule applies, not even the last")
}

// nothingToDo is the reason for having no target.
func nothingToDo(r *Report, t tally) string {
	switch {
	case len(r.Unread) > 0:
		return fmt.Sprintf("nothing was fuzzed, and %s not looked at: %s", r.unreadWere(r.Unread), describeUnread(r.Unread, human.Clean))
	case t[notFuzzed] > 0:
		return "not fuzzed: " + describeNotFuzzed(r, human.Clean)
	case r.Audit != nil:
		return "no line of the sources has bytecode that can be deployed"
	case t[NoBytecode] > 0:
		return "only " + describeIdle(r) + " changed"
	case r.Diff.Files > 0:
		return "the diff adds or edits no line of a contract's source"
	}
	return "the diff is empty"
}

// passReason is the reason of a pass.
func passReason(r *Report, t tally) string {
	reached := t.reached()
	if harnessed := t.harnessed(); harnessed != "" {
		reached += ", " + harnessed + ", where failures are not findings"
	}
	all := r.found()
	switch {
	case len(all) > 0:
		reached = fmt.Sprintf("no finding that gates (fail-on %s), but %s; %s", r.FailOn, describeFindings(all, "finding"), reached)
	case t[Reached] == 0:
		reached += ", so this says nothing about them"
	case t[throughHarness] > 0: // what broke there is not known
	case t.few():
		reached += ", nothing broke in them"
	default:
		reached += ", nothing broke"
	}
	if r.Shards.incomplete() {
		reached += ", by " + r.Shards.String()
	}
	return strings.Join(append([]string{reached}, lacks(r, t, human.Clean)...), "; ")
}

// lacks says what of a change was not looked at, and why; it is empty if that needs no remark.
// clean makes a text safe for the place it is written to.
func lacks(r *Report, t tally, clean func(s string, most int) string) []string {
	var said []string
	missing := describeMissing(r, clean)
	if c, ok := mainCause(r); ok && (t.few() || t[Reached] == 0) && (c.status != Undeployable || missing == "") {
		said = append(said, c.describe(clean))
	} else if t[notFuzzed] > 0 {
		said = append(said, fmt.Sprintf("%d not fuzzed: %s", t[notFuzzed], describeNotFuzzed(r, clean)))
	}
	if missing != "" {
		said = append(said, missing)
	}
	if len(r.Unread) > 0 {
		said = append(said, fmt.Sprintf("%s not looked at: %s", r.unreadWere(r.Unread), describeUnread(r.Unread, clean)))
	}
	return said
}

// manyCalls is how many calls a campaign makes at least whose result needs no remark. Arbitrary:
// a hundredth of a second's on one core.
const manyCalls = 1_000

// knownIdle reports whether it is known that no code changed its meaning in a change without
// targets.
func (r *Report) knownIdle() bool {
	return len(r.Unread) == 0 && !slices.ContainsFunc(r.Lines, func(l Line) bool { return l.Unused })
}

// Doubtful reports whether a pass, or a change with nothing to fuzz, says less than it seems to:
// few lines were reached or none, or there is code that nothing looked at, or that could not be
// deployed.
func (r *Report) Doubtful() bool {
	switch r.Verdict {
	case Skipped:
		return !r.knownIdle()
	case Pass:
		t := tallyOf(r)
		return r.Shards.incomplete() || len(r.Unread) > 0 || t[Reached] == 0 || t.few() || t[notFuzzed] > 0 || t[throughHarness] > 0 || len(r.missing()) > 0
	}
	return false
}

// near reports whether the condition holds within the tolerance alone.
func (r *Report) near() bool {
	_, near, _ := r.holds()
	return near
}

// hidden are the files that keep a report from passing.
func (r *Report) hidden() []Unread {
	return slices.DeleteFunc(slices.Clone(r.Unread), func(u Unread) bool { return !u.Blocks })
}

// unreadWere is "1 changed file was", "2 changed files, and 3 users of what changed, were".
func (r *Report) unreadWere(list []Unread) string {
	users := 0
	for _, u := range list {
		if u.Unchanged {
			users++
		}
	}
	who, were := r.files(len(list)-users), "were"
	switch {
	case users == len(list):
		who = human.Plural(users, "user") + " of what changed"
	case users > 0:
		who += ", and " + human.Plural(users, "user") + " of what changed,"
	}
	if len(list) == 1 {
		were = "was"
	}
	return who + " " + were
}

// describeUnread names the first of several files, with the reason.
func describeUnread(list []Unread, clean func(s string, most int) string) string {
	more := ""
	if n := len(list) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("%s (%s)%s", clean(list[0].File, maxPath), clean(list[0].Reason, maxReason), more)
}

// firstReason is why the first of the lines that nothing looked at was not, in brackets.
func firstReason(r *Report) string {
	for _, l := range r.Lines {
		if l.Status == Unmapped && l.Reason != "" {
			return fmt.Sprintf(" (%s: %s)", human.Clean(position(l.File, l.Line), maxPath), human.Clean(l.Reason, maxReason))
		}
	}
	return ""
}

// describeFindings counts findings by whether they happen on the base: "2 introduced bugs,
// 1 pre-existing bug", for the noun "bug". Those that are the same to people count once.
func describeFindings(findings []Finding, noun string) string {
	findings = distinct(findings)
	count := map[string]int{}
	absent, waived, clashes := 0, 0, 0
	for _, f := range findings {
		if f.Waived != nil {
			waived++
			continue
		}
		if f.Oracle == clashOracle.ID {
			clashes++
			continue
		}
		if f.Release == ReleaseAbsent {
			absent++
			continue
		}
		count[f.Comparison]++
	}
	var parts []string
	if n := count[Introduced]; n > 0 {
		parts = append(parts, human.Plural(n, "introduced "+noun))
	}
	if n := count[NoBase]; n > 0 {
		parts = append(parts, human.Plural(n, noun))
	}
	if n := len(findings) - absent - waived - clashes - count[Introduced] - count[PreExisting] - count[NoBase]; n > 0 {
		parts = append(parts, human.Plural(n, noun)+" not compared with the base")
	}
	if n := count[PreExisting]; n > 0 {
		parts = append(parts, human.Plural(n, "pre-existing "+noun))
	}
	if clashes > 0 {
		parts = append(parts, countClashes(clashes))
	}
	if absent > 0 {
		parts = append(parts, human.Plural(absent, noun)+" not on the project's own build")
	}
	if waived > 0 {
		parts = append(parts, human.Plural(waived, "waived "+noun))
	}
	return strings.Join(parts, ", ")
}
