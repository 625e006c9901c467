package pipeline

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sightline-evm/sightline/report"
)

// TestStable: another run of the same pull request, with more calls or another seed, may find
// more, and contradicts nothing. What a run claims is that a line was reached or is unreachable,
// that a finding happens, and whether it happens on the base.
func TestStable(t *testing.T) {
	useCompilers(t)
	for _, name := range []string{
		"compare-guard", "compare-half-fixed", "compare-new-way", "compare-owner-both", "compare-loop", "compare-narrower-parameter", // what the base does
		"stable-equal-asserts", "stable-unreachable",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(filepath.Join("testdata", "verdicts", name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			s := &stability{t: t, statuses: map[string]map[string]string{}, findings: map[string]report.Finding{}, where: map[string]string{}}
			for seed := uint64(1); seed <= 3; seed++ {
				shorter := ""
				for _, calls := range []uint64{300, 1_500, 6_000} {
					v := readVerdict(t, archive)
					v.seed = seed
					r, _ := v.run(t, calls)
					of := fmt.Sprintf("seed %d, %d calls", seed, calls)
					s.add(r, of)
					if shorter == report.Fail && r.Verdict != report.Fail {
						t.Errorf("%s: %s (%s), after a shorter run that fails", of, r.Verdict, r.Reason)
					}
					shorter = r.Verdict
				}
			}
		})
	}
}

// stability is what runs of one pull request have said.
type stability struct {
	t        *testing.T
	statuses map[string]map[string]string // by line and status, the first run that said so
	findings map[string]report.Finding    // by id
	where    map[string]string            // the first run with it, by id
}

// add holds a run against those before it.
func (s *stability) add(r *report.Report, of string) {
	for _, l := range r.Lines {
		at := fmt.Sprintf("%s:%d", l.File, l.Line)
		if s.statuses[at] == nil {
			s.statuses[at] = map[string]string{}
		}
		if s.statuses[at][l.Status] == "" {
			s.statuses[at][l.Status] = of
		}
		// A campaign decides between these; all other statuses are known without one.
		open := []string{report.Reached, report.OnlyReverts, report.Unreached}
		said := slices.DeleteFunc(slices.Sorted(maps.Keys(s.statuses[at])), func(status string) bool { return slices.Contains(open, status) })
		if len(said) > 1 || len(said) == 1 && len(s.statuses[at]) > 1 {
			s.t.Errorf("%s is %v", at, s.statuses[at])
		}
	}
	for _, f := range r.Findings {
		was, known := s.findings[f.ID]
		if !known {
			s.findings[f.ID], s.where[f.ID] = f, of
			continue
		}
		claim := func(f report.Finding) string {
			return strings.Join([]string{f.Oracle, f.Title, f.Severity, f.Location.String(), f.Location.Contract, f.Function, f.Comparison}, ", ")
		}
		if claim(was) != claim(f) {
			s.t.Errorf("%s is %s (%s) with %s, and %s (%s) with %s", f.ID, claim(was), was.ComparisonReason, s.where[f.ID], claim(f), f.ComparisonReason, of)
		}
	}
}
