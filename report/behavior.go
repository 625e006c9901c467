package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// Effect is what the change does to what contracts do, as the same calls on base and head show
// it. Nothing of it gates.
type Effect struct {
	// NotCompared is why base and head were not compared; empty: they were.
	NotCompared string     `json:"notCompared,omitempty"`
	Executions  uint64     `json:"executions"` // sequences that ran on both
	Behaviors   []Behavior `json:"behaviors"`  // the most important first
	// Permissions are of the variables of contracts with changed code that calls changed on either
	// side, those first of which others can write now than could before.
	Permissions []Permission `json:"permissions"`
	// Dropped counts what oracles saw and did not report, in the order of their ids.
	Dropped []Dropped `json:"dropped,omitempty"`
}

// Dropped counts what an oracle saw and did not report for one reason.
type Dropped struct {
	Oracle string `json:"oracle"`
	Reason string `json:"reason"` // "so little that it comes from rounding"
	Count  int    `json:"count"`
}

// Behavior is what a function does otherwise than on the base: both run the same calls from the
// same state, and the last call differs.
type Behavior struct {
	Contract string `json:"contract"` // qualified, whose function is called
	Function string `json:"function"` // its signature
	// Kind is what differs: "succeeds" (and reverts on the base), "stores", "sends", "returns",
	// "reverts" (and succeeds on the base), "emits", "costs" (more gas).
	Kind   string `json:"kind"`
	Now    string `json:"now"`    // what the last call does on the head: "returns 5"
	Before string `json:"before"` // and on the base
	// Anyone is set where an account sends all calls that the World has never heard of.
	Anyone bool `json:"anyone,omitempty"`
	// Through are the functions with changed code that the call executes, if it is not one of
	// them: "Math.mulDiv".
	Through []string `json:"through,omitempty"`
	// Tests are tests of the head that show the same and pass, and with the base's contracts do not:
	// the change is meant. Such behaviors come first.
	Tests []string `json:"tests,omitempty"`
	// Oracle is the one that Tests contradict. Its finding is among the findings where tests cannot accept it.
	Oracle   string `json:"oracle,omitempty"`
	Sequence []Step `json:"sequence"`
}

// succeeds is the kind of a behavior that the base refuses.
const succeeds = "succeeds"

// alikeBehaviors are behaviors of which people learn the same: of one function, in instances of its contract, or in
// contracts that inherit it.
type alikeBehaviors struct {
	*Behavior
	also []string // names of the other contracts, each once
}

// apart is what tells behaviors from those that are alike.
func (b *Behavior) apart() string {
	all := strings.Join(slices.Concat([]string{b.Function, b.Kind, b.Now, b.Before, fmt.Sprint(b.Anyone), b.Oracle}, b.Through, []string{""}, b.Tests), "\x00")
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(b.contractName())+`\.`).ReplaceAllString(all, "")
}

// alike groups the behaviors, in their order.
func (e *Effect) alike() []*alikeBehaviors {
	var groups []*alikeBehaviors
	known := map[string]*alikeBehaviors{}
	for i := range e.Behaviors {
		b := &e.Behaviors[i]
		key := b.apart()
		group := known[key]
		switch name := b.contractName(); {
		case group == nil:
			group = &alikeBehaviors{Behavior: b}
			known[key] = group
			groups = append(groups, group)
		case group.Contract != b.Contract && !slices.Contains(group.also, name):
			group.also = append(group.also, name)
		}
	}
	return groups
}

// describe is the behavior in a sentence without its end, with the other contracts.
func (a *alikeBehaviors) describe(clean func(string, int) string, code func(string, int) string) string {
	text := a.Behavior.describe(clean, code)
	if len(a.also) > 0 {
		var names []string
		for _, name := range a.also {
			names = append(names, code(name, maxPath))
		}
		text += " (the same in " + human.List(names, "") + ")"
	}
	return text
}

// describe is a behavior in a sentence without its end.
func (b *Behavior) describe(clean func(string, int) string, code func(string, int) string) string {
	text := fmt.Sprintf("%s %s; on the base it %s", code(b.name(), maxPath), clean(b.Now, maxReason), clean(b.Before, maxReason))
	if len(b.Through) > 0 {
		text += fmt.Sprintf(" (through %s%s)", code(b.Through[0], maxPath), human.More(len(b.Through)-1))
	}
	if len(b.Tests) > 0 {
		text += fmt.Sprintf(" (your tests change this: %s%s)", code(b.Tests[0], maxPath), human.More(len(b.Tests)-1))
	}
	return text
}

// Describe is a behavior in a sentence without its end, as text.
func (b *Behavior) Describe() string { return b.describe(human.Clean, human.Clean) }

// name is the function for people: "Vault.withdraw(uint256)".
func (b *Behavior) name() string { return b.contractName() + "." + b.Function }

func (b *Behavior) contractName() string {
	return b.Contract[strings.LastIndexByte(b.Contract, ':')+1:]
}

// shownBehaviors is how many behaviors a comment shows before the rest is folded away, and
// foldedBehaviors how many a page has at most. Arbitrary: thirty seconds of reading.
const (
	shownBehaviors  = 3
	foldedBehaviors = 24
)

// ofFunctions are the behaviors to show first: the most important one of each function, and all that are
// notes because tests change them.
func (e *Effect) ofFunctions() (first, rest []*alikeBehaviors) {
	seen := map[string]bool{}
	for _, b := range e.alike() {
		if name := b.Contract + b.Function; !seen[name] && (len(first) < shownBehaviors || len(b.Tests) > 0) {
			seen[name] = true
			first = append(first, b)
		} else {
			rest = append(rest, b)
		}
	}
	return first, rest
}

// dropped writes what oracles saw and did not report, in the summary alone.
func (p *page) dropped(e *Effect) {
	if !p.summary || len(e.Dropped) == 0 || p.detail >= noUnreached {
		return
	}
	p.folded("Seen, and not reported", func() {
		p.line("| Oracle | Why not | Times |\n|---|---|---|")
		for i := range e.Dropped {
			d := &e.Dropped[i]
			p.line("| %s | %s | %d |", code(d.Oracle, maxPath), prose(d.Reason, maxReason), d.Count)
		}
	})
}

// effect writes what the change does.
func (p *page) effect() {
	e := p.r.Effect
	if e != nil && e.NotCompared != "" && p.summary {
		p.line("What this change does was not compared with the base: %s\n", sentence(prose(e.NotCompared, maxReason)))
	}
	if e == nil || p.detail >= noReached {
		return
	}
	p.permissions(e)
	p.dropped(e)
	if len(e.Behaviors) == 0 {
		return
	}
	p.line("**What this change does**, in the same calls on base and head:\n")
	first, rest := e.ofFunctions()
	for _, b := range first {
		p.behavior(b)
	}
	if len(rest) > 0 && p.detail < noUnreached {
		p.line("")
		p.folded(human.Plural(len(rest), "more difference"), func() {
			for _, b := range rest[:min(len(rest), foldedBehaviors)] {
				p.behavior(b)
			}
			p.more(len(rest)-foldedBehaviors, "difference")
		})
		return
	}
	p.line("")
}

func (p *page) behavior(b *alikeBehaviors) {
	p.line("- %s", sentence(b.describe(prose, code)))
	if len(b.Sequence) > 0 && p.detail < noReproducers {
		p.line("\n  %s\n", strings.ReplaceAll(strings.TrimSuffix(fence(sequenceLines(b.Sequence)), "\n"), "\n", "\n  "))
	}
}

// effect writes what the change does.
func (t *terminal) effect() {
	e := t.r.Effect
	if e == nil {
		return
	}
	if e.NotCompared != "" {
		t.line("does   not compared with the base: %s", human.Clean(e.NotCompared, maxReason))
	}
	if text := whoCanWrite(e.changedPermissions(), human.Clean, human.Clean); text != "" {
		t.line("writes %s", text)
	}
	first, rest := e.ofFunctions()
	label := "does"
	for _, b := range first {
		t.line("%-6s %s", label, b.describe(human.Clean, human.Clean))
		label = ""
		for _, step := range sequenceLines(b.Sequence) {
			t.line("         %s", step)
		}
	}
	if len(rest) > 0 {
		t.line("       … %s from the base in report.json", human.Plural(len(rest), "more difference"))
	}
}
