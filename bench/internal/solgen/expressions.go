package solgen

import (
	"fmt"
	"math/big"
	"strings"
)

// literal is a constant of a type, mostly a small one that the program uses elsewhere.
func (g *generator) literal(t intType) string {
	v := big.NewInt(pick(g, g.consts))
	most := new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
	if t.signed {
		most.Rsh(most, 1)
	}
	switch {
	case t.signed && g.one(3):
		v.Neg(v)
	case g.one(8):
		v.Sub(most, big.NewInt(1+int64(g.IntN(2))))
	}
	return fmt.Sprintf("%s(%d)", t, v)
}

// cast converts an expression.
func cast(e string, from, to intType) string {
	switch {
	case from == to:
		return e
	case from.signed == to.signed || from.bits == to.bits:
		return fmt.Sprintf("%s(%s)", to, e)
	}
	return fmt.Sprintf("%s(%s(%s))", to, intType{to.signed, from.bits}, e)
}

// expression is of a type.
func (g *generator) expression(s *scope, t intType, depth int) string {
	if depth == 0 || g.one(3) {
		return g.atom(s, t)
	}
	sub := func() string { return g.expression(s, t, depth-1) }
	switch n := g.IntN(12); {
	case n < 4:
		return fmt.Sprintf("(%s %s %s)", sub(), pick(g, []string{"+", "-", "+", "-", "*"}), sub())
	case n == 4:
		return fmt.Sprintf("(%s %s %s(%d))", sub(), pick(g, []string{"/", "%"}), t, 1+g.IntN(7))
	case n == 5:
		return fmt.Sprintf("(%s %s %s)", sub(), pick(g, []string{"&", "|", "^"}), sub())
	case n == 6:
		return fmt.Sprintf("(%s %s %d)", sub(), pick(g, []string{"<<", ">>"}), g.IntN(t.bits+2))
	case n == 7 && !s.pure:
		return fmt.Sprintf("(%s %s %s)", sub(), pick(g, []string{"/", "%"}), sub())
	case n == 8:
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(s, 1), sub(), sub())
	case n == 9 && len(s.calls) > 0:
		f := pick(g, s.calls)
		return cast(g.call(s, f, depth-1), f.result, t)
	case n == 10:
		return "(~" + sub() + ")"
	}
	return g.atom(s, t)
}

// call calls a function.
func (g *generator) call(s *scope, f *function, depth int) string {
	var arguments []string
	for _, p := range f.params {
		arguments = append(arguments, g.expression(s, p, max(depth, 0)))
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(arguments, ", "))
}

// atom is a variable or a constant, rarely something else.
func (g *generator) atom(s *scope, t intType) string {
	if vars := s.of(t, false); len(vars) > 0 && !g.one(4) {
		return pick(g, vars).name
	}
	if len(s.vars) > 0 && g.one(3) {
		v := pick(g, s.vars)
		return cast(v.name, v.typ, t)
	}
	if s.state && g.one(4) {
		return cast(pick(g, []string{
			"uint256(uint160(msg.sender))", "L.paid()", "block.timestamp", "msg.data.length",
			"list.length", "address(this).balance", "uint256(table[msg.sender])",
		}), word, t)
	}
	return g.literal(t)
}

// witnessed is an expression on a line of its own that says first that it is evaluated:
// arguments are evaluated from left to right.
func (g *generator) witnessed(t intType, e string, before, after string) Part {
	m := g.mark()
	g.bits[t] = true
	return Part{Head: fmt.Sprintf("%skv_%s(kw(%d), %s)%s", before, t, m, e, after), Mark: m, Inline: true}
}

// witnessedCondition is likewise a condition.
func (g *generator) witnessedCondition(e string, before, after string) Part {
	m := g.mark()
	return Part{Head: fmt.Sprintf("%skb(kw(%d), %s)%s", before, m, e, after), Mark: m, Inline: true}
}
