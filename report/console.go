package report

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

type terminal struct {
	strings.Builder
	r     *Report
	o     Options
	color bool
	tally tally // of the rows that make the headline
}

func (t *terminal) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// more counts the entries beyond terminalRows.
func (t *terminal) more(n int, noun string) {
	if n > terminalRows {
		t.line("  … %s in report.json", human.Plural(n-terminalRows, "more "+noun))
	}
}

// paint colors s.
func (t *terminal) paint(color, s string) string {
	if !t.color {
		return s
	}
	return color + s + plain
}
