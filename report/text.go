package report

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-evm/sightline/internal/human"
)

// Lengths to which the strings of a report are cut before they are shown, in
// characters; report.json has them whole. They keep a screen readable and bound the size
// of everything. The numbers are arbitrary: they are longer than what projects have.
const (
	maxName   = 120 // names, ids, revisions
	maxPath   = 300
	maxReason = 400 // sentences
	maxCall   = 400 // a call with its arguments
	maxWidth  = 100 // of a call with its note on one line; GitHub's comments hold about 110
	maxSteps  = 64  // calls of a sequence, the longest that the campaign makes
)

// whole is a call with what the attacker's contract does meanwhile, which is clean.
func (s *Step) whole() string {
	text := human.Clean(s.Call, maxCall)
	for _, answer := range s.Answers {
		text += "; " + human.Clean(answer, maxCall)
	}
	return text
}

// sequenceLines lays a sequence out in columns, one line per call: number,
// sender, call, note. What the attacker's contract does meanwhile has lines of its own below, where
// it is much. All of it is clean.
func sequenceLines(sequence []Step) []string {
	shown := sequence[:min(len(sequence), maxSteps)]
	steps := make([]Step, len(shown))
	senders, calls := 0, 0 // widths
	for i, s := range shown {
		steps[i] = Step{Sender: human.Clean(s.Sender, maxName), Call: s.whole(), Note: human.Clean(s.Note, maxReason)}
		if utf8.RuneCountInString(steps[i].Sender+steps[i].Call)+len("1   ") > maxWidth {
			steps[i].Call, steps[i].Answers = human.Clean(s.Call, maxCall), s.Answers
		}
		senders = max(senders, utf8.RuneCountInString(steps[i].Sender))
		if s.Note != "" {
			calls = max(calls, utf8.RuneCountInString(steps[i].Call))
		}
	}
	// One long call must not push all notes out of sight; 24 and 60 leave room for them.
	senders, calls = min(senders, 24), min(calls, 60)
	number := len(strconv.Itoa(len(steps)))
	below := strings.Repeat(" ", number+senders+3) + "└ "
	lines := make([]string, 0, len(steps)+1)
	for i, s := range steps {
		line := fmt.Sprintf("%*d %-*s  %-*s  %s", number, i+1, senders, s.Sender, calls, s.Call, s.Note)
		if s.Note != "" && utf8.RuneCountInString(line) > maxWidth {
			lines = append(lines, strings.TrimRight(strings.TrimSuffix(line, s.Note), " "))
			line = below + s.Note
		}
		lines = append(lines, strings.TrimRight(line, " "))
		for _, answer := range s.Answers {
			lines = append(lines, below+human.Clean(answer, maxCall))
		}
	}
	if n := len(sequence) - len(shown); n > 0 {
		lines = append(lines, "… "+human.Plural(n, "more call"))
	}
	return lines
}

// humanSeconds is a duration as people read it: 0.4 s, 92 s, 14 min.
func humanSeconds(s float64) string {
	switch {
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	case s < 600:
		return fmt.Sprintf("%.0f s", s)
	}
	return fmt.Sprintf("%.0f min", s/60)
}

// shellWord is s as one word of a shell's command line: a report may come from anyone.
func shellWord(s string) string {
	safe := func(r rune) bool {
		return r < 0x80 && isLetter(byte(r)) || '0' <= r && r <= '9' || strings.ContainsRune("-._/+:@%=,", r)
	}
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// replayCommand is the command that replays a reproducer of the output folder
// out; empty without one.
func replayCommand(out, reproducer string) string {
	if reproducer == "" {
		return ""
	}
	return "sightline replay " + shellWord(human.Clean(path.Join(out, reproducer), maxPath))
}

// onBase says whether the finding happens on the base version, and why; base is its name,
// or empty, and reason the finding's. Both must be clean.
func (f *Finding) onBase(base, reason string) string {
	if f.Comparison == NoBase {
		return "audit: no base"
	}
	said := strings.TrimSpace("not compared with base " + base)
	switch f.Comparison {
	case Introduced:
		said = strings.TrimSpace("introduced since base " + base)
	case PreExisting:
		said = strings.TrimSpace("happens on base "+base) + " too"
	}
	if reason != "" {
		said += ": " + reason
	}
	return said
}

// onRelease says whether the finding happens on the project's own build; empty if that
// build was fuzzed.
func (f *Finding) onRelease() string {
	switch f.Release {
	case ReleaseConfirmed:
		return "happens on the project's own build too"
	case ReleaseAbsent:
		return "does not happen on the project's own build"
	case ReleaseUnknown:
		return "not tried on the project's own build"
	}
	return ""
}

// sureness names the implementations and builds on which the finding was seen. clean makes
// a text safe for the place it is written to.
func (f *Finding) sureness(clean func(s string, most int) string) string {
	var parts []string
	if confirmed := clean(f.Confirmed, maxName); confirmed != "" {
		parts = append(parts, "confirmed on "+confirmed)
	}
	if u := f.UnderForge; u != nil && u.Fails {
		parts = append(parts, "fails under forge too")
	} else if u != nil {
		parts = append(parts, "not run under forge: "+clean(u.Reason, maxReason))
	}
	if release := f.onRelease(); release != "" {
		parts = append(parts, release)
	}
	return strings.Join(parts, "; ")
}

// stillFails says that an earlier run saw the finding; empty if none did.
func (f *Finding) stillFails(clean func(s string, most int) string) string {
	if f.Since == "" {
		return ""
	}
	return "still fails, as in " + clean(f.Since, maxName)
}

// describe says what was fixed.
func (f *Fixed) describe(clean func(s string, most int) string) string {
	where := (&Finding{Function: f.Function, Location: Place{Contract: f.Contract}}).where()
	return fmt.Sprintf("%s (%s) in %s, fixed in %s: the calls that broke it in %s break nothing any more",
		clean(f.Oracle, maxName), clean(f.Title, maxName), clean(where, maxName), clean(f.In, maxName), clean(f.Since, maxName))
}

// assessment says how sure the finding is and whether it is new; base, the base's name, must
// be clean.
func (f *Finding) assessment(clean func(s string, most int) string, base string) string {
	said := f.onBase(base, clean(f.ComparisonReason, maxReason))
	if sureness := f.sureness(clean); sureness != "" {
		said = sureness + "; " + said
	}
	if waived := f.waived(clean); waived != "" {
		said = waived + "; " + said
	}
	if since := f.stillFails(clean); since != "" {
		said = since + "; " + said
	}
	return said
}

// said is the finding's message, with the condition, or its title if it has none.
func (f *Finding) said() string {
	switch {
	case f.Message == "":
		return f.Title
	case f.Condition != "":
		return f.Message + ", " + f.Condition
	}
	return f.Message
}

// upper makes the first letter of s upper-case, unless s begins with a file's name.
func upper(s string) string {
	if word, _, _ := strings.Cut(s, " "); s == "" || strings.ContainsAny(strings.TrimRight(word, ".,;:"), "/._") {
		return s
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// sentence ends s with a full stop, unless it has a punctuation mark at its end.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// place is where people should look first: the changed line on the failing path, or the
// place where it breaks, as of a fuzz test of the project.
func (f *Finding) place() Place {
	if f.Changed != nil && f.UnderForge == nil {
		return *f.Changed
	}
	return f.Location
}

// where names the one place that a finding's title is about, that where it breaks: the
// contract that was called and the function, else the line.
func (f *Finding) where() string {
	contract := f.Location.Contract[strings.LastIndexByte(f.Location.Contract, ':')+1:]
	switch {
	case contract != "" && f.Function != "":
		return contract + "." + f.Function
	case f.Function != "":
		return f.Function
	}
	return f.Location.String()
}

// sameLine reports whether people see two places as one.
func (p Place) sameLine(q Place) bool { return p.String() == q.String() }

// String is file:line, or the contract and pc of code without source.
func (p Place) String() string {
	if p.File != "" {
		return position(p.File, p.Line)
	}
	return fmt.Sprintf("%s:%#x", p.Contract, p.PC)
}

// related is a changed line on the way to a place where it breaks that people should look at
// first; false if there is none.
func (f *Finding) related() (Place, bool) {
	if f.UnderForge == nil || f.Changed == nil || f.Changed.sameLine(f.Location) {
		return Place{}, false
	}
	return *f.Changed, true
}
