package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// This file shows a report of a change that was deployed and not fuzzed: what keeps code from being
// fuzzed, and what would help.

// maxBlocked bounds what a survey lists; arbitrary, for a screen.
const maxBlocked = 12 // contracts, groups of lines, or files

// Blocked is code that a campaign could not get at.
type Blocked struct {
	Place string // a contract's qualified name, or lines of a file: "src/Vault.sol:12, 14–16"
	Holds string // what the result lacks without it: "3 changed lines, 1 property"; empty: the lines say so
	Why   string
	YAML  string // for sightline.yml, which would help; empty: nothing is known to
	lines []int
}

// Blocked lists the code of a survey that cannot be fuzzed: contracts that could not be deployed, lines
// that no deployed contract has, and files that nothing reads. Comments and declarations are not in it, nor
// those of tests, mocks and dependencies.
func (r *Report) Blocked() []Blocked {
	var list []Blocked
	missing := map[string]bool{} // reasons that contracts give
	for _, u := range r.missing() {
		b := Blocked{Place: u.Contract, Holds: strings.Join(u.Holds, ", "), Why: u.Reason}
		if name := u.shortName(); isIdentifier(name) {
			b.YAML = deploySteps(name)
		}
		missing[u.Contract] = true
		list = append(list, b)
	}
	for _, l := range r.Lines {
		if l.Aside != "" || !l.blocked() || slices.ContainsFunc(l.Contracts, func(c string) bool { return missing[c] }) {
			continue
		}
		why := l.Reason
		i := slices.IndexFunc(list, func(b Blocked) bool { return b.lines != nil && b.Place == l.File && b.Why == why })
		if i < 0 {
			i = len(list)
			list = append(list, Blocked{Place: l.File, Why: why})
		}
		list[i].lines = append(list[i].lines, l.Line)
	}
	for i := range list {
		if list[i].lines != nil {
			list[i].Place += ":" + lineRanges(list[i].lines)
		}
	}
	for _, u := range r.Unread {
		list = append(list, Blocked{Place: u.File, Why: u.Reason})
	}
	return list
}

// blocked reports whether a line of a survey is code that cannot be fuzzed.
func (l *Line) blocked() bool {
	switch l.Status {
	case Undeployable, Unmapped:
		return true
	case Unreached: // a survey has no other reason than that nothing was deployed
		return l.Reason != ""
	case NoBytecode:
		return l.Unused
	}
	return false
}

// ready reports whether a campaign would aim at a line of a survey, or the set-up has reached it.
func (l *Line) ready() bool { return l.Status == Reached || l.Status == Unreached && l.Reason == "" }

// Survey is a report of a change that was deployed and not fuzzed, for people, a line each.
func (r *Report) Survey() []string {
	var lines []string
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	list := r.Blocked()
	for _, b := range list[:min(len(list), maxBlocked)] {
		holds := ""
		if b.Holds != "" {
			holds = " (" + human.Clean(b.Holds, maxReason) + ")"
		}
		line("blocked %s%s: %s", human.Clean(b.Place, maxPath), holds, human.Clean(b.Why, maxReason))
		if b.YAML == "" {
			continue
		}
		line("        what would help, in sightline.yml:")
		for text := range strings.Lines("deploy:\n" + b.YAML) {
			line("          %s", strings.TrimRight(text, "\n"))
		}
	}
	if n := len(list) - maxBlocked; n > 0 {
		line("blocked %d more", n)
	}
	ready, code, aside := 0, 0, 0
	for i := range r.Lines {
		switch l := &r.Lines[i]; {
		case l.Aside != "":
			aside++
		case l.ready():
			ready, code = ready+1, code+1
		case l.blocked():
			code++
		}
	}
	if idle := describeIdle(r); idle != "" {
		line("idle    lines without bytecode are %s", idle)
	}
	if aside > 0 {
		line("aside   %s of tests, scripts, mocks or dependencies", human.Plural(aside, "line"))
	}
	line("ready   %d of %s of code can be fuzzed", ready, human.Plural(code, "line"))
	return lines
}
