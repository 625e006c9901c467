package human

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, é, 漢字, ✅":  "plain text, é, 漢字, ✅",
		"a\nb\tc\r":             `a\nb\tc\r`,
		"\x1b[31mred\x07":       `\x1b[31mred\a`,
		"safe\u202eevil":        `safe\u202eevil`,
		"zero\u200bwidth\ufeff": `zero\u200bwidth\ufeff`,
		"\xff\xfe":              `\xff\xfe`,
		"\U000e0041":            `\U000e0041`,
		"\u00a0nbsp":            `\u00a0nbsp`,
		"  trimmed  ":           "trimmed",
		strings.Repeat("a", 31): strings.Repeat("a", 30) + "…",
		strings.Repeat("é", 30): strings.Repeat("é", 30),
	} {
		if got := Clean(in, 30); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClock(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0:00", 0.9: "0:00", 59.99: "0:59", 92: "1:32", 3600: "1:00:00", 3850.5: "1:04:10"} {
		if got := Clock(seconds); got != want {
			t.Errorf("Clock(%v) = %q, want %q", seconds, got, want)
		}
	}
}
