package fuzzer

import (
	"testing"
	"time"
)

// TestTimeline: however long a campaign is, it has between half of the samples and all of them, in order, at
// about the same distance, and the last is of its end.
func TestTimeline(t *testing.T) {
	for _, batches := range []uint64{1, 2, 118, 119, 120, 500, 10_000} {
		c := &Campaign{Config: Config{Now: func() time.Time { return time.Time{} }}, suite: newSuite()}
		for i := range batches {
			c.result.Stats.Executions = 100 * (i + 1)
			c.sample()
		}
		all := c.closeTimeline()
		if n := len(all); n > maxSamples || n < int(min(batches, maxSamples/2-1)) {
			t.Errorf("%d batches: %d samples", batches, n)
		}
		widest, narrowest := uint64(0), uint64(1<<60)
		for i := 1; i < len(all); i++ {
			if all[i].Executions <= all[i-1].Executions {
				t.Fatalf("%d batches: sample %d is not after the one before: %v", batches, i, all)
			}
			if i < len(all)-1 {
				gap := all[i].Executions - all[i-1].Executions
				widest, narrowest = max(widest, gap), min(narrowest, gap)
			}
		}
		if len(all) > 3 && widest > 3*narrowest {
			t.Errorf("%d batches: gaps from %d to %d", batches, narrowest, widest)
		}
		if last := all[len(all)-1].Executions; last != 100*batches {
			t.Errorf("%d batches: the last sample is at %d", batches, last)
		}
	}
}
