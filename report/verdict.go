package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// ExitCode is the exit code of a verdict. exit.Input and exit.Canceled are
// never the result of one: there is no report then, or no finished one.
func ExitCode(verdict string) int {
	switch verdict {
	case Pass, Skipped:
		return exit.Pass
	case Fail:
		return exit.Fail
	}
	return exit.Failure
}

// severities, from what never gates up.
var severities = []string{"note", "low", "medium", "high", "critical"}

// gateRank is the index in severities from which on a finding gates; "none"
// gives one that no severity reaches. False if failOn is not a gate: a note
// never gates, so "note" is none.
func gateRank(failOn string) (rank int, ok bool) {
	if failOn == "none" {
		return len(severities), true
	}
	rank = slices.Index(severities, failOn)
	return rank, rank > 0
}

// excused reports whether a finding never gates, however severe: it is not new, not
// in what is shipped, or waived.
func (f *Finding) excused() bool {
	return f.Novelty == PreExisting || f.Shipped == ShippedAbsent || f.Waived != nil
}

// gates reports whether a finding fails a gate of the given rank. What is not
// known to be old gates, and so does a severity nobody has heard of, unless
// nothing gates.
func (f *Finding) gates(rank int) bool {
	if f.excused() || rank == len(severities) {
		return false
	}
	severity := slices.Index(severities, f.Severity)
	return severity < 0 || severity >= rank
}

// Decide sets the verdict and its reason. The first row that applies counts:
//
//	what is so                                             verdict
//	the gate (FailOn) is not a severity and not "none"     error
//	a finding gates, or a clash of storage layouts         fail
//	the tool itself had a fault                            error
//	nothing is a target: no line, or none with bytecode    skipped
//	no target could be mapped or deployed                  error
//	there are targets, but no sequence was run             error
//	a waiver has expired                                   fail
//	the condition (Gate) cannot be evaluated               error
//	the condition does not hold                            fail
//	otherwise                                              pass
//
// A finding gates if its severity is at or above FailOn and it is introduced or
// unknown; a pre-existing one, a note, one that does not happen on the build
// that the project ships, and one that is waived never do. A fault comes after findings,
// since those were confirmed on their own, and before a pass, since what makes
// the tool fail could hide one.
func Decide(r *Report) { r.Verdict, r.Reason = decide(r) }

func decide(r *Report) (verdict, reason string) {
	rank, ok := gateRank(r.FailOn)
	if !ok {
		return Error, fmt.Sprintf("fail-on is %q; it must be none, low, medium, high or critical", human.Clean(r.FailOn, maxName))
	}
	var gating []Finding
	for _, f := range r.found() {
		if f.gates(rank) {
			gating = append(gating, f)
		}
	}
	if len(gating) > 0 {
		return Fail, fmt.Sprintf("%s at or above %s", describeFindings(gating, "finding"), r.FailOn)
	}
	if n := len(r.Faults); n > 0 {
		return Error, fmt.Sprintf("%s in the tool itself: %s", human.Plural(n, "fault"), human.Clean(r.Faults[0].Message, maxReason))
	}
	t := tallyOf(r)
	if t.code() == 0 {
		return Skipped, nothingToDo(r, t)
	}
	if t.deployed() == 0 {
		return Error, fmt.Sprintf("none of %s could be fuzzed: %s", t.what(t.code()), t.describe(Undeployable, Unmapped))
	}
	if r.Stats.Executions == 0 {
		return Error, fmt.Sprintf("%s, but no sequence was run", t.what(t.code()))
	}
	if expired := r.expired(); len(expired) > 0 {
		w := expired[0]
		return Fail, fmt.Sprintf("the waiver of %s ended on %s: %s is to renew or remove it", human.Clean(w.ID, maxName), human.Clean(w.Expires, maxName), human.Clean(w.Owner, maxName))
	}
	met, err := r.holds()
	if err != nil {
		return Error, fmt.Sprintf("the gate cannot be evaluated: %s", human.Clean(err.Error(), maxReason))
	}
	if !met {
		return Fail, human.Clean(r.unmet(), maxReason)
	}
	return Pass, passReason(r, t)
}

// nothingToDo is the reason for having no target.
func nothingToDo(r *Report, t tally) string {
	switch {
	case t[NoBytecode] > 0:
		return fmt.Sprintf("none of %s has bytecode (comments, declarations, interfaces …)", t.what(t[NoBytecode]))
	case r.Diff.Files > 0:
		return "the diff changes no line of a contract's source"
	}
	return "the diff is empty"
}

// passReason is what is known when no finding gates.
func passReason(r *Report, t tally) string {
	found := "no finding"
	if all := r.found(); len(all) > 0 {
		found = fmt.Sprintf("no finding that gates (fail-on %s), but %s", r.FailOn, describeFindings(all, "finding"))
	}
	if t[Reached] == 0 {
		return fmt.Sprintf("%s; none of %s was reached, so that this says nothing of them", found, t.what(t.code()))
	}
	return fmt.Sprintf("%s; %d of %s reached", found, t[Reached], t.what(t.code()))
}

// describeFindings counts findings by what is known of them on the base:
// "2 introduced bugs, 1 pre-existing bug", for the noun "bug".
func describeFindings(findings []Finding, noun string) string {
	count := map[string]int{}
	absent, waived, clashes := 0, 0, 0
	for _, f := range findings {
		if f.Waived != nil {
			waived++
			continue
		}
		if f.Oracle == clashOracle.ID {
			clashes++
			continue
		}
		if f.Shipped == ShippedAbsent {
			absent++
			continue
		}
		count[f.Novelty]++
	}
	var parts []string
	if n := count[Introduced]; n > 0 {
		parts = append(parts, human.Plural(n, "introduced "+noun))
	}
	if n := len(findings) - absent - waived - clashes - count[Introduced] - count[PreExisting]; n > 0 {
		parts = append(parts, human.Plural(n, noun)+" not compared with base")
	}
	if n := count[PreExisting]; n > 0 {
		parts = append(parts, human.Plural(n, "pre-existing "+noun))
	}
	if clashes > 0 {
		parts = append(parts, countClashes(clashes))
	}
	if absent > 0 {
		parts = append(parts, human.Plural(absent, noun)+" not on the project's own build")
	}
	if waived > 0 {
		parts = append(parts, human.Plural(waived, "waived "+noun))
	}
	return strings.Join(parts, ", ")
}
