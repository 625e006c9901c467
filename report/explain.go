package report

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// Explained is what a report says of one changed line, or of one place in bytecode.
type Explained struct {
	Line    *Line    `json:"line,omitempty"` // nil: a place in bytecode, or a line given as a target
	Targets []Target `json:"targets"`        // of the line, in each contract whose bytecode holds it
}

// Explain finds what a report says of a place: FILE:LINE, where FILE may be the end of a path, or
// CONTRACT:0xPC. An unknown place is an error that names those nearby.
func (r *Report) Explain(place string) (*Explained, error) {
	i := strings.LastIndexByte(place, ':')
	if i <= 0 {
		return nil, exit.BadInput("%q: want FILE:LINE or CONTRACT:0xPC", human.Printable(place))
	}
	name, number := place[:i], place[i+1:]
	if digits, ok := strings.CutPrefix(strings.ToLower(number), "0x"); ok {
		pc, err := strconv.ParseUint(digits, 16, 32)
		if err != nil {
			return nil, exit.BadInput("%q: %q is not a program counter", human.Printable(place), human.Printable(number))
		}
		return r.explainPC(name, uint32(pc))
	}
	line, err := strconv.Atoi(number)
	if err != nil || line < 1 {
		return nil, exit.BadInput("%q: want FILE:LINE or CONTRACT:0xPC", human.Printable(place))
	}
	return r.explainLine(path.Clean(strings.ReplaceAll(name, `\`, "/")), line)
}

// named reports whether a path is that of a file, or ends with its name.
func named(file, name string) bool { return file == name || strings.HasSuffix(file, "/"+name) }

// explainLine finds a line.
func (r *Report) explainLine(name string, line int) (*Explained, error) {
	var files []string
	for i := range r.Lines {
		if f := r.Lines[i].File; named(f, name) && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	for i := range r.Targets {
		if f := r.Targets[i].File; named(f, name) && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	if slices.Contains(files, name) {
		files = []string{name}
	}
	switch {
	case len(files) == 0:
		return nil, exit.BadInput("no changed line of the run is in %s; it has lines of %s", human.Printable(name), human.List(r.changedFiles(), "no file"))
	case len(files) > 1:
		slices.Sort(files)
		return nil, exit.BadInput("%s is one of several files: %s", human.Printable(name), human.Printable(human.First(files, maxNear)))
	}
	e := &Explained{}
	for i := range r.Lines {
		if l := &r.Lines[i]; l.File == files[0] && l.Line == line {
			e.Line = l
		}
	}
	for _, t := range r.Targets {
		if t.File == files[0] && t.Line == line {
			e.Targets = append(e.Targets, t)
		}
	}
	if e.Line == nil && len(e.Targets) == 0 {
		return nil, exit.BadInput("%s:%d is not a changed line of the run; near it are %s", human.Printable(files[0]), line, r.linesNear(files[0], line))
	}
	return e, nil
}

// changedFiles lists the files with changed lines.
func (r *Report) changedFiles() []string {
	var files []string
	for i := range r.Lines {
		if f := human.Printable(r.Lines[i].File); f != "" && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	for i := range r.Targets {
		if f := human.Printable(r.Targets[i].File); f != "" && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files
}

// maxNear bounds what an error names. Arbitrary.
const maxNear = 5

// linesNear names the changed lines of a file that are nearest to a number.
func (r *Report) linesNear(file string, line int) string {
	var lines []int
	add := func(f string, n int) {
		if f == file && n > 0 && !slices.Contains(lines, n) {
			lines = append(lines, n)
		}
	}
	for i := range r.Lines {
		add(r.Lines[i].File, r.Lines[i].Line)
	}
	for i := range r.Targets {
		add(r.Targets[i].File, r.Targets[i].Line)
	}
	gap := func(n int) int { return max(n-line, line-n) }
	slices.SortFunc(lines, func(a, b int) int {
		if d := gap(a) - gap(b); d != 0 {
			return d
		}
		return a - b
	})
	lines = lines[:min(len(lines), maxNear)]
	slices.Sort(lines)
	var texts []string
	for _, n := range lines {
		texts = append(texts, strconv.Itoa(n))
	}
	return strings.Join(texts, ", ")
}

// explainPC finds a place in bytecode.
func (r *Report) explainPC(contract string, pc uint32) (*Explained, error) {
	var near []string
	for _, t := range r.Targets {
		short := t.Contract[strings.LastIndexByte(t.Contract, ':')+1:]
		if t.Contract != contract && short != contract {
			continue
		}
		if t.PC == pc && t.PC != 0 {
			return &Explained{Targets: []Target{t}}, nil
		}
		if t.PC != 0 {
			near = append(near, fmt.Sprintf("0x%x", t.PC))
		}
	}
	return nil, exit.BadInput("%s:0x%x is not a target of the run; it has %s there", human.Printable(contract), pc, human.List(near, "no places in the bytecode"))
}

// Text is what is known of the line, for people. out is the run's output folder.
func (e *Explained) Text(out string) string {
	var x explanation
	status, reason := "", ""
	if l := e.Line; l != nil {
		status, reason = l.Status, l.Reason
		x.line("%s:%d  %s", human.Clean(l.File, maxPath), l.Line, human.Clean(l.Status, maxName))
		if text := human.Clean(l.Text, maxCall); text != "" {
			x.line("  %s", text)
		}
		if said := (&locationRow{Line: *l}).saidOfTests(); said != "" {
			x.line("  %s", said)
		}
	}
	for i := range e.Targets {
		t := &e.Targets[i]
		if e.Line == nil || len(e.Targets) > 1 || t.Status != status {
			x.line("%s  %s", human.Clean(t.place(), maxPath), human.Clean(t.Status, maxName))
			status, reason = t.Status, t.Reason
		}
		x.target(t, out)
	}
	if len(e.Targets) == 0 || e.Targets[0].Status != Reached && (e.Targets[0].Barrier == nil || len(e.Targets[0].Barrier.Guards) == 0) {
		x.line("")
		x.line("%s", human.Clean(upper(reason), maxReason))
	}
	return x.String()
}

// place is where a target is.
func (t *Target) place() string {
	if t.PC != 0 {
		return fmt.Sprintf("%s:0x%x", t.Contract, t.PC)
	}
	return fmt.Sprintf("%s:%d in %s", t.File, t.Line, t.Contract)
}

type explanation struct{ strings.Builder }

func (x *explanation) line(format string, args ...any) { fmt.Fprintf(x, format+"\n", args...) }

// target says of a target how it was reached, or why not.
func (x *explanation) target(t *Target, out string) {
	switch {
	case t.Setup != "":
		x.line("\nReached by %s, while the World was made", human.Clean(t.Setup, maxName))
	case t.Status == Reached:
		x.line("\nReached after %s, by", human.Plural(int(t.Executions), "execution"))
		x.steps(t.Sequence)
		if command := replayCommand(out, t.Reproducer); command != "" {
			x.line("\nSee it happen: %s", command)
		}
	case t.Barrier != nil:
		x.barrier(t.Barrier)
	}
}

func (x *explanation) steps(steps []Step) {
	for _, line := range sequenceLines(steps) {
		x.line("  %s", line)
	}
}

// barrier says what is on the way, who came how far, and what would help.
func (x *explanation) barrier(b *Barrier) {
	if len(b.Guards) > 0 {
		x.line("\nOn the way")
	}
	for _, g := range b.Guards {
		state := map[string]string{Passed: "passed", Stops: "STOPS", Beyond: "then"}[g.State]
		x.line("  %-6s  %s:%d  %s", state, human.Clean(g.File, maxPath), g.Line, human.Clean(g.Text, maxCall))
		if g.State == Stops {
			x.turnedAway(b)
		}
	}
	if len(b.Closest) > 0 {
		x.line("\nWhat came closest")
		x.steps(b.Closest)
	}
	if len(b.Wants) > 0 {
		x.line("\nNeeds")
	}
	for i := range b.Wants {
		w := &b.Wants[i]
		proved := ""
		if w.Proved {
			proved = " (proved: no calls can bring it about)"
		}
		x.line("  %s%s", human.Clean(w.Detail, maxReason), proved)
		for _, writer := range w.Writers {
			x.line("    %s", writer.describe())
		}
	}
	if len(b.Try) > 0 {
		x.line("\nTry")
	}
	for i := range b.Try {
		x.remedy(&b.Try[i])
	}
}

// turnedAway says what the condition compared, and how many executions end there.
func (x *explanation) turnedAway(b *Barrier) {
	if said := b.compared(); said != "" {
		x.line("          %s", said)
	}
	share := "all executions that came near end here"
	if b.Executions < b.Of {
		share = fmt.Sprintf("%d of %d executions that came near end here", b.Executions, b.Of)
	}
	if b.Failure != "" {
		share += ": " + human.Clean(b.Failure, maxReason)
	}
	x.line("          %s", share)
}

// compared is "msg.sender is attacker, wanted: == 0x5aAe… (a constant); 3 days short"; clean.
func (b *Barrier) compared() string {
	if b.Left == nil || b.Left.Is == "" && b.Right == nil { // a truth value alone says nothing
		return ""
	}
	text := human.Clean(b.Left.Value, maxName)
	if b.Left.Is != "" {
		text = human.Clean(b.Left.Is, maxName) + " is " + text
	}
	switch {
	case b.Right == nil:
	case b.Right.Is == "":
		text += fmt.Sprintf(", wanted: %s %s", human.Clean(b.Relation, maxName), human.Clean(b.Right.Value, maxName))
	default:
		text += fmt.Sprintf(", wanted: %s %s (%s)", human.Clean(b.Relation, maxName), human.Clean(b.Right.Value, maxName), human.Clean(b.Right.Is, maxName))
	}
	if b.Distance != "" {
		text += "; closest " + human.Clean(b.Distance, maxName)
	}
	return text
}

// describe is "Vault.setGuardian (src/Vault.sol:40) writes it; its calls fail: not the owner"; clean.
func (w *Writer) describe() string {
	text := human.Clean(w.Function, maxName)
	if w.File != "" {
		text += fmt.Sprintf(" (%s:%d)", human.Clean(w.File, maxPath), w.Line)
	}
	text += " writes it"
	switch {
	case w.Succeeded:
		return text + ", and did in the campaign"
	case w.Fails != "":
		return text + "; its calls fail: " + human.Clean(w.Fails, maxReason)
	}
	return text
}

func (x *explanation) remedy(r *Remedy) {
	text := human.Clean(r.Text, maxReason)
	if r.Tried {
		text += " (tried: what came closest gets past it then)"
	}
	switch {
	case r.YAML != "":
		x.line("  %s; in sightline.yml:\n    %s", text, human.Clean(r.YAML, maxYAML))
	case r.Flag != "":
		x.line("  %s: sightline run %s", text, human.Clean(r.Flag, maxName))
	default:
		x.line("  %s", text)
	}
}

// maxYAML bounds a line for sightline.yml, which is of no use if it is cut. Arbitrary.
const maxYAML = 2_000

// shortTry is what would help, on one line and not clean: lines for sightline.yml and flags are
// code. Empty: nothing is known.
func (b *Barrier) shortTry() (text string, isCode bool) {
	if b == nil || len(b.Try) == 0 {
		return "", false
	}
	switch r := &b.Try[0]; {
	case r.YAML != "":
		return r.YAML, true
	case r.Flag != "":
		return r.Flag, true
	default:
		return r.Text, false
	}
}
