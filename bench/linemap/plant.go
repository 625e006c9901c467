package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file plants marks into sources: code that does nothing, and that shows in
// the bytecode as a number that stands nowhere else. That the block with the
// number was entered is what a planted event would say; unlike an event, a mark
// may stand in view and pure functions, in calls that must not change the state,
// between the statements of inline assembly and before an operand, and changes
// neither memory nor return data.
//
// There is a mark before each statement, at the entry of each function (as its
// first modifier), before each modifier of it, at the start of each else and
// catch, and before each right-hand side of && and ||.

// region is what a mark stands for: it is the innermost one of a token that
// counts.
type region struct {
	start, end int
	mark       uint32 // 0: nothing reports whether this ran
}

// planting is a set of sources with marks.
type planting struct {
	sources map[string]string
	regions map[string][]region // by source
	texts   map[string][]byte   // as they were
	marks   uint32
}

// plant puts marks into all sources of a build.
func plant(o *compile.Output) *planting {
	p := &planting{sources: map[string]string{}, regions: map[string][]region{}, texts: map[string][]byte{}}
	for _, s := range o.Sources {
		w := planter{planting: p, text: s.Text}
		for _, t := range solidity.Tokenize(s.Text) {
			if t.Kind != solidity.Comment {
				w.tokens = append(w.tokens, t)
			}
		}
		if s.Path != harnessName {
			s.AST.Walk(w.visit)
		}
		p.sources[s.Path], p.regions[s.Path], p.texts[s.Path] = w.edited(), w.regions, s.Text
	}
	return p
}

// magic begins the number of every mark: 28 bytes, arbitrary, and the mark's own
// number behind it.
var magic = bytes.Repeat([]byte{0xa5, 0x1e, 0xc7, 0x92}, 7)

func number(mark uint32) string { return fmt.Sprintf("0x%x%08x", magic, mark) }

// assembly is a mark as a statement of inline assembly: the number is compared
// with the free memory pointer.
func assembly(mark uint32) string {
	return fmt.Sprintf("if eq(mload(64), %s) { invalid() } ", number(mark))
}

// statement is a mark as a statement.
func statement(mark uint32) string { return "assembly { " + assembly(mark) + "} " }

// planter edits one source.
type planter struct {
	*planting
	text    []byte
	tokens  []solidity.Token // without comments
	regions []region
	edits   []insertion
}

// insertion is text put in at an offset. At the same one, what closes comes
// first, the inner before the outer: nodes are visited from the outside.
type insertion struct {
	at     int
	closes bool
	text   string
}

func (w *planter) open(at int, text string) { w.edits = append(w.edits, insertion{at, false, text}) }
func (w *planter) shut(at int, text string) { w.edits = append(w.edits, insertion{at, true, text}) }

// edited is the source with the insertions.
func (w *planter) edited() string {
	var closing, all []insertion
	for _, e := range w.edits {
		if e.closes {
			closing = append(closing, e)
		}
	}
	slices.Reverse(closing)
	all = closing
	for _, e := range w.edits {
		if !e.closes {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b insertion) int { return a.at - b.at })
	var out strings.Builder
	from := 0
	for _, e := range all {
		out.Write(w.text[from:e.at])
		out.WriteString(e.text)
		from = e.at
	}
	out.Write(w.text[from:])
	return out.String()
}

// mark makes a mark for a range.
func (w *planter) mark(start, end int) uint32 {
	w.marks++
	w.regions = append(w.regions, region{start, end, w.marks})
	return w.marks
}

// unknown says that nothing reports whether a range ran.
func (w *planter) unknown(n *compile.Node) {
	w.regions = append(w.regions, region{n.Start, n.End(), 0})
}

// visit plants what a node asks for; those below it follow.
func (w *planter) visit(n *compile.Node) bool {
	switch n.Type {
	case "FunctionDefinition":
		w.function(n)
	case "ModifierDefinition":
		if body := n.Child("body"); body != nil && body.Length > 0 {
			w.open(body.Start+1, statement(w.mark(n.Start, n.End())))
		}
	case "Block", "UncheckedBlock":
		w.statements(n)
	case "YulBlock":
		for _, child := range n.Children {
			if child.Role == "statements" && child.Type != "YulFunctionDefinition" && child.Type != "YulBlock" {
				w.open(child.Start, assembly(w.mark(child.Start, child.End())))
			}
		}
	case "IfStatement":
		w.body(n.Child("trueBody"), 0)
		if otherwise := n.Child("falseBody"); otherwise != nil {
			w.body(otherwise, n.Child("trueBody").End())
		}
	case "ForStatement", "WhileStatement", "DoWhileStatement":
		w.body(n.Child("body"), 0)
		if step := n.Child("loopExpression"); step != nil {
			w.unknown(step)
		}
	case "TryCatchClause":
		block := n.Child("block")
		w.open(block.Start+1, statement(w.mark(n.Start, n.End())))
	case "BinaryOperation":
		if right := n.Child("rightExpression"); n.Attribute("operator") == "&&" || n.Attribute("operator") == "||" {
			m := number(w.mark(right.Start, right.End()))
			w.open(right.Start, "(("+m+" == "+m+") && (")
			w.shut(right.End(), "))")
		}
	case "Conditional":
		w.unknown(n.Child("trueExpression"))
		w.unknown(n.Child("falseExpression"))
	case "VariableDeclaration":
		if n.Attributes.Get("stateVariable") == true {
			w.unknown(n)
		}
	}
	return true
}

// statements marks those of a block.
func (w *planter) statements(block *compile.Node) {
	for _, child := range block.Children {
		switch {
		case child.Role != "statements":
		case child.Type == "Block" || child.Type == "UncheckedBlock":
			w.open(bytes.IndexByte(w.text[child.Start:], '{')+child.Start+1, statement(w.mark(child.Start, child.End())))
		default:
			w.open(child.Start, statement(w.mark(child.Start, w.end(child))))
		}
	}
}

// body marks a statement that stands where a block may stand. What comes behind
// offset from, such as an else, belongs to it.
func (w *planter) body(n *compile.Node, from int) {
	start := n.Start
	if from > 0 {
		start = from
	}
	if n.Type == "Block" {
		if from > 0 {
			w.open(n.Start+1, statement(w.mark(start, n.End())))
		}
		return
	}
	end := w.end(n)
	w.open(n.Start, "{ "+statement(w.mark(start, end)))
	w.shut(end, " }")
}

// end is the offset behind a statement's semicolon; solc's range of a simple
// statement ends before it.
func (w *planter) end(n *compile.Node) int {
	switch n.Type {
	case "IfStatement":
		last := n.Child("trueBody")
		if otherwise := n.Child("falseBody"); otherwise != nil {
			last = otherwise
		}
		return w.end(last)
	case "ForStatement", "WhileStatement":
		return w.end(n.Child("body"))
	case "Block", "UncheckedBlock", "InlineAssembly", "TryStatement":
		return n.End()
	}
	i, _ := slices.BinarySearchFunc(w.tokens, n.End()-1, func(t solidity.Token, at int) int { return t.Start - at })
	for ; i < len(w.tokens); i++ {
		if t := w.tokens[i]; string(w.text[t.Start:t.End]) == ";" {
			return t.End
		}
	}
	return n.End()
}

// function marks a function's entry and its modifiers.
func (w *planter) function(n *compile.Node) {
	body, parameters := n.Child("body"), n.Child("parameters")
	if body == nil || body.Length == 0 || parameters == nil {
		return
	}
	entry := w.mark(n.Start, n.End())
	constructor := n.Attribute("kind") == "constructor" || n.Attributes.Get("isConstructor") == true
	if constructor || n.Parent.Type == "SourceUnit" { // those cannot have modifiers, or arguments for bases between them
		w.open(body.Start+1, statement(entry))
		for _, child := range n.Children {
			if child.Type == "ModifierInvocation" {
				w.unknown(child)
			}
		}
		return
	}
	w.modifier(n, parameters.End(), entry)
	for _, child := range n.Children {
		if child.Type == "ModifierInvocation" {
			w.modifier(n, child.Start, w.mark(child.Start, child.End()))
		}
	}
}

// modifier puts a modifier in at an offset of a function's header, and defines
// it behind the function.
func (w *planter) modifier(function *compile.Node, at int, mark uint32) {
	w.open(at, fmt.Sprintf(" planted%d ", mark))
	w.shut(function.End(), fmt.Sprintf(" modifier planted%d() { %s_; }", mark, statement(mark)))
}

// places finds the marks in a table's code, and makes each the start of a block.
func places(table *bytecode.Table) map[bytecode.Location]uint32 {
	const push32 = 0x7f // yellow paper, appendix H.2
	found := map[bytecode.Location]uint32{}
	var cuts []bytecode.Location
	for _, c := range table.Contracts() {
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code == nil || len(code.Bytes) == 0 {
				continue
			}
			bytecode.Instructions(code.Bytes, func(pc uint32) bool {
				if rest := code.Bytes[pc+1:]; code.Bytes[pc] == push32 && len(rest) >= common.HashLength && bytes.HasPrefix(rest, magic) {
					l := bytecode.Location{Code: code.ID, PC: pc}
					found[l] = uint32(rest[28])<<24 | uint32(rest[29])<<16 | uint32(rest[30])<<8 | uint32(rest[31])
					cuts = append(cuts, l)
				}
				return true
			})
		}
	}
	table.Cut(cuts)
	return found
}
