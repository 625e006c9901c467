// Package progress shows people what a run does, and collects its warnings.
package progress

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/term"
)

// Intervals between status updates.
const (
	liveInterval = 200 * time.Millisecond // smooth to the eye
	logInterval  = 30 * time.Second       // arbitrary: often enough to show that a run is alive, rare enough to keep the log readable
)

// Log is where every part of a run reports its progress. On a terminal, the last line is
// a live status that is rewritten; elsewhere, a status line is printed every 30 s. Lines about
// events are printed in both cases. The Log is also the run's only collector of warnings:
// every part that has it can warn, and the report lists all warnings. A Log is for one
// goroutine.
type Log struct {
	out      io.Writer
	width    int // of the terminal; 0: not a terminal
	now      func() time.Time
	last     time.Time
	live     bool // a live line is shown
	warnings []string
	// OnSection is called when a part of the run begins, unless it is nil.
	OnSection func(name string)
}

// NewLog returns a Log that writes to out.
func NewLog(out io.Writer, now func() time.Time) *Log {
	l := &Log{out: out, now: now, last: now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		l.width = 80
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			l.width = w
		}
	}
	return l
}

// Warn adds a warning to those of the run, unless it is already there.
func (l *Log) Warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.warnings, text) {
		l.warnings = append(l.warnings, text)
	}
}

// Warnings returns the warnings of the run so far, in order.
func (l *Log) Warnings() []string { return slices.Clone(l.warnings) }

// Color reports whether to use color: on a terminal, unless NO_COLOR is set
// (no-color.org).
func (l *Log) Color() bool { return l.width > 0 && os.Getenv("NO_COLOR") == "" }

// Section marks the beginning of a part of the run.
func (l *Log) Section(name string) {
	if l.OnSection != nil {
		l.OnSection(name)
	}
}

// Line prints a permanent line.
func (l *Log) Line(format string, args ...any) {
	l.Clear()
	fmt.Fprintf(l.out, format+"\n", args...)
}

// Status shows the current status if the interval has passed.
func (l *Log) Status(text func() string) {
	interval := logInterval
	if l.width > 0 {
		interval = liveInterval
	}
	now := l.now()
	if now.Sub(l.last) < interval {
		return
	}
	l.last = now
	if l.width == 0 {
		fmt.Fprintln(l.out, text())
		return
	}
	line := text()
	if len(line) >= l.width {
		line = line[:l.width-1]
	}
	fmt.Fprintf(l.out, "\r\x1b[K%s", line)
	l.live = true
}

// Clear removes the live line.
func (l *Log) Clear() {
	if l.live {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.live = false
	}
}
