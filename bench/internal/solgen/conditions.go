package solgen

import "fmt"

// comparisons are the operators, as often as they should occur.
var comparisons = []string{"<", "<=", ">", ">=", "==", "==", "!="}

// condition is of type bool.
func (g *generator) condition(s *scope, depth int) string {
	if depth > 0 && g.one(3) {
		if g.one(6) {
			return "!(" + g.condition(s, depth-1) + ")"
		}
		return fmt.Sprintf("(%s %s %s)", g.condition(s, depth-1), pick(g, []string{"&&", "&&", "||"}), g.condition(s, depth-1))
	}
	t := g.typ()
	if len(s.vars) > 0 && !g.one(6) {
		t = pick(g, s.vars).typ // there is something of it
	}
	a, b := g.atom(s, t), g.atom(s, t)
	switch g.IntN(12) {
	case 0, 1: // an interval, which may be empty
		return fmt.Sprintf("(%s %s %s && %s %s %s)", a, pick(g, []string{"<", "<="}), g.literal(t), a, pick(g, []string{">", ">="}), g.literal(t))
	case 2: // two relations between two values, which may be mutually exclusive
		return fmt.Sprintf("(%s %s %s && %s %s %s)", a, pick(g, comparisons), b, b, pick(g, comparisons), a)
	case 3: // a value and itself
		return fmt.Sprintf("(%s %s %s)", a, pick(g, comparisons), a)
	case 4: // a value and itself, moved
		return fmt.Sprintf("(%s %s %s %s %s)", a, pick(g, comparisons), a, pick(g, []string{"+", "-"}), g.literal(t))
	case 5: // what an operation leaves, out of its range or not
		return fmt.Sprintf("(%s %s %s)", g.bounded(a, t), pick(g, comparisons), g.literal(t))
	case 6:
		return fmt.Sprintf("(%s %s type(%s).%s)", a, pick(g, comparisons), t, pick(g, []string{"max", "min"}))
	case 7: // there and back
		n := g.typ()
		return fmt.Sprintf("(%s %s %s)", cast(cast(a, t, n), n, t), pick(g, comparisons), a)
	case 8:
		if s.state {
			return g.environment()
		}
	case 9:
		if s.state {
			return fmt.Sprintf("(%s %s %s)", pick(g, []string{"flag", "pair.h", "seen[msg.sender]", "flags[uint256(" + cast(a, t, word) + ") % 4]"}), pick(g, []string{"==", "!="}), pick(g, []string{"true", "false", "flag"}))
		}
	}
	return fmt.Sprintf("(%s %s %s)", g.expression(s, t, 1), pick(g, comparisons), g.expression(s, t, 1))
}

// bounded is an expression whose values have bounds that follow from its form.
func (g *generator) bounded(a string, t intType) string {
	c := g.literal(t)
	switch g.IntN(4) {
	case 0:
		return fmt.Sprintf("%s %% %s(%d)", a, t, 1+g.IntN(9))
	case 1:
		return fmt.Sprintf("(%s & %s)", a, c)
	case 2:
		return fmt.Sprintf("(%s >> %d)", a, max(t.bits-g.IntN(8), 0))
	}
	return fmt.Sprintf("(%s / %s(%d))", a, t, 1+g.IntN(100))
}

// environment asks for what a call is made with.
func (g *generator) environment() string {
	return pick(g, []string{
		"(msg.data.length < 4)", "(msg.data.length == 36)", "(msg.data.length > 68)", "(L.paid() > 0)", "(msg.sender == owner)",
		"(msg.sender == address(0))", "(msg.sender == address(this))", "(msg.sender == tx.origin)", "(address(this).balance > 1 ether)",
		"(block.timestamp > 1)", "(block.chainid == 0)", "(list.length > 2)", "(address(other) == address(0))",
		"(address(other).code.length == 0)", "(keccak256(abi.encode(msg.sender)) == bytes32(0))", "(block.number == 0)",
	})
}

// sized is a condition on sizes of code or on gas, which differ between builds.
func (g *generator) sized() string {
	n := 100 << g.IntN(9)
	n += g.IntN(n)
	return fmt.Sprintf("%s %s %d", pick(g, []string{
		"address(this).code.length", "address(other).code.length", "type(Other).creationCode.length", "type(Other).runtimeCode.length",
	}), pick(g, []string{">", "<="}), n)
}
