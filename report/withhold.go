package report

import (
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/internal/human"
)

// Withheld counts the findings that a report does not show.
type Withheld struct {
	Findings int `json:"findings"`
	New      int `json:"new"` // of them: not known to be old, waived or absent from the release build
}

// Withhold takes out of a decided report all findings that the change did not
// introduce, except for their number, and with them everything that tells how to make
// them happen; the report does not name the files any more that hold such calls. On a
// public repository, each of these findings is a live bug of someone. whole is set where the
// report is of a whole project that was compared with nothing: no change introduced any of it.
func (r *Report) Withhold(whole bool) {
	r.Faults = slices.Clone(r.Faults)
	for i := range r.Faults { // they hold calls, and what these do is not known
		r.Faults[i].Input, r.Faults[i].File = "", ""
	}
	r.withholdCalls()
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
		if f.Comparison == Introduced && !whole {
			return false
		}
		r.Withheld.Findings++
		if !f.excused() {
			r.Withheld.New++
		}
		return true
	})
	n := r.Withheld.Findings
	if n == 0 {
		return
	}
	// A changed line that is executed only in calls that fail may be on the way to what
	// is not shown.
	const reason = "executed only in calls that revert"
	r.Targets = slices.Clone(r.Targets)
	for i := range r.Targets {
		if t := &r.Targets[i]; t.Status == OnlyReverts {
			t.Reason, t.Sequence, t.Reproducer = reason, nil, ""
		}
	}
	r.Lines = slices.Clone(r.Lines)
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Status == OnlyReverts {
			l.Reason = reason
		}
	}
	why, command := "the change is not known to have introduced them", "sightline run"
	if whole {
		why, command = "there is no change that introduced them", "sightline run --audit"
	}
	r.Warnings = append(slices.Clone(r.Warnings), fmt.Sprintf("%s not shown, since this is public and %s: run `%s` on your own machine to see them, or set `disclosure: full`", arePlural(n, "finding"), why, command))
}

// withholdCalls takes the calls out of differences from the base in which the base does something: the
// change may mend a bug that is live there. What anyone can write there may be one, and what oracles saw on
// both sides.
func (r *Report) withholdCalls() {
	if r.Effect == nil {
		return
	}
	effect := *r.Effect
	effect.Behaviors = slices.Clone(effect.Behaviors)
	for i := range effect.Behaviors {
		if b := &effect.Behaviors[i]; b.Kind != succeeds {
			b.Sequence = nil
		}
	}
	effect.Dropped = nil // that the base does something as well
	effect.Permissions = slices.DeleteFunc(slices.Clone(effect.Permissions), func(row Permission) bool { return row.Before == Anyone })
	r.Effect = &effect
}

// arePlural is "1 finding is", "2 findings are".
func arePlural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return human.Plural(n, noun) + " are"
}
