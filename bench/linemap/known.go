package main

import (
	"fmt"
	"strings"
)

// explain says who is right about a line, and why: the marks decide, and known
// says what was found by looking at it.
func explain(p *project, l *line) (right, why string) {
	switch {
	case l.passed == l.ours && (l.passed || l.marked):
		right = "Sightline"
	case l.passed != l.ours && (l.passed || l.marked):
		right = "forge"
	default:
		right = "undecided"
	}
	for _, k := range known {
		if k.project == p.name && strings.HasSuffix(fmt.Sprintf("%s:%d", l.file, l.number), k.line) {
			return right, k.why
		}
	}
	return right, "not looked into"
}

// What forge's anchors (forge coverage --report debug) and the code show.
const (
	merged = "the peephole optimizer made one conditional jump of the condition and this one; forge counts what is left of it in front of the jump, taken or not"
	copied = "a modifier's code stands once in each function that has it; forge watches one copy"
	called = "called from inside; forge watches the way in from outside"
	branch = "the condition is a variable: forge takes the first instruction of the branch for the line"
)

// known are disagreements that were looked into.
var known = []struct{ project, line, why string }{
	{"forms", "forms.sol:186", merged},
	{"forms", "forms.sol:189", merged},
	{"openzeppelin", "ECDSA.sol:25", merged},
	{"openzeppelin", "BitMaps.sol:27", branch},
	{"uniswap-v2", "UniswapV2Pair.sol:35", copied},
	{"uniswap-v2", "UniswapV2Pair.sol:38", called},
	{"uniswap-v2", "UniswapV2Pair.sol:93", branch},
}
