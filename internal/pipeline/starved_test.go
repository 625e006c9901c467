package pipeline

import (
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/report"
)

// TestNeeded: a campaign that ends early since every target is reached is not starved; one that ends
// for another reason after as many executions is.
func TestNeeded(t *testing.T) {
	limits := report.Limits{Calls: 1_000_000}
	for _, test := range []struct {
		stopped string
		starved bool
	}{{fuzzer.EveryTargetReached, false}, {"call limit", true}, {"time limit", true}} {
		result := &fuzzer.Result{Stopped: test.stopped, Useful: 12}
		if got := result.Useful < needed(3, limits, result); got != test.starved {
			t.Errorf("%s after %d executions: starved %v", test.stopped, result.Useful, got)
		}
	}
}

// TestAfterReached: named targets end a run once they are reached, and what a caller says counts.
func TestAfterReached(t *testing.T) {
	quarter, whole := 0.25, 1.0
	for _, test := range []struct {
		name    string
		targets []string
		asked   *float64
		audit   bool
		want    string // in what is said
	}{
		{"a change", nil, nil, false, "at most 50% of the budget"},
		{"targets", []string{"src/Vault.sol:88"}, nil, false, "the campaign ends"},
		{"targets, and bugs", []string{"src/Vault.sol:88"}, &quarter, false, "at most 25% of the budget"},
		{"a change, to the end", nil, &whole, false, "to the end of the budget"},
		{"an audit", nil, nil, true, "an audit"},
	} {
		r := &run{o: &Options{Change: change.Options{Targets: test.targets}, Campaign: Campaign{AfterReached: test.asked}}}
		d := &display{after: r.afterReached(), audits: test.audit}
		if got := d.whenReached(); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q in it", test.name, got, test.want)
		}
	}
}
