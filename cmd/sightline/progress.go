package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Intervals of progress: a live line on a terminal, a line in a log.
const (
	liveInterval = 200 * time.Millisecond // smooth to the eye
	logInterval  = 30 * time.Second       // design §10
)

// progress tells people what a campaign is doing. On a terminal the last line is
// live and rewritten; in a log a line comes every 30 s. Lines for things that
// happened stand in both.
type progress struct {
	out   io.Writer
	width int // of the terminal; 0: a log
	now   func() time.Time
	last  time.Time
	live  bool // a live line is shown
}

func newProgress(out io.Writer, now func() time.Time) *progress {
	p := &progress{out: out, now: now, last: now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.width = 80
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			p.width = w
		}
	}
	return p
}

// color reports whether to color: on a terminal, unless NO_COLOR is set
// (no-color.org).
func (p *progress) color() bool { return p.width > 0 && os.Getenv("NO_COLOR") == "" }

// line prints a lasting line.
func (p *progress) line(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.out, format+"\n", args...)
}

// status shows what is going on, if it is time to.
func (p *progress) status(text func() string) {
	interval := logInterval
	if p.width > 0 {
		interval = liveInterval
	}
	now := p.now()
	if now.Sub(p.last) < interval {
		return
	}
	p.last = now
	if p.width == 0 {
		fmt.Fprintln(p.out, text())
		return
	}
	line := text()
	if len(line) >= p.width {
		line = line[:p.width-1]
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s", line)
	p.live = true
}

// clear takes the live line away.
func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.live = false
	}
}

// clock writes seconds as people do: 1:32, or 1:04:10.
func clock(seconds float64) string {
	s := int(seconds)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
