package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/report"
)

// The kinds of violations; the command's text says what they are.
const (
	kindUnreachable = "unreachable"
	kindNoBytecode  = "no-bytecode"
	kindReached     = "reached"
	kindFuzzed      = "fuzzed"
)

// violation is a claim of a report that is contradicted.
type violation struct {
	way            way
	kind, contract string
	mark, line     int
	text           string // of the line
	what           string // where it runs or does not, and by which calls
}

// same reports whether two violations are one, in programs whose lines differ.
func (v *violation) same(o *violation) bool {
	return v.way == o.way && v.kind == o.kind && v.contract == o.contract && v.mark == o.mark
}

// needs reports whether the builds of a way can show the violation: those of its code
// generator for lines that should not run, its own for lines that should.
func (v *violation) needs(w way) bool {
	if v.kind == kindUnreachable || v.kind == kindNoBytecode {
		return w.viaIR == v.way.viaIR
	}
	return w == v.way
}

// has reports whether a trial shows the violation.
func (t *trial) has(v violation) bool {
	return slices.ContainsFunc(t.violations, func(o violation) bool { return v.same(&o) })
}

// maxKinds bounds the violations of one program that are made smaller: mostly they have one
// cause.
const maxKinds = 2

// distinct are violations of different kinds or ways, a few.
func distinct(all []violation) []violation {
	var list []violation
	for _, v := range all {
		if len(list) < maxKinds && !slices.ContainsFunc(list, func(o violation) bool { return o.kind == v.kind }) {
			list = append(list, v)
		}
	}
	return list
}

// counts are the lines of reports by status.
type counts struct {
	lines, reached, onlyReverts, unreachable, unreached, others int
	elsewhere, violations                                       int
}

// tally counts what was checked.
type tally struct {
	counts
	by         [4]counts // of each way
	executions uint64
	checked    int // calls of a report, made on another build
	violated   int
}

func (t *tally) add(o *tally) {
	t.counts.add(&o.counts)
	for i := range t.by {
		t.by[i].add(&o.by[i])
	}
	t.executions += o.executions
	t.checked += o.checked
	t.violated += o.violated
}

func (c *counts) add(o *counts) {
	c.lines += o.lines
	c.reached += o.reached
	c.onlyReverts += o.onlyReverts
	c.unreachable += o.unreachable
	c.unreached += o.unreached
	c.others += o.others
	c.elsewhere += o.elsewhere
	c.violations += o.violations
}

// check holds the reports against what ran.
func (t *trial) check() error {
	for _, j := range t.jobs {
		for _, target := range j.report.Targets {
			if err := t.checkTarget(j, &target); err != nil {
				return err
			}
		}
		for _, line := range j.report.Lines {
			t.checkLine(j, &line)
		}
		t.counts.add(&t.by[j.index])
	}
	t.violated = len(t.violations)
	return nil
}

// checkTarget checks what is said of a line in one contract.
func (t *trial) checkTarget(j *job, target *report.Target) error {
	mark := t.marks[target.Line]
	if mark == 0 {
		return nil
	}
	at := place{target.Contract, mark}
	switch target.Status {
	case report.Unreachable:
		if d := t.runs(at, j.way.viaIR); d != nil {
			t.violate(j, kindUnreachable, target, d.describe()+" runs it")
		}
	case report.Reached, report.OnlyReverts:
		text, ok := j.sequences[target.Reproducer]
		if !ok {
			return nil // the set-up did
		}
		for _, d := range j.builds() {
			seen, fits, err := d.run(text)
			if err != nil {
				return err
			}
			if !fits {
				continue
			}
			t.checked++
			if seen[at] {
				continue
			}
			kind := kindReached
			if d == j.head && d.debug {
				kind = kindFuzzed
			}
			what := d.describe() + " does not run it with " + strings.ReplaceAll(text, "\n", "; ")
			if d.machine.seen[at] {
				what += " (but with other calls)"
			}
			t.violate(j, kind, target, what)
		}
	}
	return nil
}

// checkLine checks what is said of a line as a whole.
func (t *trial) checkLine(j *job, line *report.Line) {
	mark := t.marks[line.Line]
	if mark == 0 {
		return
	}
	c := &t.by[j.index]
	c.lines++
	switch line.Status {
	case report.Reached:
		c.reached++
	case report.OnlyReverts:
		c.onlyReverts++
	case report.Unreached:
		c.unreached++
	case report.Unreachable:
		c.unreachable++
		if t.runs(place{"", mark}, !j.way.viaIR) != nil {
			c.elsewhere++
		}
	default:
		c.others++
	}
	if line.Status == report.NoBytecode {
		if d := t.runs(place{"", mark}, j.way.viaIR); d != nil {
			t.violate(j, kindNoBytecode, &report.Target{Line: line.Line}, d.describe()+" runs it")
		}
	}
}

// runs is a build of programs that ship by one code generator that ran a place; nil: none
// did.
func (t *trial) runs(at place, viaIR bool) *deployed {
	for _, j := range t.jobs {
		if j.way.viaIR != viaIR {
			continue
		}
		if j.release.machine.seen[at] {
			return j.release
		}
		if j.head.machine.seen[at] {
			return j.head
		}
	}
	return nil
}

func (t *trial) violate(j *job, kind string, target *report.Target, what string) {
	t.by[j.index].violations++
	t.violations = append(t.violations, violation{way: j.way, kind: kind, contract: target.Contract,
		mark: t.marks[target.Line], line: target.Line, text: strings.TrimSpace(t.text[target.Line-1]), what: what})
}

// describe names a build for people.
func (d *deployed) describe() string {
	if !d.debug {
		return fmt.Sprintf("the build that ships (%s)", d.way.name)
	}
	generator := "legacy"
	if d.viaIR {
		generator = "via IR"
	}
	return fmt.Sprintf("the debug build (%s) of %s", generator, d.way.name)
}
