package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// mutant is a file with one mistake: the bytes from offset on that are replaced.
type mutant struct {
	file         string // from the repository's root
	original     []byte
	offset, size int
	with         string
	line         int
}

// text is the file with the mistake.
func (m *mutant) text() []byte {
	return bytes.Join([][]byte{m.original[:m.offset], []byte(m.with), m.original[m.offset+m.size:]}, nil)
}

func (m mutant) String() string {
	old := string(m.original[m.offset : m.offset+m.size])
	return fmt.Sprintf("%s:%d: %s → %s", m.file, m.line, short(old), short(m.with))
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
}

func (c *collector) add(from, to token.Pos, with string) {
	start, end := c.set.Position(from), c.set.Position(to)
	c.mutants = append(c.mutants, mutant{file: c.file, original: c.text, offset: start.Offset, size: end.Offset - start.Offset, with: with, line: start.Line})
}

func (c *collector) operator(at token.Pos, op token.Token) {
	for _, other := range operators[op] {
		c.add(at, at+token.Pos(len(op.String())), other.String())
	}
}

// visit makes the mistakes of one node.
func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		c.operator(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		c.operator(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		c.operator(n.TokPos, n.Tok)
		if n.Tok == token.ASSIGN {
			c.drop(n)
		}
	case *ast.ExprStmt:
		c.drop(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			c.add(n.OpPos, n.OpPos+1, "")
		}
	case *ast.IfStmt:
		// A condition that is an operator has its own mistakes.
		if _, ok := n.Cond.(*ast.BinaryExpr); !ok {
			c.add(n.Cond.Pos(), n.Cond.End(), "!("+c.source(n.Cond)+")")
		}
	case *ast.BranchStmt:
		if n.Label == nil && n.Tok == token.BREAK {
			c.add(n.Pos(), n.End(), "continue")
		}
		if n.Label == nil && n.Tok == token.CONTINUE {
			c.add(n.Pos(), n.End(), "break")
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			c.add(n.Pos(), n.End(), "false")
		case "false":
			c.add(n.Pos(), n.End(), "true")
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
				c.add(n.Pos(), n.End(), strconv.FormatInt(v+1, 10))
			}
		}
	case *ast.CallExpr:
		// What panics say, and what is logged, is for people.
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "panic" {
			return false
		}
	}
	return true
}

// drop leaves a statement out. Where that leaves something unused, the file does not compile, and the mistake does not count.
func (c *collector) drop(n ast.Stmt) { c.add(n.Pos(), n.End(), "") }

func (c *collector) source(n ast.Node) string {
	return string(c.text[c.set.Position(n.Pos()).Offset:c.set.Position(n.End()).Offset])
}
