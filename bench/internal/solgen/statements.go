package solgen

import (
	"fmt"
	"strings"
)

// maxDepth bounds nested blocks.
const maxDepth = 2

// block is a list of statements.
func (g *generator) block(s *scope, statements int) []*Node {
	var list []*Node
	for range statements {
		list = append(list, g.anyStatement(s))
	}
	return list
}

// body is a block below a statement.
func (g *generator) body(s *scope) []*Node { return g.block(s.inner(), 1+g.IntN(4)/3) }

// anyStatement is one statement, with what it consists of.
func (g *generator) anyStatement(s *scope) *Node {
	if s.depth < maxDepth && g.IntN(10) < 4 {
		return g.nested(s)
	}
	if !s.pure && g.one(5) {
		return g.special(s)
	}
	switch n := g.IntN(14); {
	case n < 3 && s.locals < maxLocals:
		t := g.typ()
		e, name := g.expression(s, t, 2), g.name("v")
		s.declare(name, t, false)
		return g.statement("%s %s = %s;", t, name, e)
	case n < 6:
		return g.assignment(s)
	case n < 9 && s.state:
		return g.stateChange(s)
	case n == 9 && !s.pure:
		return g.check(s)
	case n == 10 && s.result != nil && s.depth > 0:
		return g.statement("return %s;", g.expression(s, *s.result, 1))
	case n == 11 && s.loop && s.depth > 0:
		return g.statement("%s;", pick(g, []string{"break", "continue"}))
	case n == 12 && len(s.calls) > 0:
		return g.statement("%s;", g.call(s, pick(g, s.calls), 1))
	}
	t := g.typ()
	return g.statement("emit N(%s, %s);", cast(g.expression(s, t, 2), t, word), g.condition(s, 1))
}

// assignment changes a variable.
func (g *generator) assignment(s *scope) *Node {
	t := g.typ()
	vars := s.of(t, true)
	if len(vars) == 0 {
		return g.statement("emit N(%s, true);", cast(g.expression(s, t, 1), t, word))
	}
	v := pick(g, vars).name
	switch g.IntN(6) {
	case 0:
		return g.statement("%s;", pick(g, []string{v + "++", v + "--", "++" + v, "delete " + v}))
	case 1:
		return g.statement("%s %s= %s;", v, pick(g, []string{"+", "-", "*", "&", "|", "^"}), g.expression(s, t, 1))
	case 2:
		if !s.unchecked {
			return g.statement("unchecked { %s = %s; }", v, g.expression(s, t, 2))
		}
	}
	return g.statement("%s = %s;", v, g.expression(s, t, 2))
}

// stateChange changes what is not a plain variable.
func (g *generator) stateChange(s *scope) *Node {
	t := g.typ()
	e := g.expression(s, t, 1)
	index := fmt.Sprintf("uint256(%s)", cast(g.expression(s, t, 1), t, word))
	element, key := stateTypes(g)
	switch g.IntN(9) {
	case 0:
		return g.statement("map[%s] = %s;", cast(e, t, key), g.expression(s, element, 1))
	case 1:
		return g.statement("map[%s] %s= %s;", cast(e, t, key), pick(g, []string{"+", "-"}), g.expression(s, element, 1))
	case 2:
		return g.statement("table[msg.sender] = %s;", cast(e, t, intType{bits: 64}))
	case 3:
		return g.statement("list.push(%s);", g.expression(s, element, 1))
	case 4:
		return g.statement("if (list.length > 0) list.pop();")
	case 5:
		return g.statement("flag = %s;", g.condition(s, 1))
	case 6:
		return g.statement("pair = S(%s, %s, %s);", g.expression(s, g.types[0], 1), g.expression(s, g.types[1], 1), g.condition(s, 0))
	case 7:
		return g.statement("flags[%s %% 4] = %s;", index, g.condition(s, 1))
	}
	return g.statement("seen[msg.sender] = %s;", g.condition(s, 1))
}

// stateTypes are the types of elements and keys, see contracts.go.
func stateTypes(g *generator) (element, key intType) { return g.types[0], g.types[1] }

// check ends the call unless a condition holds.
func (g *generator) check(s *scope) *Node {
	c := g.condition(s, 2)
	t := g.typ()
	e := cast(g.atom(s, t), t, word)
	switch g.IntN(6) {
	case 0:
		return g.statement("if (%s) revert Bad(%s);", c, e)
	case 1:
		return g.statement("require(%s, Bad(%s));", c, e)
	case 2:
		return g.statement("assert(%s);", c)
	case 3:
		return g.statement("require(%s);", c)
	}
	return g.statement("require(%s, %q);", c, "failed: "+g.name("m"))
}

// nested is a statement with blocks.
func (g *generator) nested(s *scope) *Node {
	n := g.IntN(12)
	if s.pure && n > 8 {
		n = 0
	}
	switch n {
	case 0, 1, 2, 3, 4:
		parts := []Part{{Head: fmt.Sprintf("if (%s) {", g.condition(s, 2)), Mark: g.mark(), Body: g.body(s)}}
		if g.one(3) {
			parts = append(parts, Part{Head: "} else {", Body: g.body(s)})
		}
		return &Node{Parts: parts, Foot: "}"}
	case 5:
		return g.shortCircuit(s)
	case 6:
		if t := g.typ(); len(s.of(t, true)) > 0 {
			v := pick(g, s.of(t, true)).name
			return &Node{Parts: []Part{
				{Head: fmt.Sprintf("%s = %s", v, g.condition(s, 1)), Mark: g.mark()},
				g.witnessed(t, g.expression(s, t, 1), "    ? ", ""),
				g.witnessed(t, g.expression(s, t, 1), "    : ", ";"),
			}}
		}
		return g.shortCircuit(s)
	case 7:
		return g.loop(s)
	case 8:
		if s.unchecked {
			return g.shortCircuit(s)
		}
		in := s.inner()
		in.unchecked = true
		return &Node{Parts: []Part{{Head: "unchecked {", Mark: g.mark(), Body: g.block(in, 1+g.IntN(3))}}, Foot: "}"}
	case 9:
		return g.tryCall(s)
	case 10:
		return g.lowLevelCall(s)
	}
	return g.assembly(s)
}

// shortCircuit is an if whose conditions have lines of their own.
func (g *generator) shortCircuit(s *scope) *Node {
	operator := pick(g, []string{" &&", " ||"})
	return &Node{Foot: "}", Parts: []Part{
		{Head: "if (", Mark: g.mark()},
		g.witnessedCondition(g.condition(s, 1), "    ", operator),
		g.witnessedCondition(g.condition(s, 1), "    ", ""),
		{Head: ") {", Body: g.body(s)},
	}}
}

// loop runs a few times at most.
func (g *generator) loop(s *scope) *Node {
	in := s.inner()
	t := g.typ()
	bound := fmt.Sprintf("%s %% %d", cast(g.atom(s, t), t, word), 2+g.IntN(3))
	i := g.name("i")
	in.declare(i, word, true)
	in.loop = true
	return &Node{Parts: []Part{{Head: fmt.Sprintf("for (uint256 %s = 0; %s < %s; %s++) {", i, i, bound, i), Mark: g.mark(), Body: g.body(in)}}, Foot: "}"}
}

// tryCall calls another contract, and catches what it reverts with.
func (g *generator) tryCall(s *scope) *Node {
	if len(g.other) == 0 || !s.state {
		return g.shortCircuit(s)
	}
	f := pick(g, g.other)
	in := s.inner()
	r := g.name("r")
	in.declare(r, f.result, false)
	caught := s.inner()
	code := g.name("code")
	caught.declare(code, word, false)
	parts := []Part{
		{Head: fmt.Sprintf("try other.%s returns (%s %s) {", g.call(s, f, 1), f.result, r), Mark: g.mark(), Body: g.block(in, 1+g.IntN(2))},
		{Head: "} catch Error(string memory) {", Body: g.body(s)},
		{Head: fmt.Sprintf("} catch Panic(uint256 %s) {", code), Body: g.block(caught, 1+g.IntN(2))},
	}
	return &Node{Parts: append(parts, Part{Head: "} catch {", Body: g.body(s)}), Foot: "}"}
}

// lowLevelCall calls another contract, or an account that the program knows little of, and
// reads what it returns.
func (g *generator) lowLevelCall(s *scope) *Node {
	if len(g.other) == 0 || !s.state || s.locals+2 > maxLocals {
		return g.shortCircuit(s)
	}
	f := pick(g, g.other)
	ok, data, read := g.name("ok"), g.name("data"), g.name("read")
	var arguments []string
	for _, p := range f.params {
		arguments = append(arguments, g.expression(s, p, 1))
	}
	in := s.inner()
	in.locals += 2
	decoded := in.inner()
	t := g.typ()
	decode := g.statement("%s %s = abi.decode(%s, (%s));", t, read, data, t)
	decoded.declare(read, t, false)
	to := pick(g, []string{"address(other)", "address(other)", "address(other)", "msg.sender", "address(4)"})
	return &Node{Foot: "}", Parts: []Part{{Head: "{", Body: []*Node{
		g.statement("(bool %s, bytes memory %s) = %s.call(abi.encodeCall(Other.%s, (%s)));", ok, data, to, f.name, strings.Join(arguments, ", ")),
		{Foot: "}", Parts: []Part{{Head: fmt.Sprintf("if (%s %s %s.length %s %d) {", ok, pick(g, []string{"&&", "||"}), data, pick(g, comparisons), 32*g.IntN(3)), Mark: g.mark(),
			Body: append([]*Node{decode}, g.block(decoded, 1+g.IntN(2))...)}}},
	}}}}
}

// assembly reads what only assembly can, with conditions.
func (g *generator) assembly(s *scope) *Node {
	if s.locals >= maxLocals {
		return g.shortCircuit(s)
	}
	v := g.name("a")
	source := pick(g, []string{"mload(0x40)", "calldatasize()", "returndatasize()", "callvalue()", "mload(0x60)", "codesize()", "extcodesize(address())", "gas()", "sload(0)", "calldataload(4)", "byte(31, calldataload(4))", "sub(0, calldatasize())"})
	constant := func() string {
		return fmt.Sprint(pick(g, []int64{0, 1, 4, 36, 64, 68, 128, 160, 192, 1000, 3000, 8000}))
	}
	var checks []*Node
	for range 1 + g.IntN(2) {
		checks = append(checks, &Node{Foot: "}", Parts: []Part{{
			Head: fmt.Sprintf("if %s(%s, %s) {", pick(g, []string{"gt", "lt", "eq", "slt"}), v, constant()), Mark: g.mark(), Yul: true,
			Body: []*Node{{Parts: []Part{{Head: fmt.Sprintf("%s := %s(%s, %s)", v, pick(g, []string{"add", "sub", "and", "xor", "shr", "mod"}), v, constant()), Mark: g.mark(), Yul: true}}}},
		}}})
	}
	after := s.inner()
	after.declare(v, word, false)
	safe := pick(g, []string{"", `("memory-safe") `})
	return &Node{Foot: "}", Parts: []Part{{Head: "{", Body: append([]*Node{
		g.statement("uint256 %s;", v),
		{Foot: "}", Parts: []Part{{Head: "assembly " + safe + "{", Body: append([]*Node{
			{Parts: []Part{{Head: fmt.Sprintf("%s := %s", v, source), Mark: g.mark(), Yul: true}}},
		}, checks...)}}},
	}, g.block(after, 1+g.IntN(2))...)}}}
}
