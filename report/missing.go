package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// This file says in a sentence what of a change was not looked at, and why.

// cause is a reason for which rows were not reached.
type cause struct {
	status, reason string
	rows           int
	of             int // rows of its status, for whatever reason
}

// causes are the reasons for which rows of the given statuses were not reached, the most
// frequent first, of equals those of what most rows are.
func causes(locations []locationRow, statuses ...string) []cause {
	var list []cause
	for _, s := range locations {
		if !slices.Contains(statuses, s.Status) {
			continue
		}
		i := slices.IndexFunc(list, func(c cause) bool { return c.status == s.Status && c.reason == s.Reason })
		if i < 0 {
			i = len(list)
			list = append(list, cause{status: s.Status, reason: s.Reason})
		}
		list[i].rows++
	}
	for i := range list {
		for _, other := range list {
			if other.status == list[i].status {
				list[i].of += other.rows
			}
		}
	}
	slices.SortStableFunc(list, func(a, b cause) int { return cmp.Or(b.rows-a.rows, b.of-a.of) })
	return list
}

// mainCause is the most frequent reason for which rows of the headline were not reached, of those
// that are not proved unreachable. False if all others are proved.
func mainCause(r *Report) (cause, bool) {
	shown, _ := headlined(locationRows(r))
	list := causes(shown, slices.DeleteFunc(slices.Clone(missed), func(status string) bool { return status == Unreachable })...)
	if len(list) == 0 {
		return cause{}, false
	}
	return list[0], true
}

// count is "120 not deployed", of all reasons.
func (c cause) count() string { return fmt.Sprintf("%d %s", c.of, statusWords[c.status]) }

// describe is "120 not deployed: the constructor reverts", or "120 not deployed, 80 of them: …".
func (c cause) describe(clean func(s string, most int) string) string {
	text := c.count()
	reason := strings.Replace(c.reason, "executed only in calls that revert: ", "", 1) // which the status says
	reason = strings.Replace(reason, "the contract could not be deployed: ", "", 1)
	if reason != "" {
		if c.rows < c.of {
			text += fmt.Sprintf(", %d of them", c.rows)
		}
		text += ": " + clean(reason, maxReason)
	}
	return text
}

// describeNotFuzzed names the code that is in no contract that can be deployed.
func describeNotFuzzed(r *Report, clean func(s string, most int) string) string {
	const shown = 1 // reason: the table has the others
	shownRows, _ := headlined(locationRows(r))
	list := causes(shownRows, notFuzzed)
	if len(list) == 0 { // it is in code that is counted apart
		list = causes(locationRows(r), notFuzzed)
	}
	var reasons []string
	for _, c := range list[:min(len(list), shown)] {
		reasons = append(reasons, clean(c.reason, maxReason))
	}
	text := strings.Join(reasons, "; ")
	if n := len(list) - len(reasons); n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// idleKinds are what lines without bytecode are, by how their reason begins; the order is that in
// which they are listed.
var idleKinds = []struct{ kind, begins string }{
	{"comments", "comment"},
	{"comments", "only a comment"},
	{"formatting", "blank"},
	{"formatting", "only formatting"},
	{"formatting", "only punctuation"},
	{"the place of code", "moved unchanged"},
	{"pragmas", "pragma"},
	{"imports", "import"},
	{"events", "event declaration"},
	{"errors", "error declaration"},
	{"interfaces", "declared in an interface"},
	{"deleted declarations", "the deleted code was outside of any function"},
	{"tests", "test code"},
	{"scripts", "script code"},
	{"mocks", "mock code"},
	{"ignored files", "excluded by --ignore"},
	{"declarations without code of their own", ""},
}

// describeIdle lists what changed where no changed line is code: "comments and imports".
func describeIdle(r *Report) string {
	found := map[string]bool{}
	for _, s := range with(locationRows(r), NoBytecode) {
		for _, k := range idleKinds {
			if strings.HasPrefix(s.Reason, k.begins) {
				found[k.kind] = true
				break
			}
		}
	}
	if len(found) > 1 {
		delete(found, "formatting") // blank lines come with everything
	}
	var kinds []string
	for _, k := range idleKinds {
		if found[k.kind] && !slices.Contains(kinds, k.kind) {
			kinds = append(kinds, k.kind)
		}
	}
	return enumerate(kinds)
}

// enumerate is "tests, mocks and dependencies".
func enumerate(names []string) string {
	n := len(names) - 1
	if n <= 0 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n], ", ") + " and " + names[n]
}

// missing are the contracts that could not be deployed though the result depends on them.
func (r *Report) missing() []Undeployed {
	return slices.DeleteFunc(slices.Clone(r.World.Undeployed), func(u Undeployed) bool { return len(u.Holds) == 0 })
}

// shortName is a contract's name without its source.
func (u *Undeployed) shortName() string { return u.Contract[strings.LastIndexByte(u.Contract, ':')+1:] }

// describeMissing names the contracts that could not be deployed, the first with its reason; empty
// if there are none. clean makes a text safe for the place it is written to.
func describeMissing(r *Report, clean func(s string, most int) string) string {
	list := r.missing()
	if len(list) == 0 {
		return ""
	}
	u := &list[0]
	text := fmt.Sprintf("%s (%s) could not be deployed", clean(u.shortName(), maxName), clean(strings.Join(u.Holds, ", "), maxReason))
	if u.Reason != "" {
		text += ": " + clean(u.Reason, maxReason)
	}
	return text + human.More(len(list)-1)
}

// describeApart says how many of the lines that are counted apart were reached: "in tests, mocks and
// dependencies: 12 of 30 changed lines reached"; empty if there are none with code.
func describeApart(r *Report, apart []locationRow) string {
	t := r.count(apart)
	if t.code() == 0 {
		return ""
	}
	var names []string
	for _, kind := range []struct{ aside, plural string }{{"test", "tests"}, {"script", "scripts"}, {"mock", "mocks"}, {"dependency", "dependencies"}} {
		if slices.ContainsFunc(apart, func(s locationRow) bool { return s.Aside == kind.aside && s.Status != NoBytecode }) {
			names = append(names, kind.plural)
		}
	}
	return fmt.Sprintf("counted apart, in %s: %d of %s%s", enumerate(names), t[Reached], t.what(t.code()), t.reachedWord())
}

// try is what would help to reach a row, for a cell of a table.
func (s *locationRow) try() string {
	text, isCode := s.Barrier.shortTry()
	switch {
	case s.Status == Reached:
		return ""
	case s.Status == Unreachable:
		return "fix or delete"
	case text == "":
		return ""
	case isCode:
		return code(text, maxReason)
	}
	return prose(text, maxReason)
}

// onlyTime reports whether all that is known to help some row is a longer campaign.
func (r *Report) onlyTime(rows []locationRow) bool {
	for i := range rows {
		if s := &rows[i]; s.Status == Unreached && (s.Barrier == nil || len(s.Barrier.Try) == 0 || strings.HasPrefix(s.Barrier.Try[0].Flag, "--timeout")) {
			return true
		}
	}
	return false
}
