package progress

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// A log gets a line every 30 s; a terminal's last line is rewritten and taken
// away before a lasting line.
func TestProgress(t *testing.T) {
	for _, test := range []struct {
		name  string
		width int
		want  string
	}{
		{"log", 0, "start\n30s\n60s\nfound\n90s\n"},
		{"terminal", 12, "start\n" +
			"\r\x1b[K15s\r\x1b[K30s\r\x1b[K45s\r\x1b[K60s" +
			"\r\x1b[Kfound\n" +
			"\r\x1b[K75s and muc\r\x1b[K90s and muc\r\x1b[K"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			now := start
			p := NewLog(&out, func() time.Time { return now })
			p.width = test.width
			p.Line("start")
			for second := 15; second <= 90; second += 15 {
				now = start.Add(time.Duration(second) * time.Second)
				p.Status(func() string {
					if second > 60 && test.width > 0 {
						return fmt.Sprintf("%ds and much more", second)
					}
					return fmt.Sprintf("%ds", second)
				})
				if second == 60 {
					p.Line("found")
				}
			}
			p.Clear()
			p.Clear() // nothing is left to take away
			if got := out.String(); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}
