package replay

import (
	"fmt"
	"io"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/human"
)

// Colors of a tree on a terminal (ECMA-48, SGR): changed lines stand out, failures are
// red, details are dim.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// treePrinter prints trees, at two levels of detail. In full, everything stands in the
// order in which it happened. In brief, a frame is its source lines in one row, then its
// writes, events and calls, whose arguments are left out, and how it ended if it failed.
type treePrinter struct {
	out    io.Writer
	colors bool
	full   bool
}

// trees prints the calls of a sequence.
func (p *treePrinter) trees(l *loaded, trees []*callFrame) {
	for i, tree := range trees {
		advance := ""
		if _, after, ok := strings.Cut(l.space.ExpressionAlone(&l.sequence[i]), ") ["); ok {
			advance = "[" + after
		}
		p.tree(i+1, tree, advance, l.space.DescribeScript(l.sequence[i].Script))
	}
}

// paint colors a text that may be a stranger's.
func (p *treePrinter) paint(color, text string) string {
	text = human.Printable(text)
	if !p.colors || text == "" {
		return text
	}
	return color + text + plain
}

// tree prints a call of the sequence, and below it what happens; advance is the time that
// passes before it, and answers are what the attacker's contract does meanwhile.
func (p *treePrinter) tree(number int, f *callFrame, advance string, answers []string) {
	head := p.head(f, joinArgs(f.Args))
	if advance != "" {
		head += " " + p.paint(dim, advance)
	}
	fmt.Fprintf(p.out, "%d %s %s\n", number, human.Printable(f.From), head)
	for _, answer := range answers {
		fmt.Fprintln(p.out, "  │  "+p.paint(yellow, answer))
	}
	p.body(f, "  ")
}

// head is a call on one line.
func (p *treePrinter) head(f *callFrame, args string) string {
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
	b.WriteString("(" + human.Printable(args) + ")")
	if p.full {
		b.WriteString("  " + p.paint(dim, fmt.Sprintf("[%d gas]", f.Gas)))
	}
	return b.String()
}

// arguments are those of a call or an event inside the tree.
func (p *treePrinter) arguments(args []argument) string {
	if p.full || len(args) == 0 {
		return joinArgs(args)
	}
	return "…"
}

func joinArgs(args []argument) string {
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

// item is a line below a frame.
type item struct {
	text string
	row  bool       // of source lines between events
	call *callFrame // whose items follow
}

// body prints the items of a frame.
func (p *treePrinter) body(f *callFrame, indent string) {
	items := p.items(f)
	for i := range items {
		branch, below := "├─ ", "│  "
		switch {
		case items[i].row:
			branch = "│  "
		case i == len(items)-1:
			branch, below = "└─ ", "   "
		}
		fmt.Fprintln(p.out, indent+branch+items[i].text)
		if items[i].call != nil {
			p.body(items[i].call, indent+below)
		}
	}
}

// items are what happens in a frame, and how it ends.
func (p *treePrinter) items(f *callFrame) []item {
	var items []item
	add := func(text string) { items = append(items, item{text: text}) }
	if row := p.onlyLines(f.Events); !p.full && row != "" {
		add(row)
	}
	for i := 0; i < len(f.Events); i++ {
		e := &f.Events[i]
		switch {
		case e.Line != nil && p.full:
			rows, n := p.rows(f.Events[i:])
			items = append(items, rows...)
			i += n - 1
		case e.Line != nil:
		case e.Store != nil:
			add(fmt.Sprintf("%s: %s → %s", p.paint(bold, e.Store.Variable), human.Printable(e.Store.Before), p.paint(green, e.Store.After)))
		case e.Log != nil:
			add(fmt.Sprintf("emit %s(%s)", p.paint(bold, e.Log.Name), human.Printable(p.arguments(e.Log.Args))))
		case e.Said != nil:
			add("console.log: " + p.paint(green, *e.Said))
		case e.Call != nil:
			items = append(items, item{text: p.head(e.Call, p.arguments(e.Call.Args)), call: e.Call})
		default:
			add("… " + human.Printable(e.Left))
		}
	}
	if p.full || f.Outcome != evm.Success.String() || f.Answers && len(f.Returns) > 0 {
		add(p.end(f))
	}
	return items
}

// end is how a frame ended.
func (p *treePrinter) end(f *callFrame) string {
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

// maxBriefLines bounds the source lines of a frame in brief: about one row of a terminal.
const maxBriefLines = 24

// onlyLines is all source lines of a frame in one row: numbers, with a star at changed
// lines.
func (p *treePrinter) onlyLines(events []event) string {
	var row []string
	file, n := "", 0
	for i := range events {
		l := events[i].Line
		if l == nil {
			continue
		}
		if n++; n > maxBriefLines {
			row = append(row, "…")
			break
		}
		if l.File != file {
			file = l.File
			row = append(row, p.paint(dim, l.File+":"))
		}
		if l.Changed {
			row = append(row, p.paint(bold+yellow, fmt.Sprint(l.Line)+"*"))
		} else {
			row = append(row, p.paint(dim, fmt.Sprint(l.Line)))
		}
	}
	return strings.Join(row, " ")
}

// lineWidth is where a row of line numbers is broken: a terminal of 80 columns with some
// indentation.
const lineWidth = 60

// rows are the source lines that events begin with, of which it returns the number: rows of
// numbers, and a row for each changed line, with a star and its text.
func (p *treePrinter) rows(events []event) (rows []item, n int) {
	var row []string
	file, width := "", 0
	flush := func() {
		if len(row) > 0 {
			rows = append(rows, item{text: strings.Join(row, " "), row: true})
		}
		row, width = nil, 0
	}
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
	return rows, n
}
