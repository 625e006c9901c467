package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// SelfCheck says which small mistakes a run would have caught: they were planted in the changed lines, each on its own, and fuzzed as
// a pull request whose base is the change.
type SelfCheck struct {
	Mutants []Mutant `json:"mutants"`
	Limits  Limits   `json:"limits"` // of the campaigns against each
	// Omitted counts the mistakes that could have been planted as well, of those that were looked at.
	Omitted int `json:"omitted,omitempty"`
	// Tests says how the project's own Foundry tests were run on the mistakes; nil: they were not asked for.
	Tests *OwnTests `json:"tests,omitempty"`
}

// OwnTests are the project's own Foundry tests.
type OwnTests struct {
	Reason  string   `json:"reason,omitempty"`  // why they were not run; empty: they were
	Failing []string `json:"failing,omitempty"` // those that fail without a mistake, which tell nothing
}

// What became of a planted mistake.
const (
	Caught     = "caught"     // it fails the check
	Noted      = "noted"      // the check passes, and the comment says what broke or behaves otherwise
	Missed     = "missed"     // the check passes and says nothing
	Equivalent = "equivalent" // it changes nothing that a call can show
	Invalid    = "invalid"    // it does not compile
	Untried    = "untried"    // there was no time, or no campaign could run
)

// Mutant is a planted mistake.
type Mutant struct {
	ID          string `json:"id"`
	Operator    string `json:"operator"` // kind of mistake
	File        string `json:"file"`
	Line        int    `json:"line"`
	Contract    string `json:"contract,omitempty"`
	Function    string `json:"function,omitempty"`
	Description string `json:"description"`
	Patch       string `json:"patch"` // as a unified diff
	Result      string `json:"result"`
	Reason      string `json:"reason,omitempty"` // why it is missed, equivalent, invalid or untried, as far as that is known
	// Oracles are those that tell, of what fails the check or else of what is named.
	Oracles []string `json:"oracles,omitempty"`
	// Message is the first of what they say, and Test that as a Foundry test; nil: there is none.
	Message    string       `json:"message,omitempty"`
	Test       *FoundryTest `json:"foundryTest,omitempty"`
	Executions uint64       `json:"executions,omitempty"`
	Seconds    float64      `json:"seconds,omitempty"` // left out by --omit-times
	// TestsFail are the project's own tests that fail with it, and TestsBroken is set where they do not compile.
	TestsFail   []string `json:"testsFail,omitempty"`
	TestsBroken bool     `json:"testsBroken,omitempty"`
}

// Place is where a mistake was planted, "src/Vault.sol:12".
func (m *Mutant) Place() string { return fmt.Sprintf("%s:%d", m.File, m.Line) }

// told reports whether the run would have said something of it.
func (m *Mutant) told() bool { return m.Result == Caught || m.Result == Noted }

// inTests reports whether the project's own tests fail with it.
func (m *Mutant) inTests() bool { return len(m.TestsFail) > 0 || m.TestsBroken }

// Count is the number of mistakes of which one of these became.
func (s *SelfCheck) Count(results ...string) (n int) {
	for i := range s.Mutants {
		if slices.Contains(results, s.Mutants[i].Result) {
			n++
		}
	}
	return n
}

// Valid is the number of mistakes that could have been caught.
func (s *SelfCheck) Valid() int { return s.Count(Caught, Noted, Missed) }

// with are the mistakes of which this became.
func (s *SelfCheck) with(result string) (list []*Mutant) {
	for i := range s.Mutants {
		if s.Mutants[i].Result == result {
			list = append(list, &s.Mutants[i])
		}
	}
	return list
}

// Headline sums it up: "caught 7 of 9 planted mistakes: 4 fail the check, 3 are named in the comment; 2 would have passed unseen".
func (s *SelfCheck) Headline() string {
	valid, fail, noted, missed := s.Valid(), s.Count(Caught), s.Count(Noted), s.Count(Missed)
	if valid == 0 {
		return "no planted mistake could be tried" + s.others()
	}
	text := fmt.Sprintf("caught %d of %s", fail+noted, human.Plural(valid, "planted mistake"))
	var parts []string
	if fail > 0 {
		parts = append(parts, fmt.Sprintf("%d %s the check", fail, plural(fail, "fails", "fail")))
	}
	if noted > 0 {
		parts = append(parts, fmt.Sprintf("%d %s named in the comment", noted, plural(noted, "is", "are")))
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if missed > 0 {
		text += fmt.Sprintf("; %d would have passed unseen", missed)
	}
	return text + s.others() + s.besides()
}

// others counts the mistakes that are not among those.
func (s *SelfCheck) others() (text string) {
	if n := s.Count(Equivalent); n > 0 {
		text += fmt.Sprintf("; %d more %s nothing that a call can show", n, plural(n, "changes", "change"))
	}
	if n := s.Count(Untried); n > 0 {
		text += fmt.Sprintf("; %d not tried: %s", n, s.with(Untried)[0].Reason)
	}
	return text
}

// besides says what the project's own tests make of the same mistakes.
func (s *SelfCheck) besides() string {
	switch {
	case s.Tests == nil:
		return ""
	case s.Tests.Reason != "":
		return "; your own tests were not run: " + s.Tests.Reason
	}
	caught, alone := 0, 0
	for i := range s.Mutants {
		m := &s.Mutants[i]
		if m.inTests() && (m.told() || m.Result == Missed) {
			caught++
			if m.Result == Missed {
				alone++
			}
		}
	}
	text := fmt.Sprintf("; your own tests catch %d of them", caught)
	if alone > 0 {
		text += fmt.Sprintf(", %d of those unseen here", alone)
	}
	return text
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// outcome says by what a mistake is told, or why not.
func (m *Mutant) outcome() string {
	var parts []string
	switch {
	case m.Result == Caught:
		parts = append(parts, "fails the check: "+human.List(m.Oracles, ""))
	case m.Result == Noted:
		parts = append(parts, "named in the comment: "+human.List(m.Oracles, ""))
	case m.Result == Missed:
		parts = append(parts, "would have passed unseen")
	case m.Result == Equivalent:
		parts = append(parts, "changes nothing")
	default:
		parts = append(parts, "not tried")
	}
	if m.Reason != "" {
		parts = append(parts, m.Reason)
	}
	switch {
	case m.TestsBroken:
		parts = append(parts, "your own tests do not compile with it")
	case len(m.TestsFail) > 0:
		parts = append(parts, "your own tests fail: "+m.TestsFail[0]+human.More(len(m.TestsFail)-1))
	}
	return strings.Join(parts, "; ")
}

// selfCheck writes what became of the planted mistakes, those that would have passed by name.
func (t *terminal) selfCheck() {
	s := t.r.SelfCheck
	if s == nil {
		return
	}
	t.line("self-check  %s", human.Clean(s.Headline(), maxReason))
	missed := s.with(Missed)
	for _, m := range missed[:min(len(missed), terminalRows)] {
		t.line("  %s  %s: %s", human.Clean(m.Place(), maxPath), human.Clean(m.Description, maxReason), human.Clean(m.outcome(), maxReason))
	}
	t.more(len(missed), "planted mistake")
}

// selfCheck writes the same, with all mistakes in a table that is folded away.
func (p *page) selfCheck() {
	s := p.r.SelfCheck
	if s == nil {
		return
	}
	p.line("**Self-check** %s\n", sentence(prose(s.Headline(), maxReason)))
	missed := s.with(Missed)
	shown := missed[:min(len(missed), shownMissed)]
	for _, m := range shown {
		p.line("- %s %s", p.link(Place{File: m.File, Line: m.Line}), prose(m.Description, maxReason))
	}
	if len(shown) > 0 {
		p.line("")
	}
	if p.detail >= noReached || s.Valid() == 0 {
		return
	}
	p.folded("Planted mistakes", func() {
		p.line("| Where | Mistake | Outcome |\n|---|---|---|")
		for i := range s.Mutants {
			if m := &s.Mutants[i]; m.Result != Invalid {
				p.line("| %s | %s | %s |", p.link(Place{File: m.File, Line: m.Line}), prose(m.Description, maxReason), prose(m.outcome(), maxReason))
			}
		}
	})
}

// shownMissed is how many missed mistakes a page names before the rest is in the table. Arbitrary: what is read.
const shownMissed = 3
