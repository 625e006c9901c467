// Package solgen makes random Solidity programs that say which of their lines run: every
// statement emits an event of its own first. Optimizers keep events, so that what a build
// executes is known without its source map.
//
//	program.go      a program as a tree, and its text
//	generator.go    what programs consist of
//	contracts.go    contracts, libraries and constructors
//	statements.go   statements
//	special.go      statements whose meaning depends on the build
//	expressions.go  expressions of integer types
//	conditions.go   conditions, contradictions among them
//	shrink.go       smaller programs
package solgen

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Contract is the name of the contract that a program is about; it deploys the others.
const Contract = "P"

// Topic is the first topic of a witness, an event whose second topic is the mark of what
// runs.
var Topic = crypto.Keccak256Hash([]byte("W(uint256)"))

// MarkOf is the mark that an event witnesses; false where it is another event.
func MarkOf(topics []common.Hash) (int, bool) {
	if len(topics) != 2 || topics[0] != Topic {
		return 0, false
	}
	return int(topics[1].Big().Int64()), true
}

// Program is a program as a tree.
type Program struct{ Root *Node }

// Node is a declaration or statement: parts one after the other, and what closes it.
type Node struct {
	Parts []Part
	Foot  string // a line; empty: none
	// Fixed nodes are needed by what refers to them.
	Fixed bool
}

// Part is a line and the nodes below it.
type Part struct {
	Head string // empty: no line
	Mark int    // whose witness is on the line; 0: none
	// Yul is set in assembly, Inline where the text of the line has the witness itself.
	Yul, Inline bool
	Body        []*Node
}

// Source is the program as text, with the mark of every line that has one. Lines count
// from 1.
func (p *Program) Source() (text string, marks map[int]int) {
	w := &writer{marks: map[int]int{}}
	w.node(p.Root, 0)
	return w.text.String(), w.marks
}

// writer writes a program's text.
type writer struct {
	text  strings.Builder
	lines int
	marks map[int]int
}

func (w *writer) node(n *Node, depth int) {
	for _, part := range n.Parts {
		below := depth
		if part.Head != "" {
			below++
			w.line(depth, part.witness()+part.Head)
			if part.Mark != 0 {
				w.marks[w.lines] = part.Mark
			}
		}
		for _, child := range part.Body {
			w.node(child, below)
		}
	}
	if n.Foot != "" {
		w.line(depth, n.Foot)
	}
}

func (w *writer) line(depth int, text string) {
	w.lines++
	fmt.Fprintf(&w.text, "%s%s\n", strings.Repeat("    ", depth), text)
}

// witness is the statement that says that the line runs.
func (p *Part) witness() string {
	switch {
	case p.Mark == 0 || p.Inline:
		return ""
	case p.Yul:
		return fmt.Sprintf("log2(0, 0, %s, %d) ", Topic.Hex(), p.Mark)
	}
	return fmt.Sprintf("emit W(%d); ", p.Mark)
}
