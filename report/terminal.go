package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// ANSI colors of the verdict and of a finding's first line.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

// terminalRows is how many lines of one status, findings or warnings are listed
// before the rest is only counted: about a screen. report.json lists all of them.
const terminalRows = 25

// Terminal writes the end of a run for people at a terminal: the verdict, the findings
// with their calls, the lines that were not reached and why, the next steps and the exit
// code. No control character of the report gets to the terminal.
func Terminal(w io.Writer, r *Report, o Options, color bool) error {
	t := &terminal{r: r, o: o, color: color, tally: tallyOf(r)}
	t.verdict()
	if said := r.describeAudit(human.Clean); said != "" {
		t.line("%s", said)
	}
	if said := r.DescribeShards(); said != "" {
		t.line("%s", said)
	}
	groups := allAlike(r.Findings)
	for i := range groups[:min(len(groups), terminalRows)] {
		t.finding(&groups[i])
	}
	t.more(len(groups), "finding")
	for i := range r.Clashes[:min(len(r.Clashes), terminalRows)] {
		t.clash(&r.Clashes[i])
	}
	t.more(len(r.Clashes), "clashing storage layout")
	for _, f := range r.Fixed[:min(len(r.Fixed), terminalRows)] {
		t.line("%s  %s %s", t.paint(green, "fixed"), human.Clean(f.ID, maxName), f.describe(human.Clean))
	}
	t.more(len(r.Fixed), "fixed finding")
	t.effect()
	t.selfCheck()
	t.lines()
	t.upgrades()
	if said := t.r.Exchange.Describe(); said != "" {
		t.line("hub    %s", said)
	}
	t.notes()
	t.next()
	if o.Canceled {
		t.line("exit %d (canceled)", exit.Canceled)
	} else {
		t.line("exit %d (fail-on: %s)", ExitCode(r.Verdict), human.Clean(r.FailOn, maxName))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// verdict writes the verdict and its reason. Green is only for a pass that found
// nothing and reached most of the change.
func (t *terminal) verdict() {
	color := red
	switch {
	case t.r.Verdict == Skipped, t.r.Verdict == Pass && (len(t.r.Findings)+len(t.r.Clashes) > 0 || t.r.Doubtful()):
		color = yellow
	case t.r.Verdict == Pass:
		color = green
	}
	t.line("%s  %s", t.paint(color+bold, strings.ToUpper(human.Clean(t.r.Verdict, maxName))), human.Clean(t.r.Reason, maxReason))
}

// finding writes a finding: what breaks, where, by which calls, and the evidence.
func (t *terminal) finding(f *alike) {
	head := fmt.Sprintf("%s %s %s", human.Clean(f.ID, maxName), human.Clean(f.Severity, maxName), human.Clean(f.Oracle, maxName))
	t.line("%s in %s", t.paint(bold, head), human.Clean(f.where(), maxPath))
	said := human.Clean(f.said(), maxReason) + "; breaks at " + human.Clean(f.Location.String(), maxPath)
	if place := f.place(); !place.sameLine(f.Location) {
		said += ", after the changed line " + human.Clean(place.String(), maxPath)
	} else if changed, ok := f.related(); ok {
		said += ", after the changed line " + human.Clean(changed.String(), maxPath)
	}
	t.line("  %s", said)
	for _, line := range f.sourceLines() {
		t.line("    %s", line)
	}
	for _, step := range f.callLines() {
		t.line("    %s", step)
	}
	if also := f.also(human.Clean); also != "" {
		t.line("  %s", also)
	}
	if since := f.stillFails(human.Clean); since != "" {
		t.line("  %s", since)
	}
	if waived := f.waived(human.Clean); waived != "" {
		t.line("  %s", t.paint(yellow, waived))
	}
	if sureness := f.sureness(human.Clean); sureness != "" {
		t.line("  %s", sureness)
	}
	t.line("  %s", f.onBase(human.Clean(t.r.Diff.Base, maxName), ""))
	if reason := human.Clean(f.ComparisonReason, maxReason); reason != "" {
		t.line("    %s", reason)
	}
}

// lines counts the lines by status and lists those that were not reached.
func (t *terminal) lines() {
	if len(t.r.Lines)+len(t.r.Targets) == 0 {
		return
	}
	label := "lines"
	if t.tally[explicit] > 0 {
		label = "targets"
	}
	counts := t.tally.describe(slices.Concat([]string{Reached, partly}, missed)...)
	shown, apart := headlined(locationRows(t.r))
	neitherFirst(shown)
	if n := t.tally[NoBytecode] + t.r.count(apart)[NoBytecode]; n > 0 {
		counts = strings.TrimSpace(fmt.Sprintf("%s (+%d without bytecode)", counts, n))
	}
	t.line("\n%s  %s", label, counts)
	if said := describeTests(t.r, shown, plainText); said != "" {
		t.line("%-*s  %s", len(label), "tests", said)
	}
	rows := map[string][]rowGroup{}
	width := 0
	listed := slices.Concat(missed, []string{partly})
	for _, status := range listed {
		rows[status] = groupRows(lackingWith(shown, status))
		for i := range rows[status] {
			width = max(width, utf8.RuneCountInString(human.Clean(rows[status][i].label(), maxPath)))
		}
	}
	width = min(width, 40) // arbitrary: a longer path is out of line, rather than all reasons far to the right
	for _, status := range listed {
		rest := t.tally[status]
		for i := range rows[status][:min(len(rows[status]), terminalRows)] {
			r := &rows[status][i]
			reason := human.Clean(r.Reason, maxReason)
			if status == partly {
				reason = r.partly(human.Clean)
			}
			reason = r.withTests(reason, plainText)
			t.line("  %-12s  %-*s  %s", status, width, human.Clean(r.label(), maxPath), reason)
			if try, _ := r.Barrier.shortTry(); try != "" && status != partly {
				t.line("  %-12s  %-*s  try: %s", "", width, "", human.Clean(try, maxReason))
			}
			rest -= r.size()
		}
		if rest > 0 {
			t.line("  … %s in report.json", human.Plural(rest, "more "+status+" line"))
		}
	}
	if text := describeApart(t.r, apart); text != "" {
		t.line("%s  %s", strings.Repeat(" ", len(label)), text)
	}
}

// notes writes faults and warnings.
func (t *terminal) notes() {
	for _, f := range t.r.Faults[:min(len(t.r.Faults), terminalRows)] {
		t.line("fault  %s", human.Clean(f.Message, maxReason))
		if f.File != "" {
			t.line("       kept in %s: please send it with your report", human.Clean(f.File, maxPath))
		}
	}
	t.more(len(t.r.Faults), "fault")
	for _, w := range t.r.Warnings[:min(len(t.r.Warnings), terminalRows)] {
		t.line("warn   %s", human.Clean(w, maxReason))
	}
	t.more(len(t.r.Warnings), "warning")
}

// next writes the next steps.
func (t *terminal) next() {
	const most = 3 // commands; the others differ only in the path
	label := "next "
	step := func(s string) {
		t.line("%s  %s", label, s)
		label = "     "
	}
	replays := 0
	for _, f := range distinct(t.r.found()) {
		if command := replayCommand(t.o.Out, f.Reproducer); command != "" && replays < most {
			step(command)
			replays++
		}
	}
	if t.r.World.File != "" {
		step(fmt.Sprintf("%s has this World as settings for sightline.yml", human.Clean(path.Join(t.o.Out, t.r.World.File), maxPath)))
		step(fmt.Sprintf("%s shows all of this in a browser", human.Clean(path.Join(t.o.Out, HTMLFile), maxPath)))
	}
	shown, _ := headlined(locationRows(t.r))
	if i := slices.IndexFunc(shown, func(s locationRow) bool { return s.Barrier != nil && s.File != "" }); i >= 0 {
		step("sightline explain " + shellWord(human.Clean(fmt.Sprintf("%s:%d", shown[i].File, shown[i].Line.Line), maxPath)) + " says more about a line that was not reached")
	}
	if t.tally[Unreached] > 0 && t.r.onlyTime(shown) {
		step("a longer --timeout may reach more; \"unreached\" does not mean safe")
	}
	if slices.ContainsFunc(t.r.Lines, func(l Line) bool {
		return l.Status == Unmapped && path.Ext(l.File) == ".sol" && !strings.HasPrefix(l.Reason, "the project ") // which has no build
	}) {
		step("to map the other lines, give unoptimized output with --build, or a compiler with --solc")
	}
}
