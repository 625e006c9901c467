package diffmap

import (
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// This file holds the ownership rule: which nodes of the AST, and with them
// which instructions, a changed byte belongs to.
//
// An instruction belongs to the node whose range its source map entry has, and
// owns the bytes of that node minus those of all child nodes. Read backwards: a
// changed token belongs to the innermost node that holds it. Five things bend
// this.
//
//   - A node without code of its own (a type name, a literal that is part of a
//     larger instruction) hands the change to its parent, up to the statement
//     and never out of code that runs under a condition of its own.
//   - Nodes that run something before all of their operands (&&, ?:, if, loops,
//     calls) own only the line they start on. A later token of theirs stands for
//     the operand behind it: else for the else branch, "b:" for the argument b.
//   - The message of a require owns the code that fails with it (message.go).
//   - Punctuation counts only where a node has nothing else, and only on the
//     line the node starts on.
//   - Tokens that make no code but change the code behind them (else, unchecked,
//     assembly, a modifier's header) stand for the first statement behind them.

// nodeSet is a set of nodes, by their numbers.
type nodeSet map[int32]struct{}

func (s nodeSet) add(n int32) { s[n] = struct{}{} }

// owners adds to set the nodes that a changed token belongs to.
func (t *sourceTree) owners(token solidity.Token, set nodeSet) {
	n := t.innermost(token.Start)
	message, inMessage := t.messageOf(n)
	switch {
	case inMessage:
		if !t.isPunctuation(token) {
			t.climb(message, set)
		}
	case t.isPunctuation(token):
		if t.lines.lineOf(token.Start) == t.lines.lineOf(t.nodes[n].start) && t.onlyPunctuation(n) {
			t.climb(n, set)
		}
	case t.standsForNext(n, token):
		if next, ok := t.nextChild(n, token.End); ok {
			t.surely(next, set)
		}
	default:
		stop, found := t.climb(n, set)
		if found || t.forward(n, stop, token.End, set) {
			return
		}
		if !t.wholeAssembly(n, set) && t.style.shuffled && t.nodes[stop].kind == statementNode {
			t.nextStatement(stop, set)
		}
	}
}

// nextStatement adds the statement behind n in the same block: where that runs, n
// has run. It stands for a statement like "x = 5" of which the compiler leaves
// nothing but the order of values on the stack.
func (t *sourceTree) nextStatement(n int32, set nodeSet) {
	block := t.nodes[n].parent
	if t.nodes[block].kind != bodyNode || t.nodes[n].astType() == "YulFunctionDefinition" {
		return
	}
	for next, ok := t.nextChild(block, t.nodes[n].end); ok; next, ok = t.nextChild(block, t.nodes[next].end) {
		if t.surely(next, set) {
			return
		}
	}
}

// wholeAssembly adds the inline assembly that n is part of, if the compiler writes
// one range for all of it (via-IR) and all of it runs in a row. It reports whether
// that is so.
func (t *sourceTree) wholeAssembly(n int32, set nodeSet) bool {
	block, ok := t.enclosing(n, func(n *treeNode) bool { return n.astType() == "InlineAssembly" })
	if !ok || !t.nodes[block].code {
		return false
	}
	inARow, known := t.inARow[block]
	if !known {
		inARow = t.runsInARow(block)
		t.inARow[block] = inARow
	}
	if inARow {
		set.add(block)
	}
	return inARow
}

// runsInARow reports whether an assembly block has neither branches nor nodes with
// code of their own.
func (t *sourceTree) runsInARow(block int32) bool {
	for i := block + 1; int(i) < len(t.nodes) && t.nodes[i].start < t.nodes[block].end; i++ {
		if isYulBranch(t.nodes[i].astType()) || t.nodes[i].code {
			return false
		}
	}
	return true
}

// isYulBranch reports whether what is in a node of this type may run or not, whether or not what is around it does.
func isYulBranch(astType string) bool {
	switch astType {
	case "YulIf", "YulSwitch", "YulForLoop", "YulFunctionDefinition":
		return true
	}
	return false
}

// standsForNext reports whether a token of n's own stands for the operand behind
// it and not for n.
func (t *sourceTree) standsForNext(n int32, token solidity.Token) bool {
	node := &t.nodes[n]
	if !t.runsFirst(node) {
		return false
	}
	word := string(t.text[token.Start:token.End])
	switch node.astType() {
	case "IfStatement":
		if word == "else" {
			return true
		}
	case "DoWhileStatement":
		if word == "while" {
			return true
		}
	}
	return t.lines.lineOf(token.Start) > t.lines.lineOf(node.start)
}

// runsFirst reports whether n has instructions that run before some operand of it
// is evaluated: jumps, a return address pushed.
func (t *sourceTree) runsFirst(n *treeNode) bool {
	if n.ast == nil {
		return true // a statement or call of inline assembly, nothing more is known
	}
	switch n.ast.Type {
	case "BinaryOperation":
		return isShortCircuit(n)
	case "Conditional", "FunctionCall", "FunctionCallOptions", "IfStatement", "ForStatement", "WhileStatement",
		"DoWhileStatement", "TryStatement", "YulIf", "YulSwitch", "YulForLoop":
		return true
	}
	return false
}

func isShortCircuit(n *treeNode) bool {
	operator := n.ast.Attribute("operator")
	return operator == "&&" || operator == "||"
}

// mayOwn reports whether n owns its instructions' code at all.
func (n *treeNode) mayOwn() bool {
	return n.code && (n.kind == expressionNode || n.kind == statementNode || n.kind == functionNode || n.kind == messageNode)
}

// climb adds the nearest node from n upwards that has code, and reports whether
// there is one. stop is where it stopped: there, else at the statement, function,
// block or declaration that n is part of, or the last node that runs whenever n does.
func (t *sourceTree) climb(n int32, set nodeSet) (stop int32, found bool) {
	if message, ok := t.messageOf(n); ok {
		n = message
		call := t.nodes[n].parent
		if !t.nodes[n].code && t.lines.lineOf(t.nodes[n].start) == t.lines.lineOf(t.nodes[call].start) {
			n = call // which require fails is unknown, but this line runs with it
		}
	}
	for {
		node := &t.nodes[n]
		if node.mayOwn() {
			set.add(n)
			return n, true
		}
		if node.kind != expressionNode || t.runsConditionally(n) {
			return n, false
		}
		n = node.parent
	}
}

// runsConditionally reports whether n, which is not the root, may be left out when
// its parent is evaluated.
func (t *sourceTree) runsConditionally(n int32) bool {
	node := &t.nodes[n]
	if node.kind == messageNode {
		return true
	}
	if t.nodes[node.parent].ast == nil {
		return false
	}
	parent := &t.nodes[node.parent]
	switch parent.ast.Type {
	case "BinaryOperation":
		return node.role() == "rightExpression" && isShortCircuit(parent)
	case "Conditional":
		return node.role() != "condition"
	case "IfStatement":
		return node.role() != "condition"
	case "ForStatement":
		return node.role() == "body" || node.role() == "loopExpression"
	case "WhileStatement", "YulIf":
		return node.role() == "body"
	case "YulForLoop":
		return node.role() == "body" || node.role() == "post"
	case "DoWhileStatement":
		return node.role() == "condition" // what is before it may leave the loop
	case "TryStatement":
		return node.role() == "clauses"
	case "YulSwitch":
		return node.role() == "cases"
	case "YulFunctionDefinition":
		return node.role() == "body"
	}
	return false
}

// forward adds what runs first behind offset: the next operand or statement of
// n, or of a node around it up to stop. It reports whether there is any. Nothing
// runs behind a declaration; behind a modifier's placeholder comes what follows
// it in the block.
func (t *sourceTree) forward(n, stop int32, offset int, set nodeSet) bool {
	if t.nodes[stop].astType() == "PlaceholderStatement" {
		stop = t.nodes[stop].parent
	}
	for ; ; n = t.nodes[n].parent {
		if t.nodes[n].kind == declarationNode {
			return false
		}
		for next, ok := t.nextChild(n, offset); ok; next, ok = t.nextChild(n, t.nodes[next].end) {
			if t.surely(next, set) {
				return true
			}
		}
		if n == stop {
			return false
		}
	}
}

// surely adds the nodes with code that run whenever n is entered, and reports
// whether there are any. A block stands for its first statement with code.
func (t *sourceTree) surely(n int32, set nodeSet) bool {
	node := &t.nodes[n]
	if node.kind == declarationNode || node.astType() == "YulFunctionDefinition" || !t.holdsCode[n] {
		return false // a function's code runs where it is called
	}
	if node.kind == bodyNode {
		for _, child := range node.children {
			if t.surely(child, set) {
				return true
			}
		}
		return false
	}
	found := node.mayOwn()
	if found {
		set.add(n)
	}
	if node.ast == nil && found {
		return true // which parts of unknown assembly run always is unknown
	}
	for _, child := range node.children {
		body := t.nodes[child].kind == bodyNode
		if t.runsConditionally(child) || found && body && node.kind != statementNode {
			continue // the header of a function stands for it, not its body too
		}
		if t.surely(child, set) {
			found = true
		}
	}
	return found
}

// gapOwners adds the nodes that code deleted at offset belonged to. anchor is
// the statement that stands for it when whole statements went, −1 when the
// deleted code was part of a node that is still there.
func (t *sourceTree) gapOwners(offset int, set nodeSet) (anchor int32) {
	n := t.around(offset)
	if kind := t.nodes[n].kind; kind == bodyNode || kind == declarationNode {
		ended, ok := t.endingAt(n, offset)
		switch {
		case ok: // its end is what went: x = a + b became x = a
			n = ended
		case kind == bodyNode:
			return t.followingStatement(n, offset, set)
		default:
			return -1
		}
	}
	if stop, found := t.climb(n, set); !found {
		t.forward(n, stop, offset, set)
	}
	return -1
}

// endingAt is the node right below n that ends at offset with something else
// than a brace or a semicolon, so that what was deleted there was part of it.
func (t *sourceTree) endingAt(n int32, offset int) (int32, bool) {
	for _, child := range t.nodes[n].children {
		if c := t.nodes[child]; c.end == offset && t.text[offset-1] != '}' && t.text[offset-1] != ';' {
			return t.byRange[c.byteRange], true
		}
	}
	return 0, false
}

// followingStatement finds the statement that now follows offset in block n, or
// after the blocks around it; else the function itself.
func (t *sourceTree) followingStatement(n int32, offset int, set nodeSet) int32 {
	for ; ; n = t.nodes[n].parent {
		node := &t.nodes[n]
		switch node.kind {
		case bodyNode:
			for next, ok := t.nextChild(n, offset); ok; next, ok = t.nextChild(n, t.nodes[next].end) {
				if t.surely(next, set) {
					return next
				}
			}
		case functionNode:
			if node.code {
				set.add(n)
			} else {
				t.surely(n, set)
			}
			return n
		case modifierNode:
			t.surely(n, set)
			return n
		case declarationNode: // at the latest the root
			return -1
		}
		offset = max(offset, node.end)
	}
}
