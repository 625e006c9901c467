package report

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// This file shows an error that ended a run: what it says, and what would fix it.

// Bounds of what is shown of an error. A screen has 40 lines, and GitHub's code blocks about
// 110 columns; there is one fix for most errors.
const (
	maxTroubleLines = 40
	maxTroubleLine  = 200
	maxFixes        = 3
)

// someLines are the first lines of a text, clean.
func someLines(text string) []string {
	lines := cleanLines(text, maxTroubleLine)
	return lines[:min(len(lines), maxTroubleLines)]
}

// NewTrouble is what is known of an error beyond its one-line reason; nil: nothing is.
func NewTrouble(text string, places []TroublePlace, fixes []Fix) *Trouble {
	t := &Trouble{Places: places, Fixes: fixes}
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) > 1 {
		t.Lines = lines[:min(len(lines), maxTroubleLines)]
	}
	if len(t.Lines)+len(t.Places)+len(t.Fixes) == 0 {
		return nil
	}
	return t
}

// AllFixes are the lines that would fix it.
func (t *Trouble) AllFixes() []Fix {
	if t == nil {
		return nil
	}
	return t.Fixes
}

// trouble writes the error that ended the run and what would fix it.
func (p *page) trouble() {
	t := p.r.Trouble
	if t != nil && len(t.Lines) > 1 {
		p.line("%s", fence(someLines(strings.Join(t.Lines, "\n"))))
	}
	if p.r.Verdict != Error {
		return
	}
	fixes := slices.Concat(t.AllFixes(), p.r.deployFix())
	for _, m := range fixes[:min(len(fixes), maxFixes)] {
		where := "the workflow"
		if m.File != "" {
			where = code(m.File, maxPath)
		}
		p.line("What would help, in %s:\n", where)
		p.line("%s", fenceOf("yaml", someLines(m.YAML)))
	}
}

// deployFix says how to deploy the contracts without which nothing could be fuzzed.
func (r *Report) deployFix() []Fix {
	const most = 3 // contracts; arbitrary: the others follow the example
	var steps []string
	for _, u := range r.World.Undeployed {
		name := u.Contract[strings.LastIndexByte(u.Contract, ':')+1:]
		holds := slices.ContainsFunc(r.Targets, func(t Target) bool { return t.Contract == u.Contract && t.Status == Undeployable })
		if holds && len(steps) < most && isIdentifier(name) {
			steps = append(steps, deploySteps(name))
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return []Fix{{File: "sightline.yml", YAML: "deploy:\n" + strings.Join(steps, "")}}
}

// isIdentifier reports whether s could name a contract in Solidity, and needs no quotes in YAML.
func isIdentifier(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(c rune) bool {
		return c >= 0x80 || !isLetter(byte(c)) && (c < '0' || c > '9') && c != '_'
	}) && isLetter(s[0])
}

// annotations are the places of an error.
func (t *Trouble) annotations() []Annotation {
	if t == nil {
		return nil
	}
	var list []Annotation
	for _, p := range t.Places {
		list = append(list, Annotation{Level: AnnotateError, Title: "Sightline: could not fuzz", Message: human.Clean(p.Text, maxReason),
			File: p.File, Line: p.Line, Column: p.Column})
	}
	return list
}

// deploySteps are the lines of sightline.yml that deploy a contract, below the key deploy.
func deploySteps(name string) string {
	return "  - contract: " + name + "\n    arguments: []  # the constructor's, in order: numbers, addresses, names of contracts above\n"
}
