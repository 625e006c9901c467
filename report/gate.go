package report

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"github.com/sightline-evm/sightline/internal/human"
)

// MaxGate bounds the text of a gate's condition, in bytes. Arbitrary: a condition that uses
// every name has a fifth of that.
const MaxGate = 2000

// gateValues are the names that a condition may use; docs/configuration.md lists them.
type gateValues struct {
	// NewFindings counts findings that gate (introduced, or not known to be old;
	// not waived; not absent from the shipped build), of a severity or above, and
	// clashes of storage layouts.
	NewFindings func(severity ...string) int `expr:"new_findings"`
	// Findings counts all findings and clashes of a severity or above.
	Findings func(severity ...string) int `expr:"findings"`

	Low      string `expr:"low"`
	Medium   string `expr:"medium"`
	High     string `expr:"high"`
	Critical string `expr:"critical"`

	Lines       int `expr:"lines"` // changed lines with bytecode, mapped or not
	OnlyReverts int `expr:"only_reverts"`
	Unreached   int `expr:"unreached"`
	Unreachable int `expr:"unreachable"`
	Undeployed  int `expr:"undeployed"`
	Unmapped    int `expr:"unmapped"`

	Reached      float64 `expr:"reached"` // share of lines, 0 to 1: "reached >= 80%"
	ReachedLines int     `expr:"reached_lines"`
	Calls        int     `expr:"calls"`
}

// valuesOf are the values for a report.
func valuesOf(r *Report) gateValues {
	t := tallyOf(r)
	v := gateValues{
		Low: "low", Medium: "medium", High: "high", Critical: "critical",
		Lines: t.code(), ReachedLines: t[Reached], OnlyReverts: t[OnlyReverts], Unreached: t[Unreached],
		Unreachable: t[Unreachable], Undeployed: t[Undeployable], Unmapped: t[Unmapped],
		Calls: int(min(r.Stats.Calls, 1<<62)),
	}
	if v.Lines > 0 {
		v.Reached = float64(v.ReachedLines) / float64(v.Lines)
	}
	count := func(severity []string, counts func(*Finding) bool) int {
		least := slices.Index(severities, append(severity, severities[0])[0])
		n := 0
		found := r.found()
		for i := range found {
			f := &found[i]
			if at := slices.Index(severities, f.Severity); (at < 0 || at >= least) && counts(f) {
				n++
			}
		}
		return n
	}
	v.NewFindings = func(severity ...string) int {
		return count(severity, func(f *Finding) bool { return !f.excused() })
	}
	v.Findings = func(severity ...string) int { return count(severity, func(*Finding) bool { return true }) }
	return v
}

// percent matches a percentage, but not a remainder ("7 % 2").
var percent = regexp.MustCompile(`(\d+(?:\.\d+)?)\s*%(\s*(?:$|[)&|<>=!?:,]|and\b|or\b))`)

// compileGate reads a condition such as
//
//	new_findings(high) == 0 && reached >= 80%
func compileGate(text string) (*vm.Program, error) {
	if len(text) > MaxGate {
		return nil, fmt.Errorf("the gate has %d bytes, at most %d are read", len(text), MaxGate)
	}
	program, err := expr.Compile(percent.ReplaceAllString(text, "($1 / 100.0)$2"), expr.Env(gateValues{}), expr.AsBool(), expr.DisableAllBuiltins())
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(first)
	}
	return program, nil
}

// CheckGate returns an error unless a condition can be compiled.
func CheckGate(text string) error {
	if text == "" {
		return nil
	}
	_, err := compileGate(text)
	return err
}

// holds reports whether the report meets its gate's condition; it does if there is none.
func (r *Report) holds() (bool, error) {
	if r.Gate == "" {
		return true, nil
	}
	program, err := compileGate(r.Gate)
	if err != nil {
		return false, err
	}
	met, err := expr.Run(program, valuesOf(r))
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return false, errors.New(first)
	}
	return met == true, nil
}

// unmet says how a report fails its condition.
func (r *Report) unmet() string {
	v := valuesOf(r)
	return fmt.Sprintf("the gate %q is not met: %s, %d of %s reached", r.Gate, human.Plural(v.NewFindings(), "new finding"), v.ReachedLines, tallyOf(r).what(v.Lines))
}
