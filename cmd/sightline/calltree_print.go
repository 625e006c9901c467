package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
)

// Colors of a tree on a terminal (ECMA-48, SGR): changed lines stand out, what
// fails is red, what is only there to be looked up is dim.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// printTrees prints what the calls of a sequence do.
func (p *program) printTrees(r *replayed, trees []*tracedFrame) {
	printer := &treePrinter{p.stdout, progress.NewLog(p.stdout, p.now).Color()}
	for i, tree := range trees {
		advance := ""
		if _, after, ok := strings.Cut(r.space.Expression(&r.sequence[i]), ") ["); ok {
			advance = "[" + after
		}
		printer.tree(i+1, tree, advance)
	}
}

// treePrinter prints trees.
type treePrinter struct {
	out    io.Writer
	colors bool
}

// paint colors a text that others may have written.
func (p *treePrinter) paint(color, text string) string {
	text = human.Printable(text)
	if !p.colors || text == "" {
		return text
	}
	return color + text + plain
}

// tree prints a call of the sequence: what is called, and below it what happens, in
// order.
func (p *treePrinter) tree(number int, f *tracedFrame, advance string) {
	head := p.head(f)
	if advance != "" {
		head += " " + p.paint(dim, advance)
	}
	fmt.Fprintf(p.out, "%d %s %s\n", number, human.Printable(f.From), head)
	p.body(f, "  ")
}

// head is a call on one line.
func (p *treePrinter) head(f *tracedFrame) string {
	var b strings.Builder
	if f.Kind != "call" {
		b.WriteString(p.paint(yellow, f.Kind) + " ")
	}
	switch {
	case strings.HasPrefix(f.Function, "new"):
		b.WriteString(p.paint(bold, f.Function) + human.Printable(" at "+f.To))
	case f.Function != "":
		b.WriteString(human.Printable(f.To+".") + p.paint(bold, f.Function))
	case len(f.Input) > len("0x"):
		b.WriteString(human.Printable(f.To + "." + f.Input))
	default:
		b.WriteString(human.Printable(f.To) + ".call")
	}
	if f.Value != "" {
		b.WriteString(p.paint(yellow, "{value: "+f.Value+"}"))
	}
	b.WriteString("(" + human.Printable(joinArgs(f.Args)) + ")")
	return b.String() + "  " + p.paint(dim, fmt.Sprintf("[%d gas]", f.Gas))
}

func joinArgs(args []tracedArg) string {
	var texts []string
	for _, a := range args {
		if a.Name != "" {
			texts = append(texts, a.Name+": "+a.Value)
		} else {
			texts = append(texts, a.Value)
		}
	}
	return strings.Join(texts, ", ")
}

// body prints what happens in a frame, and how it ends.
func (p *treePrinter) body(f *tracedFrame, indent string) {
	for i := 0; i < len(f.Events); i++ {
		e := &f.Events[i]
		branch := indent + "├─ "
		switch {
		case e.Line != nil:
			n := p.lines(f.Events[i:], indent)
			i += n - 1
		case e.Store != nil:
			fmt.Fprintf(p.out, "%s%s: %s → %s\n", branch, p.paint(bold, e.Store.Variable), human.Printable(e.Store.Before), p.paint(green, e.Store.After))
		case e.Log != nil:
			fmt.Fprintf(p.out, "%semit %s(%s)\n", branch, p.paint(bold, e.Log.Name), human.Printable(joinArgs(e.Log.Args)))
		case e.Said != nil:
			fmt.Fprintf(p.out, "%sconsole.log: %s\n", branch, p.paint(green, *e.Said))
		case e.Call != nil:
			fmt.Fprintf(p.out, "%s%s\n", branch, p.head(e.Call))
			p.body(e.Call, indent+"│  ")
		default:
			fmt.Fprintf(p.out, "%s… %s\n", branch, human.Printable(e.Left))
		}
	}
	fmt.Fprintf(p.out, "%s└─ %s\n", indent, p.end(f))
}

// end is how a frame ended.
func (p *treePrinter) end(f *tracedFrame) string {
	if f.Outcome == evm.Success.String() {
		if len(f.Returns) == 0 {
			return p.paint(dim, "← stops")
		}
		return "← returns " + human.Printable(strings.Join(f.Returns, ", "))
	}
	if f.Reason != "" {
		return p.paint(red, "← reverts: "+f.Reason)
	}
	return p.paint(red, "← "+f.Outcome)
}

// lineWidth is where a row of line numbers is broken: a terminal of 80 columns with
// some indentation.
const lineWidth = 60

// lines prints the source lines that events begin with, and returns how many there
// were: rows of numbers, and changed lines with a star and their text, each in a row
// of its own.
func (p *treePrinter) lines(events []traced, indent string) int {
	var row []string
	file, width := "", 0
	flush := func() {
		if len(row) > 0 {
			fmt.Fprintf(p.out, "%s│  %s\n", indent, strings.Join(row, " "))
		}
		row, width = nil, 0
	}
	n := 0
	for ; n < len(events) && events[n].Line != nil; n++ {
		l := events[n].Line
		number := fmt.Sprint(l.Line)
		if l.File != file || width > lineWidth || l.Changed {
			flush()
			file, width = l.File, len(l.File)
			row = append(row, p.paint(dim, l.File+":"))
		}
		if !l.Changed {
			width += len(number) + 1
			row = append(row, p.paint(dim, number))
			continue
		}
		row = append(row, p.paint(bold+yellow, number+"*"))
		if l.Text != "" {
			row = append(row, " "+p.paint(yellow, l.Text))
		}
		flush()
		file = ""
	}
	flush()
	return n
}
