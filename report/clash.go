package report

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report/sarif"
)

// Results of comparing a contract's storage layout with the base's.
const (
	LayoutCompatible = "compatible" // the head reads everything that the base wrote as the base does
	LayoutClash      = "clash"
	LayoutUnknown    = "unknown" // could not be compared
)

// Upgrade is a contract that is made to be upgraded through a proxy, and the result of
// comparing its storage layout with the base's.
type Upgrade struct {
	Contract string `json:"contract"` // qualified
	Because  string `json:"because"`  // the evidence that it is upgraded
	Result   string `json:"result"`
	Reason   string `json:"reason,omitempty"` // of unknown
	// Notes are differences that are not clashes, but worth knowing.
	Notes []string `json:"notes,omitempty"`
}

// Clash is a storage layout that misreads what the base version wrote. It is detected from
// compiler output of both versions; if Shown is empty, nothing was executed.
type Clash struct {
	ID          string  `json:"id"`                    // as a finding's
	Fingerprint string  `json:"fingerprint,omitempty"` // as a finding's
	Severity    string  `json:"severity"`
	Waived      *Waiver `json:"waived,omitempty"`
	Message     string  `json:"message"`
	File        string  `json:"file"` // of the cause; empty if it has no source
	Line        int     `json:"line"`
	// Contracts are those with this clash; the places are those of the first.
	Contracts []string       `json:"contracts"`
	Places    []StoragePlace `json:"places"`
	// Shown are calls of the first contract whose answers change when the base's World gets
	// the head's code, and Reproducer is the path of their file below the output folder;
	// empty if nothing could be shown.
	Shown      []ClashShown `json:"shown,omitempty"`
	Reproducer string       `json:"reproducer,omitempty"`
}

// ClashShown is a call whose answer changes with the upgrade.
type ClashShown struct {
	Call   string `json:"call"` // "Vault#proxy.owner()"
	Before string `json:"before"`
	After  string `json:"after"`
}

// StoragePlace is a place in storage that base and head use differently.
type StoragePlace struct {
	Space  string `json:"space,omitempty"` // id of the namespace (ERC-7201) that the slot counts in
	Slot   string `json:"slot"`            // decimal
	Offset uint   `json:"offset"`          // bytes from the slot's low end
	Before string `json:"before"`          // "owner (address)"
	After  string `json:"after"`           // empty: nothing
	Change string `json:"change"`          // for people: "owner is in slot 1 now"
}

// clashOracle describes the comparison of storage layouts as if it were an oracle: SARIF has
// a rule for it.
var clashOracle = Oracle{ID: "storage-layout", Title: "An upgrade misreads storage that the base version wrote", Severity: "high",
	Doc: "A contract that is upgraded through a proxy keeps its state variables in other places than the base version, or in another form: after the upgrade, it misreads what the base version wrote.",
	Remedy: "Leave the variables of the base version where they are, in order and with their types, and append new ones: at the end of the last contract, " +
		"in the place of a gap that shrinks by as much, or in a namespace of their own (ERC-7201). If no proxy with the old state is ever upgraded to this version, waive it."}

// The evidence of a clash.
const (
	notExecuted  = "detected from compiler output of base and head, not executed"
	shownOnChain = "detected from compiler output of base and head, and demonstrated on go-ethereum"
)

// basis is the evidence of the clash.
func (c *Clash) basis() string {
	if len(c.Shown) > 0 {
		return shownOnChain
	}
	return notExecuted
}

// describe says how the answer of a call changed.
func (s *ClashShown) describe(clean func(s string, most int) string) string {
	return fmt.Sprintf("%s answers %s before the upgrade and %s after it", clean(s.Call, maxName), clean(s.Before, maxName), clean(s.After, maxName))
}

// gates reports whether a clash fails a gate of the given rank.
func (c *Clash) gates(rank int) bool { return c.asFinding().gates(rank) }

// asFinding is the clash as far as gates, waivers and numbers are concerned. It is always
// introduced, being a difference from the base.
func (c *Clash) asFinding() *Finding {
	f := &Finding{ID: c.ID, Oracle: clashOracle.ID, Severity: c.Severity, Comparison: Introduced, Waived: c.Waived,
		Title: clashOracle.Title, Message: c.Message, Reproducer: c.Reproducer, Location: Place{File: c.File, Line: c.Line}}
	if len(c.Contracts) > 0 {
		f.Location.Contract = c.Contracts[0]
	}
	return f
}

// found lists everything that gates, waivers and numbers are about: the findings, and the
// clashes as findings.
func (r *Report) found() []Finding {
	all := append([]Finding{}, r.Findings...)
	for i := range r.Clashes {
		all = append(all, *r.Clashes[i].asFinding())
	}
	return all
}

// countClashes is "1 storage clash", "2 storage clashes".
func countClashes(n int) string {
	if n == 1 {
		return "1 storage clash"
	}
	return fmt.Sprintf("%d storage clashes", n)
}

// contracts names those with the clash.
func (c *Clash) contracts(clean func(s string, most int) string) string {
	const shown = 3 // of a line's length; arbitrary
	var names []string
	for i, name := range c.Contracts {
		if i == shown {
			names = append(names, fmt.Sprintf("%d more", len(c.Contracts)-shown))
			break
		}
		names = append(names, clean(name[strings.LastIndexByte(name, ':')+1:], maxName))
	}
	return strings.Join(names, ", ")
}

// at is where the place is: "3", "3+20" for an offset of 20 bytes.
func (p *StoragePlace) at(clean func(s string, most int) string) string {
	text := clean(p.Slot, maxName)
	if p.Offset > 0 {
		text += fmt.Sprintf(" + %d", p.Offset)
	}
	if p.Space != "" {
		text = clean(p.Space, maxName) + ": " + text
	}
	return text
}

// assessment is the evidence of the clash, and who waived it; base is its name, clean.
func (c *Clash) assessment(clean func(s string, most int) string, base string) string {
	said := strings.TrimSpace(c.basis() + "; introduced since base " + base)
	if waived := c.asFinding().waived(clean); waived != "" {
		said = waived + "; " + said
	}
	return said
}

// allClashes writes the clashes, each with its places.
func (p *page) allClashes() {
	n := p.listed(len(p.r.Clashes))
	for i := range p.r.Clashes[:n] {
		c := &p.r.Clashes[i]
		p.line("**%s · %s · %s** · %s %s\\", code(c.ID, maxName), prose(c.Severity, maxName), clashOracle.ID,
			p.link(c.asFinding().Location), c.contracts(code))
		p.line("%s %s.\n", sentence(prose(c.Message, maxReason)), upper(c.assessment(prose, code(p.r.Diff.Base, maxName))))
		p.line("| Slot | Before | After | |\n|---|---|---|---|")
		shown := c.Places[:p.listed(len(c.Places))]
		for j := range shown {
			s := &shown[j]
			p.line("| %s | %s | %s | %s |", s.at(code), code(s.Before, maxName), code(s.After, maxName), prose(s.Change, maxReason))
		}
		p.more(len(c.Places)-len(shown), "place")
		p.line("")
		for j := range c.Shown[:p.listed(len(c.Shown))] {
			p.line("On go-ethereum: %s.\n", c.Shown[j].describe(code))
		}
		if c.Reproducer != "" && p.detail < noReproducers {
			p.line("%s\n", code(replayCommand("", c.Reproducer), maxPath))
		}
	}
	if n < len(p.r.Clashes) {
		p.line("… %s in all, the others %s.\n", countClashes(len(p.r.Clashes)), p.elsewhere())
	}
}

// upgrades writes the contracts whose layouts were compared.
func (p *page) upgrades() {
	if len(p.r.Upgrades) == 0 || p.detail >= noReached {
		return
	}
	p.folded("Upgrades: storage layouts compared with the base", func() {
		p.line("| Contract | Is upgraded because | Storage layout | |\n|---|---|---|---|")
		for _, u := range p.r.Upgrades[:min(len(p.r.Upgrades), p.rows)] {
			p.line("| %s | %s | %s | %s |", code(u.Contract, maxPath), prose(u.Because, maxReason), prose(u.Result, maxName), prose(u.said(), maxReason))
		}
		p.more(len(p.r.Upgrades)-p.rows, "contract")
	})
}

// said is the reason and the notes.
func (u *Upgrade) said() string {
	parts := u.Notes
	if u.Reason != "" {
		parts = append([]string{u.Reason}, parts...)
	}
	return strings.Join(parts, "; ")
}

// clash writes one clash with its places.
func (t *terminal) clash(c *Clash) {
	head := fmt.Sprintf("%s %s %s", human.Clean(c.ID, maxName), human.Clean(c.Severity, maxName), clashOracle.ID)
	t.line("%s  %s %s", t.paint(bold, head), human.Clean(c.asFinding().Location.String(), maxPath), c.contracts(human.Clean))
	t.line("  %s", human.Clean(c.Message, maxReason))
	for i := range c.Places[:min(len(c.Places), terminalRows)] {
		t.line("    slot %s", c.Places[i].describe())
	}
	t.more(len(c.Places), "place")
	if waived := c.asFinding().waived(human.Clean); waived != "" {
		t.line("  %s", t.paint(yellow, waived))
	}
	for i := range c.Shown[:min(len(c.Shown), terminalRows)] {
		t.line("  %s", c.Shown[i].describe(human.Clean))
	}
	t.line("  %s", c.basis())
}

// describe is the place on one line, clean.
func (p *StoragePlace) describe() string {
	after := human.Clean(p.After, maxName)
	if after == "" {
		after = "nothing"
	}
	return fmt.Sprintf("%s: %s before, %s after: %s", p.at(human.Clean), human.Clean(p.Before, maxName), after, human.Clean(p.Change, maxReason))
}

// upgrades counts the contracts whose layouts were compared, and lists the notes on them.
func (t *terminal) upgrades() {
	if len(t.r.Upgrades) == 0 {
		return
	}
	count := map[string]int{}
	for i := range t.r.Upgrades {
		count[t.r.Upgrades[i].Result]++
	}
	var parts []string
	for _, result := range []string{LayoutClash, LayoutUnknown, LayoutCompatible} {
		if n := count[result]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, result))
		}
	}
	t.line("\nupgrades  %s: %s", human.Plural(len(t.r.Upgrades), "storage layout")+" compared with the base", strings.Join(parts, ", "))
	n := 0
	for i := range t.r.Upgrades {
		u := &t.r.Upgrades[i]
		for _, note := range u.Notes {
			if n++; n <= terminalRows {
				t.line("  %s: %s", human.Clean(u.Contract, maxPath), human.Clean(note, maxReason))
			}
		}
	}
	t.more(n, "note")
}

// annotation is the clash at its line.
func (c *Clash) annotation(base string) Annotation {
	text := sentence(human.Clean(c.Message, maxReason)) + " " + upper(c.assessment(human.Clean, base)) + "."
	for i := range c.Places[:min(len(c.Places), terminalRows)] {
		text += "\nslot " + c.Places[i].describe()
	}
	for i := range c.Shown[:min(len(c.Shown), terminalRows)] {
		text += "\n" + c.Shown[i].describe(human.Clean)
	}
	if command := replayCommand("", c.Reproducer); command != "" {
		text += "\n" + command
	}
	return Annotation{Level: AnnotateWarning, Message: text, File: c.File, Line: c.Line,
		Title: fmt.Sprintf("%s %s %s", human.Clean(c.ID, maxName), human.Clean(c.Severity, maxName), clashOracle.ID)}
}

// clashes adds the alerts of clashes, one for each line.
func (b *sarifBuilder) clashes(run *sarif.Run) {
	type key struct {
		file string
		line int
	}
	at := map[key]int{}
	for i := range b.r.Clashes {
		c := &b.r.Clashes[i]
		if c.Waived != nil {
			continue // code scanning does not read suppressions
		}
		f := c.asFinding()
		primary, ok := b.location(f.Location)
		if !ok {
			run.Notify(sarif.Warning, fmt.Sprintf("Clash %s (%s) is in code without a source line, so it is not an alert: see report.json.", human.Clean(c.ID, maxName), clashOracle.ID))
			continue
		}
		text := sentence(unlinked(human.Clean(c.Message, maxReason)))
		for j := range c.Places[:min(len(c.Places), sarifPlaces)] {
			text += "\nSlot " + unlinked(c.Places[j].describe()) + "."
		}
		for j := range c.Shown[:min(len(c.Shown), sarifPlaces)] {
			text += "\n" + c.Shown[j].describe(unlinkedClean) + "."
		}
		text += fmt.Sprintf("\n%s (%s).", upper(c.assessment(unlinkedClean, "")), unlinked(human.Clean(c.ID, maxName)))
		level, _ := levels(c.Severity)
		k := key{c.File, c.Line}
		if before, taken := at[k]; taken {
			res := &run.Results[before]
			res.Message.Text += "\n\n" + text
			res.Level = higher(res.Level, level)
			continue
		}
		at[k] = len(run.Results)
		res := sarif.Result{RuleID: clashOracle.ID, RuleIndex: b.index[clashOracle.ID], Level: level, Locations: []sarif.Location{primary}}
		res.Message.Text = text
		if hash := b.hash(f.Location); hash != "" {
			res.PartialFingerprints = map[string]string{sarif.LineHash: hash}
		}
		run.Results = append(run.Results, res)
	}
}

// sarifPlaces bounds the places that an alert lists. Arbitrary: people read no more.
const sarifPlaces = 5
