package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// mutant is a file with one mistake: the bytes from offset on that are replaced.
type mutant struct {
	file         string // from the repository's root
	original     []byte
	offset, size int
	with         string
	line, column int // as compilers count them: bytes, from 1 on
	// edits are the same mistake behind a switch of the given number, see switch.go. Nil for what cannot
	// have one: that is compiled on its own.
	edits func(id int) []edit
}

// text is the file with the mistake.
func (m *mutant) text() []byte {
	return bytes.Join([][]byte{m.original[:m.offset], []byte(m.with), m.original[m.offset+m.size:]}, nil)
}

func (m mutant) String() string {
	old := string(m.original[m.offset : m.offset+m.size])
	return fmt.Sprintf("%s:%d:%d: %s → %s", m.file, m.line, m.column, short(old), short(m.with))
}

// short is a text on one line.
func short(text string) string {
	const most = 60 // arbitrary: a line of a terminal holds two
	text = string(bytes.Join(bytes.Fields([]byte(text)), []byte(" ")))
	if text == "" {
		return "nothing"
	}
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// operators are what an operator is mistaken for. Each changes what the expression is, or where its bound is.
var operators = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.AND}, token.AND_NOT: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.OR_ASSIGN: {token.AND_ASSIGN}, token.AND_ASSIGN: {token.OR_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// collector makes the mistakes of one file, in the order of its text.
type collector struct {
	set     *token.FileSet
	file    string
	text    []byte
	mutants []mutant
	around  []ast.Node // the nodes that hold the one that is visited, itself last
}

// add plants a mistake: with in place of the text between two places. edits put it behind a switch.
func (c *collector) add(from, to token.Pos, with string, edits func(id int) []edit) {
	start, end := c.set.Position(from), c.set.Position(to)
	c.mutants = append(c.mutants, mutant{file: c.file, original: c.text, offset: start.Offset, size: end.Offset - start.Offset, with: with, line: start.Line, column: start.Column, edits: edits})
}

// visit makes the mistakes of one node.
func (c *collector) visit(n ast.Node) bool {
	if n == nil {
		c.around = c.around[:len(c.around)-1]
		return true
	}
	if f, ok := n.(*ast.CallExpr); ok && isCall(f, "panic") {
		return false // what it says is for people
	}
	c.around = append(c.around, n)
	switch n := n.(type) {
	case *ast.BinaryExpr:
		c.binary(n)
	case *ast.IncDecStmt:
		for _, other := range operators[n.Tok] {
			c.add(n.TokPos, n.TokPos+2, other.String(), c.instead(n, c.source(n.X)+other.String()))
		}
	case *ast.AssignStmt:
		for _, other := range operators[n.Tok] {
			if n.Tok != token.ADD_ASSIGN || !isText(n.Rhs[0]) {
				c.add(n.TokPos, n.TokPos+2, other.String(), c.instead(n, c.source(n.Lhs[0])+other.String()+c.source(n.Rhs[0])))
			}
		}
		if n.Tok == token.ASSIGN && !isBlank(n.Lhs) {
			c.add(n.Pos(), n.End(), "", c.instead(n, ""))
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); !ok || !isCall(call, "panic") {
			c.add(n.Pos(), n.End(), "", c.instead(n, ""))
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			c.add(n.OpPos, n.OpPos+1, "", c.wrap(n, "((!", ") != mutateIs(\x00))", 1))
		}
	case *ast.IfStmt:
		// A condition that is an operator has its own mistakes.
		switch cond := n.Cond.(type) {
		case *ast.BinaryExpr:
		case *ast.UnaryExpr:
			if cond.Op != token.NOT {
				c.negate(cond)
			}
		default:
			c.negate(cond)
		}
	case *ast.BranchStmt:
		c.branch(n)
	case *ast.Ident:
		switch n.Name {
		case "true":
			c.add(n.Pos(), n.End(), "false", c.wrap(n, "!mutateIs(\x00)", "", 4))
		case "false":
			c.add(n.Pos(), n.End(), "true", c.wrap(n, "mutateIs(\x00)", "", 5))
		}
	case *ast.BasicLit:
		c.number(n)
	}
	return true
}

func (c *collector) negate(cond ast.Expr) {
	c.add(cond.Pos(), cond.End(), "!("+c.source(cond)+")", c.wrap(cond, "((", ") != mutateIs(\x00))", 0))
}

// binary mistakes an operator between two operands.
func (c *collector) binary(n *ast.BinaryExpr) {
	if n.Op == token.ADD && (isText(n.X) || isText(n.Y)) {
		return // there is no other operator of texts
	}
	for _, other := range operators[n.Op] {
		edits := c.either(n, c.source(n.X), other.String(), c.source(n.Y))
		if name := arithmetic[n.Op]; name != "" {
			edits = func(id int) []edit {
				return []edit{
					c.before(n.Pos(), fmt.Sprintf("%s(%d, ", name, id)),
					c.replace(n.OpPos, len(n.Op.String()), ","),
					c.after(n.End(), ")"),
				}
			}
		}
		c.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other.String(), edits)
	}
	if !isComparison(n.Op) {
		return
	}
	x, y := c.source(n.X), c.source(n.Y)
	if next, ok := following(n.X); ok {
		c.add(n.X.Pos(), n.X.End(), next, c.either(n, next, n.Op.String(), y))
	}
	if next, ok := following(n.Y); ok {
		c.add(n.Y.Pos(), n.Y.End(), next, c.either(n, x, n.Op.String(), next))
	}
}

// either puts another comparison, or another && or ||, of the same operands behind a switch.
func (c *collector) either(n *ast.BinaryExpr, x, op, y string) func(id int) []edit {
	return c.wrap(n, "(mutateIs(\x00) && (("+x+") "+op+" ("+y+")) || !mutateIs(\x00) && (", "))", 0)
}

// number mistakes a number for the next one. Those of comparisons are made with them. Left out is what a test could not
// see: how much is reserved, and numbers that mean the same.
func (c *collector) number(n *ast.BasicLit) {
	next, ok := following(n)
	if !ok {
		return
	}
	switch around := c.around[len(c.around)-2].(type) {
	case *ast.BinaryExpr:
		if isComparison(around.Op) {
			return
		}
	case *ast.CallExpr:
		last := len(around.Args) - 1
		if isCall(around, "Grow") || isCall(around, "make") && around.Args[last] == n && (last == 2 || isMap(around.Args[0])) {
			return
		}
		if (isCall(around, "ParseFloat") || isCall(around, "FormatFloat")) && around.Args[last] == n {
			return // a size of other than 32 bits is one of 64
		}
	case *ast.UnaryExpr:
		// f(…, -1) asks for all; any other negative number does, too.
		if call, ok := c.around[len(c.around)-3].(*ast.CallExpr); ok && around.Op == token.SUB && call.Args[len(call.Args)-1] == around {
			return
		}
	}
	c.add(n.Pos(), n.End(), next, c.wrap(n, "mutateInt(\x00, ", ")", 0))
}

// following is the integer after the one that an expression is.
func following(n ast.Expr) (next string, ok bool) {
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.INT {
		return "", false
	}
	v, err := strconv.ParseInt(literal.Value, 0, 64)
	return strconv.FormatInt(v+1, 10), err == nil
}

// branch mistakes break and continue for each other, inside of a loop.
func (c *collector) branch(n *ast.BranchStmt) {
	other := map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[n.Tok]
	if other == "" || n.Label != nil {
		return
	}
	inLoop, endless := false, false
	for i := len(c.around) - 1; i >= 0 && !inLoop; i-- {
		switch around := c.around[i].(type) {
		case *ast.ForStmt:
			inLoop, endless = true, around.Cond == nil
		case *ast.RangeStmt:
			inLoop = true
		case *ast.FuncLit:
			return
		}
	}
	if !inLoop {
		return
	}
	edits := c.wrap(n, "if mutateIs(\x00) { "+other+" }; ", "", 0)
	if endless && n.Tok == token.CONTINUE {
		edits = nil // with a break in it, the function needs a return behind it
	}
	c.add(n.Pos(), n.End(), other, edits)
}

// instead puts another statement behind a switch; nil where the language has no room for one.
func (c *collector) instead(n ast.Stmt, other string) func(id int) []edit {
	switch around := c.around[len(c.around)-2].(type) {
	case *ast.BlockStmt, *ast.LabeledStmt:
	case *ast.CaseClause:
	case *ast.CommClause:
		if around.Comm == n {
			return nil
		}
	default:
		return nil
	}
	return c.wrap(n, "if mutateIs(\x00) { "+other+" } else { ", " }", 0)
}

// wrap puts texts around a node, in which zero bytes stand for the number of the switch, and leaves out the node's first
// bytes.
func (c *collector) wrap(n ast.Node, before, after string, leaveOut int) func(id int) []edit {
	return func(id int) []edit {
		number := strconv.Itoa(id)
		edits := []edit{c.before(n.Pos(), strings.ReplaceAll(before, "\x00", number))}
		if leaveOut > 0 {
			edits = append(edits, c.replace(n.Pos(), leaveOut, ""))
		}
		return append(edits, c.after(n.End(), strings.ReplaceAll(after, "\x00", number)))
	}
}

func (c *collector) before(at token.Pos, text string) edit {
	return edit{offset: c.set.Position(at).Offset, text: text, kind: opens}
}

func (c *collector) after(at token.Pos, text string) edit {
	return edit{offset: c.set.Position(at).Offset, text: text, kind: closes}
}

func (c *collector) replace(at token.Pos, size int, text string) edit {
	return edit{offset: c.set.Position(at).Offset, size: size, text: text, kind: replaces}
}

func (c *collector) source(n ast.Node) string {
	return string(c.text[c.set.Position(n.Pos()).Offset:c.set.Position(n.End()).Offset])
}

func isCall(call *ast.CallExpr, name string) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == name
	case *ast.SelectorExpr:
		return f.Sel.Name == name
	}
	return false
}

func isMap(n ast.Expr) bool {
	_, ok := n.(*ast.MapType)
	return ok
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// isBlank reports whether all that is assigned to is _: such a statement does nothing, or is there for a call that is
// tested elsewhere.
func isBlank(list []ast.Expr) bool {
	for _, n := range list {
		if name, ok := n.(*ast.Ident); !ok || name.Name != "_" {
			return false
		}
	}
	return true
}

// isText reports whether an expression is seen to be a text.
func isText(n ast.Expr) bool {
	switch n := n.(type) {
	case *ast.BasicLit:
		return n.Kind == token.STRING
	case *ast.BinaryExpr:
		return n.Op == token.ADD && (isText(n.X) || isText(n.Y))
	case *ast.ParenExpr:
		return isText(n.X)
	case *ast.CallExpr:
		return isCall(n, "string") || isCall(n, "Sprintf") || isCall(n, "Sprint") || isCall(n, "String") || isCall(n, "Plural")
	}
	return false
}
