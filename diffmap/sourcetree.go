package diffmap

import (
	"cmp"
	"slices"
	"sort"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// byteRange is a half-open range of byte offsets in a source.
type byteRange struct{ start, end int }

// lineTable finds lines in a text: element i is the offset of line i+1.
type lineTable []int

func newLineTable(text []byte) lineTable {
	lines := lineTable{0}
	for i, c := range text {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// lineOf is the 1-based line that holds the byte at offset.
func (t lineTable) lineOf(offset int) int {
	return sort.Search(len(t), func(i int) bool { return t[i] > offset })
}

// columnOf is the 1-based column, in bytes, of the byte at offset.
func (t lineTable) columnOf(offset int) int { return offset - t[t.lineOf(offset)-1] + 1 }

// nodeKind says what part a node plays in ownership, see ownership.go.
type nodeKind uint8

const (
	// expressionNode may own code; a change in it that has none of its own is a
	// change of its parent. Parts of a function's header are such nodes too.
	expressionNode nodeKind = iota
	// statementNode may own code and keeps changes to itself.
	statementNode
	// functionNode owns its header.
	functionNode
	// modifierNode owns nothing; its header stands for the start of its body.
	modifierNode
	// bodyNode is a block: braces that own nothing.
	bodyNode
	// messageNode is the message of a require: it owns the code that runs where the
	// condition does not hold, and changes in it are its own, see message.go.
	messageNode
	// declarationNode owns nothing and holds nothing that runs where it stands.
	declarationNode
)

// treeNode is a node of a sourceTree.
type treeNode struct {
	byteRange
	kind     nodeKind
	code     bool // some artifact has an instruction of exactly this range that shows that it runs
	parent   int32
	children []int32       // in source order, disjoint
	ast      *compile.Node // nil for a range that only source maps know
}

func (n *treeNode) astType() string {
	if n.ast == nil {
		return ""
	}
	return n.ast.Type
}

func (n *treeNode) role() string {
	if n.ast == nil {
		return ""
	}
	return n.ast.Role
}

// sourceTree is the AST of one source as a tree of nested byte ranges, with the
// ranges that only source maps know among them: solc before 0.6 writes no nodes
// for inline assembly, but ranges for its instructions.
//
// Invariants: nodes[0] is the whole text; a parent comes before its children and
// holds them; siblings are disjoint. Of AST nodes with equal ranges the inner is
// the child. Nodes without bytes, and nodes and ranges that cross others (known
// from no compiler, but the input is untrusted), are left out.
type sourceTree struct {
	source *compile.Source
	style  codeStyle
	text   []byte
	lines  lineTable
	tokens []solidity.Token // without comments
	nodes  []treeNode
	// byRange holds the innermost node of each range.
	byRange map[byteRange]int32
	// holdsCode tells of each node whether it or one below it has code; set by seal.
	holdsCode []bool
	// Answers about a node that are asked for each of its tokens.
	punctuation, inARow map[int32]bool
}

// newSourceTree builds the tree of a source whose text is known. ranges are
// those that source maps hold, with what their instructions say.
func newSourceTree(source *compile.Source, text []byte, ranges map[byteRange]evidence, style codeStyle) *sourceTree {
	t := &sourceTree{source: source, text: text, style: style, lines: newLineTable(text), byRange: map[byteRange]int32{},
		punctuation: map[int32]bool{}, inARow: map[int32]bool{}}
	for _, token := range solidity.Tokenize(text) {
		if token.Kind != solidity.Comment {
			t.tokens = append(t.tokens, token)
		}
	}
	t.nodes = []treeNode{{byteRange: byteRange{0, len(text)}, kind: declarationNode, parent: -1}}
	t.insert(t.candidates(ranges))
	for r, e := range ranges {
		if i, ok := t.byRange[r]; ok {
			if n := &t.nodes[i]; n.kind == messageNode && e.proves(n) && n.ast.Type == "FunctionCall" && !convertsType(n.ast) {
				n.kind = expressionNode // a call that returns the message, and no error: it runs in any case
			}
			t.nodes[i].code = t.nodes[i].kind != messageNode && e.proves(&t.nodes[i]) && !(style.hoisted && isLocalVariable(t.nodes[i].ast))
		}
	}
	return t
}

// candidates lists the nodes to insert: outer before inner, in source order.
func (t *sourceTree) candidates(ranges map[byteRange]evidence) []treeNode {
	var list []treeNode
	known := map[byteRange]bool{}
	t.source.AST.Walk(func(n *compile.Node) bool {
		if n.File != t.source.ID || n.Start < 0 || n.Length <= 0 || n.End() > len(t.text) {
			return true
		}
		r := byteRange{n.Start, n.End()}
		known[r] = true
		list = append(list, treeNode{byteRange: r, ast: n, kind: kindOf(n)})
		return true
	})
	for r := range ranges {
		if !known[r] && r.start < r.end && r.end <= len(t.text) {
			list = append(list, treeNode{byteRange: r, kind: t.kindOfRange(r)})
		}
	}
	slices.SortStableFunc(list, func(a, b treeNode) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	return list
}

// insert nests sorted candidates.
func (t *sourceTree) insert(list []treeNode) {
	open := []int32{0} // the nodes that hold the place reached
	for _, n := range list {
		for len(open) > 1 && t.nodes[open[len(open)-1]].end <= n.start {
			open = open[:len(open)-1]
		}
		holder := len(open) - 1
		if t.nodes[open[holder]].end < n.end {
			continue // crosses a node that starts before it
		}
		n.parent = open[holder]
		id := int32(len(t.nodes))
		t.nodes = append(t.nodes, n)
		t.nodes[n.parent].children = append(t.nodes[n.parent].children, id)
		t.byRange[n.byteRange] = id
		open = append(open, id)
	}
}

// seal is called when every node's code is known, before owners are asked for.
func (t *sourceTree) seal() {
	t.holdsCode = make([]bool, len(t.nodes))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		t.holdsCode[i] = t.holdsCode[i] || n.code
		if t.holdsCode[i] && n.parent >= 0 {
			t.holdsCode[n.parent] = true
		}
	}
}

// kindOf classifies an AST node.
func kindOf(n *compile.Node) nodeKind {
	if isMessage(n) {
		return messageNode
	}
	switch n.Type {
	case "FunctionDefinition":
		return functionNode
	case "ModifierDefinition":
		return modifierNode
	case "Block", "UncheckedBlock", "YulBlock":
		return bodyNode
	case "SourceUnit", "YulUnit", "ContractDefinition", "StructDefinition", "EnumDefinition", "EventDefinition",
		"ErrorDefinition", "UserDefinedValueTypeDefinition", "PragmaDirective", "ImportDirective",
		"UsingForDirective", "StructuredDocumentation":
		return declarationNode
	case "VariableDeclaration":
		if isStateVariable(n) {
			return statementNode
		}
	case "Return", "Throw", "Break", "Continue", "InlineAssembly", "TryCatchClause",
		"ExpressionStatement", "VariableDeclarationStatement", "VariableDefinitionStatement", "IfStatement",
		"WhileStatement", "DoWhileStatement", "ForStatement", "TryStatement", "EmitStatement", "RevertStatement",
		"PlaceholderStatement", "YulAssignment", "YulVariableDeclaration", "YulExpressionStatement", "YulIf",
		"YulSwitch", "YulCase", "YulForLoop", "YulFunctionDefinition", "YulLeave", "YulBreak", "YulContinue":
		return statementNode
	}
	return expressionNode
}

// isStateVariable reports whether n declares a state variable or a constant of
// the file.
func isStateVariable(n *compile.Node) bool {
	return n.Type == "VariableDeclaration" && n.Parent != nil &&
		(n.Parent.Type == "ContractDefinition" || n.Parent.Type == "SourceUnit")
}

// isLocalVariable reports whether n declares a variable of a function's body.
func isLocalVariable(n *compile.Node) bool {
	return n != nil && n.Type == "VariableDeclaration" && n.Parent != nil && n.Parent.Type == "VariableDeclarationStatement"
}

// kindOfRange classifies a range without a node: a part of inline assembly.
func (t *sourceTree) kindOfRange(r byteRange) nodeKind {
	if t.text[r.start] == '{' {
		return bodyNode
	}
	return expressionNode
}

// innermost is the smallest node that holds the byte at offset.
func (t *sourceTree) innermost(offset int) int32 {
	return t.descend(func(n *treeNode) bool { return n.end > offset }, func(n *treeNode) bool { return n.start <= offset })
}

// around is the smallest node with bytes on both sides of offset.
func (t *sourceTree) around(offset int) int32 {
	return t.descend(func(n *treeNode) bool { return n.end > offset }, func(n *treeNode) bool { return n.start < offset })
}

// descend goes from the root to ever smaller nodes: to the first child that
// satisfies after (true from some sibling on), while it satisfies holds.
func (t *sourceTree) descend(after, holds func(*treeNode) bool) int32 {
	at := int32(0)
	for {
		children := t.nodes[at].children
		i := sort.Search(len(children), func(i int) bool { return after(&t.nodes[children[i]]) })
		if i == len(children) || !holds(&t.nodes[children[i]]) {
			return at
		}
		at = children[i]
	}
}

// enclosing is the nearest node from n upwards that satisfies is; false when
// there is none.
func (t *sourceTree) enclosing(n int32, is func(*treeNode) bool) (int32, bool) {
	for ; n >= 0; n = t.nodes[n].parent {
		if is(&t.nodes[n]) {
			return n, true
		}
	}
	return 0, false
}

// callable is the function or modifier that holds n; false outside of all.
func (t *sourceTree) callable(n int32) (int32, bool) {
	return t.enclosing(n, func(n *treeNode) bool { return n.kind == functionNode || n.kind == modifierNode })
}

// nextChild is the first child of n that starts at offset or behind it.
func (t *sourceTree) nextChild(n int32, offset int) (int32, bool) {
	children := t.nodes[n].children
	i := sort.Search(len(children), func(i int) bool { return t.nodes[children[i]].start >= offset })
	if i == len(children) {
		return 0, false
	}
	return children[i], true
}

// tokensIn lists the tokens that overlap a range, comments not among them.
func (t *sourceTree) tokensIn(r byteRange) []solidity.Token {
	from := sort.Search(len(t.tokens), func(i int) bool { return t.tokens[i].End > r.start })
	to := from + sort.Search(len(t.tokens)-from, func(i int) bool { return t.tokens[from+i].Start >= r.end })
	return t.tokens[from:to]
}

// isPunctuation reports whether a token is mere structure; operators are not.
func (t *sourceTree) isPunctuation(token solidity.Token) bool {
	if token.Kind != solidity.Punct || token.End-token.Start != 1 {
		return false
	}
	switch t.text[token.Start] {
	case '(', ')', '{', '}', '[', ']', ';', ',', '.', ':':
		return true
	}
	return false
}

// onlyPunctuation reports whether the bytes of n that no child holds are mere
// structure.
func (t *sourceTree) onlyPunctuation(n int32) bool {
	only, known := t.punctuation[n]
	if !known {
		only = t.checkPunctuation(n)
		t.punctuation[n] = only
	}
	return only
}

func (t *sourceTree) checkPunctuation(n int32) bool {
	at := t.nodes[n].start
	own := func(end int) bool {
		for _, token := range t.tokensIn(byteRange{at, end}) {
			if token.Start >= at && !t.isPunctuation(token) {
				return false
			}
		}
		return true
	}
	for _, child := range t.nodes[n].children {
		if !own(t.nodes[child].start) {
			return false
		}
		at = t.nodes[child].end
	}
	return own(t.nodes[n].end)
}
