package report

import (
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/internal/human"
)

// Withheld counts findings that a report does not show.
type Withheld struct {
	Findings int `json:"findings"`
	New      int `json:"new"` // of them: not known to be old, waived or absent from the shipped build
}

// Withhold takes out of a decided report all findings that the change did not
// introduce, but for their number, and with them what would tell how to make them
// happen; it returns the paths of the reproducers that stay. On a public
// repository such a finding is somebody's live bug.
func (r *Report) Withhold(reproducers []string) []string {
	var gone []string
	for i := range r.Faults { // a case holds calls, and nobody knows what they do
		r.Faults[i].File = ""
	}
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
		if f.Novelty == Introduced {
			return false
		}
		r.Withheld.Findings++
		if !f.excused() {
			r.Withheld.New++
		}
		gone = append(gone, f.Reproducer)
		return true
	})
	n := r.Withheld.Findings
	if n == 0 {
		return reproducers
	}
	// A changed line that is only executed by calls that fail may be on the way to
	// what is not shown.
	const reason = "executed only in calls that revert"
	r.Targets = slices.Clone(r.Targets)
	for i := range r.Targets {
		if t := &r.Targets[i]; t.Status == OnlyReverts {
			gone = append(gone, t.Reproducer)
			t.Reason, t.Sequence, t.Reproducer = reason, nil, ""
		}
	}
	r.Lines = slices.Clone(r.Lines)
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Status == OnlyReverts {
			l.Reason = reason
		}
	}
	r.Warnings = append(slices.Clone(r.Warnings), fmt.Sprintf(
		"%s not shown, since this is public and the change is not known to have introduced them: run `sightline run` on a machine of yours to see them, or set `disclosure: full`", arePlural(n, "finding")))
	return slices.DeleteFunc(slices.Clone(reproducers), func(path string) bool { return slices.Contains(gone, path) })
}

// arePlural is "1 finding is", "2 findings are".
func arePlural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return human.Plural(n, noun) + " are"
}
