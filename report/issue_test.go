package report

import (
	"slices"
	"strings"
	"testing"
)

// TestIssueFound: what counts is what a team has to do something about.
func TestIssueFound(t *testing.T) {
	r := &Report{Findings: []Finding{
		{ID: "SL-1", Severity: "high", Comparison: Introduced},
		{ID: "SL-2", Severity: "note", Comparison: Introduced},
		{ID: "SL-3", Severity: "critical", Comparison: PreExisting},
		{ID: "SL-4", Severity: "low", Comparison: Unknown},
		{ID: "SL-5", Severity: "high", Comparison: Introduced, Waived: &Waiver{}},
		{ID: "SL-6", Severity: "high", Comparison: NoBase, Release: ReleaseAbsent},
	}, Clashes: []Clash{{ID: "a/b --> c", Severity: "high"}}, Withheld: Withheld{Findings: 5, New: 2}}
	i := NewIssue(r, testOptions())
	if want := []string{"SL-1", "SL-4", "a_b_-___c", "withheld-1", "withheld-2"}; !slices.Equal(i.Found, want) {
		t.Errorf("found %q, want %q", i.Found, want)
	}
	if want := "Sightline: 5 findings (2 high, 1 low, 2 not shown)"; i.Title != want {
		t.Errorf("title %q, want %q", i.Title, want)
	}
	if len(r.Findings) != 6 {
		t.Error("the report was changed")
	}
	for _, id := range []string{"SL-2", "SL-3", "SL-5", "SL-6"} {
		if strings.Contains(string(i.Body), id) {
			t.Errorf("it has %s", id)
		}
	}
	r.Findings = slices.Repeat(r.Findings[:1], 10*maxFoundIDs)
	if i := NewIssue(r, testOptions()); len(i.Found) != maxFoundIDs || len(i.Body) > MaxComment {
		t.Errorf("%d ids, %d bytes", len(i.Found), len(i.Body))
	}
}

// TestIssueWithholds: an issue says of a finding that is withheld that it is there, and how to see it.
func TestIssueWithholds(t *testing.T) {
	r := load(t, "fail")
	f := r.Findings[0]
	r.Withhold(true)
	o := testOptions()
	o.Fuzzed = strings.Repeat("ab", 20)
	i := NewIssue(r, o)
	said := i.Title + string(i.Body) + string(i.News(1))
	for _, secret := range []string{f.ID, f.Fingerprint, f.Oracle, f.Function, f.Sequence[0].Call, f.Location.File, f.Message, "high"} {
		if secret != "" && strings.Contains(said, secret) {
			t.Errorf("it tells %q:\n%s", secret, said)
		}
	}
	for _, want := range []string{"**1 finding is not shown**", "git checkout " + o.Fuzzed + "\nsightline run --audit\n", "found=withheld-1 -->"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
}
