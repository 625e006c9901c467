package diffmap

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file says what of a line may be left out when the rest of it runs.

// Operation is a part of a changed line that runs under a condition of its own: the call in
// "if (rates != none) rates.update();", or an operand of &&.
type Operation struct {
	Text    string              // of the source, on one line
	Entries []bytecode.Location // in all contracts that hold it, sorted; at least one
}

// owner is a changed line that a node stands for, by an operation of it, or as a whole ("").
type owner struct {
	*lineState
	operation string
}

// operationOf is the text of the innermost operation of a line that node n is part of; empty where
// n runs whenever the line does. The loop expression of a for is none: it runs where the body has run.
func (t *sourceTree) operationOf(n int32, line int) string {
	for ; n >= 0 && t.lines.lineOf(t.nodes[n].start) == line; n = t.nodes[n].parent {
		switch node := &t.nodes[n]; {
		case node.kind == messageNode, node.role() == "loopExpression", node.role() == "post":
			return ""
		case t.runsConditionally(n):
			return t.shown(node)
		}
	}
	return ""
}

// shown is the text of a node up to the end of its first line, without comments, and without the
// braces around a block.
func (t *sourceTree) shown(n *treeNode) string {
	var words strings.Builder
	line, end, cut := t.lines.lineOf(n.start), n.start, false
	for _, token := range t.tokensIn(n.byteRange) {
		if token.Start < n.start {
			continue
		}
		if cut = t.lines.lineOf(token.Start) != line; cut {
			break
		}
		if words.Len() > 0 && token.Start > end {
			words.WriteByte(' ')
		}
		words.Write(t.text[token.Start:token.End])
		end = token.End
	}
	text := words.String()
	switch {
	case cut && strings.HasSuffix(text, "("), cut && strings.HasSuffix(text, "({"), cut && strings.HasSuffix(text, ","):
		return text + "…"
	case cut:
		return strings.TrimSpace(strings.TrimSuffix(text, "{"))
	}
	if block, ok := strings.CutPrefix(text, "{"); ok {
		text = strings.TrimSpace(strings.TrimSuffix(block, "}"))
	}
	return strings.TrimSuffix(text, ";")
}

// listOperations lists the operations of a line, in the order of their texts.
func (s *lineState) listOperations() []Operation {
	var list []Operation
	for text, entries := range s.operations {
		var locations []bytecode.Location
		for entry := range entries {
			locations = append(locations, entry)
		}
		slices.SortFunc(locations, bytecode.Location.Compare)
		list = append(list, Operation{text, locations})
	}
	slices.SortFunc(list, func(a, b Operation) int { return strings.Compare(a.Text, b.Text) })
	return list
}
