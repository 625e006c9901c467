package maze

import (
	"fmt"
	"math/big"
	"strings"
)

// Contract is the name of every maze's contract.
const Contract = "Maze"

// Event is the signature of what an assertion emits, with its number. Test libraries
// and Echidna's users declare it so.
const Event = "AssertionFailed(uint256)"

// Source is the contract's text. raise is the statement, or statements, that raise an
// assertion; nil: the event.
//
// A cell's check is a function of its own: arithmetic is checked in some and not in
// others, and all of it in one would be too large for tools that inline.
func (m *Maze) Source(raise func(id int) string) string {
	if raise == nil {
		raise = func(id int) string { return fmt.Sprintf("emit AssertionFailed(%d);", id) }
	}
	var s strings.Builder
	fmt.Fprintf(&s, "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.17;\n\n")
	fmt.Fprintf(&s, "/// @notice The maze of seed %d, %d x %d.\ncontract %s {\n", m.Seed, m.Size, m.Size, Contract)
	fmt.Fprintf(&s, "    event %s;\n\n", Event)
	fmt.Fprintf(&s, "    uint256 private x;\n    uint256 private y;\n\n")
	var declared, passed []string
	for i, t := range m.Types {
		declared = append(declared, fmt.Sprintf("%s p%d", t, i))
		passed = append(passed, fmt.Sprintf("p%d", i))
	}
	parameters, arguments := strings.Join(declared, ", "), strings.Join(passed, ", ")
	steps := [directions]string{North: "y--", South: "y++", East: "x++", West: "x--"}
	for d, name := range Names {
		fmt.Fprintf(&s, "    function %s(%s) external {\n", name, parameters)
		fmt.Fprintf(&s, "        require((%d >> (y * %d + x)) & 1 == 1, \"a wall\");\n", m.doors(Direction(d)), m.Size)
		fmt.Fprintf(&s, "        %s;\n        enter(%s);\n    }\n\n", steps[d], arguments)
	}
	fmt.Fprintf(&s, "    function enter(%s) private {\n", parameters)
	for _, c := range m.Guarded() {
		fmt.Fprintf(&s, "        if (x == %d && y == %d) {\n            check%d(%s);\n            return;\n        }\n", c.X, c.Y, c.ID, arguments)
	}
	s.WriteString("    }\n")
	for _, c := range m.Guarded() {
		c.check(&s, parameters, raise(c.ID))
	}
	s.WriteString("}\n")
	return s.String()
}

// doors has a bit for each cell: whether one can leave it in a direction.
func (m *Maze) doors(d Direction) *big.Int {
	bits := new(big.Int)
	for i := range m.open {
		if m.open[i][d] {
			bits.SetBit(bits, i, 1)
		}
	}
	return bits
}

// check writes a cell's check.
func (c *Cell) check(s *strings.Builder, parameters, raise string) {
	g := c.Guard
	fmt.Fprintf(s, "\n    function check%d(%s) private {\n", c.ID, parameters)
	depth := 2
	line := func(format string, arguments ...any) {
		fmt.Fprintf(s, strings.Repeat("    ", depth)+format+"\n", arguments...)
	}
	if !g.Checked {
		line("unchecked {")
		depth++
	}
	at := 0
	for _, size := range g.groups {
		var joined []string
		for _, one := range g.Comparisons[at : at+size] {
			joined = append(joined, one.String())
		}
		line("if (%s) {", strings.Join(joined, " && "))
		at += size
		depth++
	}
	line("%s", raise)
	for depth > 2 {
		depth--
		line("}")
	}
	s.WriteString("    }\n")
}
