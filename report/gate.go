package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
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
	// not waived; not absent from the release build), of a severity or above, and
	// clashes of storage layouts.
	NewFindings func(severity ...string) int `expr:"new_findings"`
	// Findings counts all findings and clashes of a severity or above.
	Findings func(severity ...string) int `expr:"findings"`

	Low      string `expr:"low"`
	Medium   string `expr:"medium"`
	High     string `expr:"high"`
	Critical string `expr:"critical"`

	Lines       int `expr:"lines"`  // changed lines of code, mapped or not
	Partly      int `expr:"partly"` // reached, but for an operation
	OnlyReverts int `expr:"only_reverts"`
	Unreached   int `expr:"unreached"`
	Unreachable int `expr:"unreachable"`
	Undeployed  int `expr:"undeployed"`
	Unmapped    int `expr:"unmapped"`
	NotFuzzed   int `expr:"not_fuzzed"` // code in no contract that can be deployed
	Unread      int `expr:"unread"`     // changed files at which nothing looked

	Reached      float64 `expr:"reached"` // share of lines, 0 to 1: "reached >= 80%"
	ReachedLines int     `expr:"reached_lines"`
	Calls        int     `expr:"calls"`
}

// share is that of some of the lines, from 0 to 1.
func (v *gateValues) share(lines int) float64 { return float64(lines) / float64(max(v.Lines, 1)) }

// valuesOf are the values for a report.
func valuesOf(r *Report) gateValues {
	t := tallyOf(r)
	v := gateValues{
		Unread: len(r.Unread),
		Low:    "low", Medium: "medium", High: "high", Critical: "critical",
		Lines: t.code(), ReachedLines: t[Reached], OnlyReverts: t[OnlyReverts], Unreached: t[Unreached],
		Unreachable: t[Unreachable], Undeployed: t[Undeployable], Unmapped: t[Unmapped], NotFuzzed: t[notFuzzed], Partly: t[partly],
		Calls: int(min(r.Stats.Calls, math.MaxInt)),
	}
	v.Reached = v.share(v.ReachedLines)
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

// holds reports whether the report meets its gate's condition; it does if there is none. near
// is set if it does within the tolerance alone.
func (r *Report) holds() (met, near bool, err error) {
	program, err := compileGate(cmp.Or(r.Gate, "true"))
	if err != nil {
		return met, near, err
	}
	v := valuesOf(r)
	if met, err = evaluate(program, &v); met || err != nil {
		return met, false, err
	}
	v.Reached = min(1, v.share(v.ReachedLines+tolerance(v.Lines)))
	near, err = evaluate(program, &v)
	return near, near, err
}

func evaluate(program *vm.Program, v *gateValues) (bool, error) {
	met, err := expr.Run(program, *v)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		err = errors.New(first)
	}
	return met == true, err
}

// tolerance is how many lines a run may reach less than a condition on their share asks for:
// one of 50, at least one, but none of fewer than ten. Which of the last lines a campaign
// reaches depends on its seed and its time; runs of one commit whose verdicts contradict each
// other teach people to run it again. What is counted exactly (unreached, reached_lines) has
// none. The share is arbitrary; see TestStable for how far runs differ.
func tolerance(lines int) int {
	if lines < 10 {
		return 0
	}
	return max(1, lines/50)
}

// asked matches the share of lines that a condition asks for.
var asked = regexp.MustCompile(`\breached\s*(>=?)\s*(\d+(?:\.\d+)?)\s*(%?)`)

// distance says how far a report is from the highest share of lines that its condition asks
// for: "reached 78.6 % of 14 lines, gate 80 %: 1 line short". Empty if it asks for none, or the
// report has it.
func (r *Report) distance() string {
	v := valuesOf(r)
	short, text := 0, ""
	for _, m := range asked.FindAllStringSubmatch(r.Gate, -1) {
		share, _ := strconv.ParseFloat(m[2], 64) // a number in range, since the condition compiles
		if m[3] == "%" {
			share /= 100
		}
		missing := 0
		for missing < v.Lines-v.ReachedLines && !reaches(v.share(v.ReachedLines+missing), m[1], share) {
			missing++
		}
		if missing > short {
			short = missing
			text = fmt.Sprintf("reached %s %% of %s, gate %s %%: %s short", percentage(v.Reached), human.Plural(v.Lines, "line"), percentage(share), human.Plural(missing, "line"))
		}
	}
	return text
}

func reaches(share float64, operator string, least float64) bool {
	return share > least || operator == ">=" && share >= least
}

// percentage is a share as people write it: "80", "78.6".
func percentage(share float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(share*100, 'f', 1, 64), ".0")
}

// unmet says how a report fails its condition.
func (r *Report) unmet() string {
	v := valuesOf(r)
	how := r.distance()
	if how == "" {
		how = fmt.Sprintf("%d of %s reached", v.ReachedLines, tallyOf(r).what(v.Lines))
	}
	return fmt.Sprintf("the gate %q is not met: %s; %s", r.Gate, human.Plural(v.NewFindings(), "new finding"), how)
}
