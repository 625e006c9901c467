package fuzzer

import (
	"testing"
	"time"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestSavedInputsHaveAShare: a corpus that takes longer than a quarter of the budget is left,
// in calls and in time, after one task at least.
func TestSavedInputsHaveAShare(t *testing.T) {
	start := time.Unix(0, 0)
	saved := task{saved: true, run: make([]input.Sequence, savedOfTask)}
	for _, c := range []struct {
		name    string
		config  Config
		calls   uint64
		elapsed time.Duration
		want    int // tasks that are left of three
	}{
		{"no limit", Config{}, 1 << 40, time.Hour, 3},
		{"few calls", Config{MaxCalls: 400}, 99, 0, 3},
		{"a quarter of the calls", Config{MaxCalls: 400}, 100, 0, 0},
		{"short", Config{Timeout: 4 * time.Minute}, 1 << 40, time.Minute - 1, 3},
		{"a quarter of the time", Config{Timeout: 4 * time.Minute}, 0, time.Minute, 0},
	} {
		now := start
		c.config.Now = func() time.Time { return now }
		campaign := &Campaign{Config: c.config, start: start}
		campaign.result.Stats.Calls, now = c.calls, start.Add(c.elapsed)
		tasks := []task{saved, saved, saved}
		if got := campaign.withoutCostly(tasks); len(got) != 3 {
			t.Errorf("%s: the first is not run", c.name)
		}
		if got := campaign.withoutCostly(tasks); len(got) != c.want || len(campaign.result.Notes) != (3-c.want)/3 {
			t.Errorf("%s: %d tasks are left, want %d; %q", c.name, len(got), c.want, campaign.result.Notes)
		}
		if got := campaign.withoutCostly([]task{{run: saved.run}, saved}); len(got) != 2 {
			t.Errorf("%s: others are dropped", c.name)
		}
	}
}
