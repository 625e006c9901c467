package pipeline

import (
	"testing"
	"time"
)

// A campaign that has less time than it was given leaves what comes after it three tenths of it, and
// never has none: zero is no limit.
func TestUntilDeadline(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ timeout, left, want time.Duration }{
		{time.Minute, time.Hour, time.Minute},
		{time.Hour, 13 * time.Minute, 10 * time.Minute},
		{0, 13 * time.Minute, 10 * time.Minute},
		{time.Minute, -time.Second, time.Nanosecond},
		{0, 0, time.Nanosecond},
	} {
		o := Campaign{Timeout: c.timeout, Deadline: now.Add(c.left)}
		if got := o.untilDeadline(func() time.Time { return now }); got != c.want {
			t.Errorf("limit %v, %v to the deadline: %v, want %v", c.timeout, c.left, got, c.want)
		}
	}
	if got := (&Campaign{Timeout: time.Minute}).untilDeadline(nil); got != time.Minute {
		t.Errorf("without a deadline %v", got)
	}
}
