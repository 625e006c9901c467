package solgen

import (
	"fmt"
	"slices"
	"strings"
)

// program is all of a program.
func (g *generator) program() *Program {
	library := g.libraryL()
	other := g.contractOther()
	base := g.contractBase()
	main := g.contractP()
	list := []*Node{
		line("// SPDX-License-Identifier: MIT"),
		line("pragma solidity 0.8.30;"),
		line("event W(uint256 indexed mark);"),
		line("event N(uint256 number, bool truth);"),
		line("error Bad(uint256 number);"),
		line(fmt.Sprintf("struct S { %s f; %s g; bool h; }", g.types[0], g.types[1])),
		line("function kw(uint256 mark) returns (uint256) { emit W(mark); return mark; }"),
		line("function kb(uint256, bool value) pure returns (bool) { return value; }"),
	}
	var types []intType
	for t := range g.bits {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b intType) int { return strings.Compare(a.String(), b.String()) })
	for _, t := range types {
		list = append(list, line(fmt.Sprintf("function kv_%s(uint256, %s value) pure returns (%s) { return value; }", t, t, t)))
	}
	return &Program{&Node{Parts: []Part{{Body: append(list, library, other, base, main)}}}}
}

// contract is a contract with a body.
func contract(head string, body ...*Node) *Node {
	return &Node{Parts: []Part{{Head: head + " {", Body: body}}, Foot: "}", Fixed: true}
}

// parameters makes parameters of a function.
func (g *generator) parameters(s *scope, most int) (types []intType, text string) {
	var list []string
	for range 1 + g.IntN(most) {
		t, name := g.typ(), g.name("p")
		s.declare(name, t, false)
		types, list = append(types, t), append(list, fmt.Sprintf("%s %s", t, name))
	}
	return types, strings.Join(list, ", ")
}

// define makes a function that returns an integer.
func (g *generator) define(s *scope, name, attributes string, statements int) (*function, *Node) {
	s = s.inner()
	s.depth = 0
	types, parameters := g.parameters(s, 2)
	result := g.typ()
	s.result = &result
	body := g.block(s, statements)
	body = append(body, g.statement("return %s;", g.expression(s, result, 1)))
	body[len(body)-1].Fixed = true
	f := &function{name, types, result}
	return f, &Node{Parts: []Part{{Head: fmt.Sprintf("function %s(%s) %s returns (%s) {", name, parameters, attributes, result), Body: body}}, Foot: "}"}
}

// libraryL has a function that is inlined or jumped to, and one that is called.
func (g *generator) libraryL() *Node {
	internal, inner := g.define(&scope{}, "internalOf", "internal", 1+g.IntN(2))
	internal.name = "L.internalOf"
	external, outer := g.define(&scope{}, "externalOf", "external", 1)
	external.name = "L.externalOf"
	g.library, g.external = []*function{internal}, []*function{external}
	return contract("library L",
		line("function paid() internal returns (uint256) { return msg.value; }"),
		inner, outer)
}

// contractOther is called and created by the main contract.
func (g *generator) contractOther() *Node {
	t := g.typ()
	s := &scope{vars: []variable{{"stored", t, false, false}}, calls: g.library}
	first, one := g.define(s, "first", "external payable", 1+g.IntN(2))
	second, two := g.define(s, "second", "external", 1+g.IntN(2))
	g.other = []*function{first, second}
	in := s.inner()
	in.pure, in.unchecked = true, true
	in.calls = nil
	in.declare("argument", t, false)
	construct := []*Node{g.statement("stored = argument;")}
	construct = append(construct, &Node{Parts: []Part{{Head: "unchecked {", Body: g.block(in, 1+g.IntN(2))}}, Foot: "}"})
	g.argument = t
	return contract("contract Other",
		line(fmt.Sprintf("%s internal stored;", t)),
		&Node{Parts: []Part{{Head: fmt.Sprintf("constructor(%s argument) {", t), Body: construct}}, Foot: "}", Fixed: true},
		one, two)
}

// contractBase has the state, modifiers and a virtual function.
func (g *generator) contractBase() *Node {
	element, key := stateTypes(g)
	s := &scope{state: true, calls: slices.Concat(g.library, g.external)}
	body := []*Node{line("address internal owner = msg.sender;"), line("Other internal other;")}
	for range 2 + g.IntN(2) {
		t, name := g.typ(), g.name("s")
		text := fmt.Sprintf("%s internal %s;", t, name)
		if g.one(3) {
			part := g.witnessed(t, g.literal(t), fmt.Sprintf("%s internal %s = ", t, name), ";")
			body = append(body, &Node{Parts: []Part{part}, Fixed: true})
		} else {
			body = append(body, line(text))
		}
		s.vars = append(s.vars, variable{name, t, false, false})
	}
	t, fixed := g.typ(), g.name("fixed")
	body = append(body, line(fmt.Sprintf("%s internal immutable %s;", t, fixed)))
	body = append(body,
		line("bool internal flag;"), line("bool[4] internal flags;"), line("S internal pair;"),
		line(fmt.Sprintf("%s[] internal list;", element)), line(fmt.Sprintf("mapping(%s => %s) internal map;", key, element)),
		line("mapping(address => uint64) internal table;"), line("mapping(address => bool) internal seen;"))
	in := s.inner()
	in.pure, in.unchecked, in.calls, in.state = true, true, nil, false
	in.declare("argument", t, false)
	body = append(body, &Node{Fixed: true, Foot: "}", Parts: []Part{{Head: fmt.Sprintf("constructor(%s argument) {", t), Body: []*Node{
		{Parts: []Part{{Head: fmt.Sprintf("%s = argument;", fixed), Mark: g.mark()}}, Fixed: true},
		{Parts: []Part{{Head: fmt.Sprintf("other = new Other(%s);", g.literal(g.argument)), Mark: g.mark()}}, Fixed: true},
		{Parts: []Part{{Head: "unchecked {", Body: g.block(in, 1+g.IntN(2))}}, Foot: "}"},
	}}}})
	s.vars = append(s.vars, variable{fixed, t, true, false})
	g.base, g.fixed = *s, t
	for range 1 + g.IntN(3)/2 {
		m, node := g.modifier(s)
		g.modifiers = append(g.modifiers, m)
		body = append(body, node)
	}
	f, node := g.define(s, "step", "internal virtual", 1+g.IntN(2))
	g.virtual, g.virtualHead = f, strings.Replace(node.Parts[0].Head, "virtual", "override", 1)
	return contract("abstract contract Base", append(body, node)...)
}

// modifier is one with code before, after or between what it modifies.
func (g *generator) modifier(s *scope) (*function, *Node) {
	in := s.inner()
	in.locals += 3 // of the function
	in.calls = g.library
	m, t := g.name("guard"), g.typ()
	in.declare("limit", t, false)
	body := g.block(in.inner(), g.IntN(2))
	body = append(body, &Node{Parts: []Part{{Head: "_;"}}, Fixed: true})
	body = append(body, g.block(in.inner(), g.IntN(2))...)
	if g.one(2) {
		body = append(body, &Node{Parts: []Part{{Head: "_;"}}})
		body = append(body, g.block(in.inner(), g.IntN(2))...)
	}
	return &function{name: m, params: []intType{t}}, &Node{Parts: []Part{{Head: fmt.Sprintf("modifier %s(%s limit) {", m, t), Body: body}}, Foot: "}", Fixed: true}
}

// contractP is the main contract.
func (g *generator) contractP() *Node {
	s := g.base.inner()
	var body []*Node
	t := g.typ()
	in := s.inner()
	in.pure, in.unchecked, in.calls, in.state = true, true, nil, false
	in.declare("start", t, false)
	in.vars = slices.DeleteFunc(in.vars, func(v variable) bool { return strings.HasPrefix(v.name, "fixed") })
	argument := cast("start", t, g.fixed)
	body = append(body, &Node{Fixed: true, Foot: "}", Parts: []Part{{Head: fmt.Sprintf("constructor(%s start) payable Base(%s) {", t, argument), Body: []*Node{
		{Parts: []Part{{Head: "unchecked {", Body: g.block(in, 1+g.IntN(3))}}, Foot: "}"},
	}}}})
	body = append(body, g.override(s))
	s.calls = append(slices.Clone(s.calls), g.virtual)
	for range 1 + g.IntN(3)/2 {
		f, node := g.define(s, g.name("inner"), "internal", 1+g.IntN(3))
		body = append(body, node)
		s.calls = append(slices.Clone(s.calls), f)
		g.own = append(g.own, f)
	}
	for range len(s.calls) {
		body = append(body, g.entry(s))
	}
	return contract("contract "+Contract+" is Base", body...)
}

// override is the main contract's version of the virtual function, which may call the base's.
func (g *generator) override(s *scope) *Node {
	in := s.inner()
	in.depth = 0
	names := parameterNames(g.virtualHead)
	for i, t := range g.virtual.params {
		in.declare(names[i], t, false)
	}
	in.result = &g.virtual.result
	in.calls = append(slices.Clone(s.calls), &function{"super.step", g.virtual.params, g.virtual.result})
	body := g.block(in, 1+g.IntN(3))
	end := g.statement("return %s;", g.expression(in, g.virtual.result, 2))
	end.Fixed = true
	return &Node{Parts: []Part{{Head: g.virtualHead, Body: append(body, end)}}, Foot: "}"}
}

// parameterNames reads the names of a function's parameters.
func parameterNames(head string) []string {
	_, rest, _ := strings.Cut(head, "(")
	text, _, _ := strings.Cut(rest, ")")
	var names []string
	for _, p := range strings.Split(text, ", ") {
		_, name, _ := strings.Cut(p, " ")
		names = append(names, name)
	}
	return names
}

// entry is an external function.
func (g *generator) entry(s *scope) *Node {
	in := s.inner()
	in.depth = 0
	_, parameters := g.parameters(in, 3)
	attributes := pick(g, []string{"external", "external", "public", "external payable", "public payable"})
	modified := ""
	if g.one(2) {
		m := pick(g, g.modifiers)
		modified = " " + g.call(in, m, 0)
	}
	// What is never called has no bytecode, or is not deployed.
	f := s.calls[g.entries%len(s.calls)]
	g.entries++
	body := []*Node{g.statement("%s;", g.call(in, f, 0))}
	if g.one(2) {
		body = append(g.block(in, 1), body...)
	}
	body = append(body, g.block(in, 1+g.IntN(3))...)
	if len(g.own) > 1 && g.own[0].samePointer(g.own[1]) && g.one(2) {
		body = append(body, g.throughPointer(in))
	}
	return &Node{Parts: []Part{{Head: fmt.Sprintf("function %s(%s) %s%s {", g.name("entry"), parameters, attributes, modified), Body: body}}, Foot: "}"}
}

// samePointer reports whether functions have one type.
func (f *function) samePointer(o *function) bool {
	return slices.Equal(f.params, o.params) && f.result == o.result
}

// throughPointer calls one of two functions.
func (g *generator) throughPointer(s *scope) *Node {
	f := g.own[0]
	var types []string
	for _, t := range f.params {
		types = append(types, t.String())
	}
	p := g.name("pointer")
	return &Node{Foot: "}", Parts: []Part{{Head: "{", Body: []*Node{
		g.statement("function(%s) internal returns (%s) %s = %s ? %s : %s;", strings.Join(types, ", "), f.result, p, g.condition(s, 1), f.name, g.own[1].name),
		g.statement("%s;", g.call(s, &function{p, f.params, f.result}, 0)),
	}}}}
}
