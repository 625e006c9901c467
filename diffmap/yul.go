package diffmap

import (
	"fmt"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// isYul reports whether the source is a Yul one.
func (t *sourceTree) isYul() bool {
	return t.source.Unmapped != "" || t.source.AST != nil && t.source.AST.Type == "YulUnit"
}

// yulFunction is the name of the function of a Yul source that holds n; empty
// outside of all.
func (t *sourceTree) yulFunction(n int32) string {
	f, ok := t.enclosing(n, func(n *treeNode) bool { return n.astType() == "YulFunctionDefinition" })
	if !ok || !t.isYul() {
		return ""
	}
	return t.nodes[f].ast.Attribute("name")
}

// yulVerdict judges a line of a Yul source that no instruction owns.
func (t *sourceTree) yulVerdict(n int32, output *compile.Output) verdict {
	code, inside := int32(-1), false // the code of the object that holds n
	for at := n; at >= 0; at = t.nodes[at].parent {
		if t.nodes[at].role() == "object" {
			code, inside = at, true
		}
	}
	f, function := t.enclosing(n, func(n *treeNode) bool { return n.astType() == "YulFunctionDefinition" })
	switch {
	case t.source.Unmapped != "":
		return verdict{status: Unmapped, reason: t.source.Unmapped}
	case !inside:
		return verdict{status: NoBytecode, reason: "outside of the code of any object: no instruction of its own"}
	case optimized(output):
		return verdict{status: Unmapped, reason: unmappedReason(output)}
	case !t.holdsCode[code]:
		return verdict{status: Unmapped, reason: "the compiler tells the code of the outermost object only, and of the one in it where that is the only one, or has its name and _deployed"}
	case function && !t.holdsCode[f]:
		return verdict{status: unused, reason: fmt.Sprintf("function %s is never called", t.yulFunction(n))}
	case t.style.shuffled:
		return verdict{status: Unmapped, reason: "the code keeps nothing of this line but the order of values on the stack"}
	}
	return verdict{status: NoBytecode, reason: "the compiler makes no instruction for this line"}
}
