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

// note is a line called unreachable that another build runs than those that the report is
// about.
type note struct {
	way         way
	line        int
	text, build string
}

// has reports whether a trial shows the violation.
func (t *trial) has(v violation) bool {
	return slices.ContainsFunc(t.violations, func(o violation) bool { return v.same(&o) })
}

// maxKinds bounds the violations of one program that are made smaller: mostly they have one
// cause.
const maxKinds = 4

// distinct are violations of different kinds or ways, a few.
func distinct(all []violation) []violation {
	var list []violation
	for _, v := range all {
		if len(list) < maxKinds && !slices.ContainsFunc(list, func(o violation) bool { return o.kind == v.kind && o.way == v.way }) {
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
		if d := j.runs(at); d != nil {
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
		if d := t.elsewhere(j, place{"", mark}); d != nil {
			c.elsewhere++
			t.notes = append(t.notes, note{j.way, line.Line, strings.TrimSpace(t.text[line.Line-1]), d.describe()})
		}
	default:
		c.others++
	}
	if line.Status == report.NoBytecode {
		if d := j.runs(place{"", mark}); d != nil {
			t.violate(j, kindNoBytecode, &report.Target{Line: line.Line}, d.describe()+" runs it")
		}
	}
}

// runs is a build that ran a place and that the job is about, what was fuzzed or the release build;
// nil: neither did.
func (j *job) runs(at place) *deployed {
	for _, d := range j.builds() {
		if d.machine.seen[at] {
			return d
		}
	}
	return nil
}

// elsewhere is a build that ran a place, where none did that the job is about. nil: none.
func (t *trial) elsewhere(j *job, at place) *deployed {
	if j.runs(at) != nil {
		return nil
	}
	for _, other := range t.jobs {
		if d := other.runs(at); d != nil {
			return d
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
		return fmt.Sprintf("the release build (%s)", d.way.name)
	}
	generator := "legacy"
	if d.viaIR {
		generator = "via IR"
	}
	return fmt.Sprintf("the debug build (%s) of %s", generator, d.way.name)
}
