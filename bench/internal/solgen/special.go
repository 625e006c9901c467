package solgen

import "fmt"

// special is a statement whose meaning depends on the build: on the order of evaluation, which
// the two code generators choose differently, on sizes of code, or on gas.
func (g *generator) special(s *scope) *Node {
	t := g.typ()
	vars := s.of(t, true)
	switch n := g.IntN(8); {
	case n < 4 && len(vars) > 0 && s.locals < maxLocals:
		a, b := pick(g, vars).name, pick(g, vars).name
		e := pick(g, []string{
			fmt.Sprintf("++%s + %s", a, a), fmt.Sprintf("%s + %s++", a, a), fmt.Sprintf("%s++ + ++%s", a, a),
			fmt.Sprintf("%s + (%s = %s)", a, a, g.atom(s, t)), fmt.Sprintf("(%s = %s) - %s", a, g.atom(s, t), a), fmt.Sprintf("%s-- - %s", a, b),
		})
		r := g.name("v")
		s.declare(r, t, false)
		return g.statement("%s %s = %s;", t, r, e)
	case n == 4 && len(vars) > 1:
		a, b := pick(g, vars).name, pick(g, vars).name
		return g.statement("(%s, %s) = (%s, %s);", a, b, g.expression(s, t, 1), a)
	case n == 5 && s.state && len(vars) > 0:
		element, key := stateTypes(g)
		v := pick(g, vars).name
		return g.statement("map[%s] = %s;", cast(v+"++", t, key), cast(v, t, element))
	case n == 6 && s.state && s.depth < maxDepth:
		return &Node{Parts: []Part{{Head: fmt.Sprintf("if (gasleft() %s %d) {", pick(g, []string{">", "<"}), 1<<(10+g.IntN(15))), Mark: g.mark(), Body: g.body(s)}}, Foot: "}"}
	case s.state && s.depth < maxDepth:
		return &Node{Parts: []Part{{Head: fmt.Sprintf("if (%s) {", g.sized()), Mark: g.mark(), Body: g.body(s)}}, Foot: "}"}
	}
	return g.assignment(s)
}
