package diffmap

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// This file says after which lines nothing but a revert can follow: a revert, what comes before one in its block, and calls of
// functions that end so whatever they do, as libraries of custom errors have them ("Broken.selector.revertWith();").

// reverter answers for one build what always reverts. The zero value with a build is ready to use.
type reverter struct {
	output    *compile.Output
	functions map[int]*compile.Node // by AST id; nil until something is asked of one
	state     map[int]bool          // AST ids of state variables; made with functions
	answers   map[int]bool          // of functions; false while one is looked at, so that recursion ends
	ending    map[int]bool          // functions that may end the whole call well, likewise
}

// alwaysReverts reports whether whatever runs the node n reverts: it is part of a revert, of the message of a
// require, or of a require or assert of false; or such a statement follows, whatever happens in between. What writes to the
// state, or emits, is not meant to be undone: it counts only as executed in calls that revert.
func (t *sourceTree) alwaysReverts(n int32, r *reverter) bool {
	if t.inMessage(n) || t.isOfRevert(n) {
		return true
	}
	for ; n >= 0; n = t.nodes[n].parent {
		if ast := t.nodes[n].ast; ast != nil {
			return r.follows(ast) && !r.changesState(ast)
		}
	}
	return false
}

// isOfRevert reports whether n is part of a statement that does nothing but revert, and runs whenever that does.
func (t *sourceTree) isOfRevert(n int32) bool {
	for ; n >= 0; n = t.nodes[n].parent {
		node := &t.nodes[n]
		if node.kind == bodyNode || node.kind == declarationNode {
			return false
		}
		if node.ast != nil && revertsAlways(node.ast) {
			return true
		}
		if t.runsConditionally(n) && node.kind != statementNode {
			return false
		}
	}
	return false
}

// follows reports whether a statement that always reverts is n, holds it, or comes after it in a block around it, and
// nothing from n on leaves that block otherwise.
func (r *reverter) follows(n *compile.Node) bool {
	for ; n.Parent != nil && n.Type != "FunctionDefinition"; n = n.Parent {
		switch n.Type {
		case "ModifierDefinition", "YulFunctionDefinition", "ContractDefinition":
			return false
		}
		if !isBlock(n.Parent) {
			if r.statement(n) {
				return true
			}
			continue
		}
		behind := n.Parent.Children
		for behind[0] != n {
			behind = behind[1:]
		}
		for _, s := range behind {
			if r.statement(s) {
				return true
			}
			if r.leaves(s) {
				return false
			}
		}
	}
	return n.Type == "FunctionDefinition" && r.body(n)
}

// statement reports whether a statement reverts whatever it does.
func (r *reverter) statement(n *compile.Node) bool {
	switch {
	case revertsAlways(n):
		return true
	case isBlock(n):
		for _, s := range n.Children {
			if r.statement(s) {
				return true
			}
			if r.leaves(s) {
				return false
			}
		}
	case n.Type == "InlineAssembly":
		body := n.Child("AST")
		return body != nil && r.statement(body)
	case n.Type == "IfStatement":
		yes, no := n.Child("trueBody"), n.Child("falseBody")
		return yes != nil && no != nil && r.statement(yes) && r.statement(no)
	case n.Type == "ExpressionStatement":
		call := n.Child("expression")
		if call == nil || call.Type != "FunctionCall" || call.Child("expression") == nil {
			return false
		}
		id, ok := call.Child("expression").Int("referencedDeclaration")
		return ok && r.function(id)
	}
	return false
}

// function reports whether each call of a function reverts. One that others override is none: which is called is not known.
func (r *reverter) function(id int) bool {
	if r.functions == nil {
		r.list()
	}
	if answer, ok := r.answers[id]; ok {
		return answer
	}
	definition := r.functions[id]
	if definition == nil || mayBeOverridden(definition) {
		return false
	}
	r.answers[id] = false
	r.answers[id] = r.body(definition)
	return r.answers[id]
}

// mayBeOverridden reports whether a call of a function may run another one: any of a contract may before solc 0.6, whose ASTs
// do not say virtual.
func mayBeOverridden(definition *compile.Node) bool {
	if of := definition.Parent; of == nil || of.Type != "ContractDefinition" || of.Attribute("contractKind") == "library" {
		return false
	}
	return definition.Attributes.Get("virtual") != false && definition.Attribute("visibility") != "private"
}

// body reports whether a function reverts whenever it is entered. A modifier may do without the body.
func (r *reverter) body(definition *compile.Node) bool {
	body := definition.Child("body")
	return body != nil && definition.Child("modifiers") == nil && r.statement(body)
}

// list lists the functions that a call may mean, and the state variables.
func (r *reverter) list() {
	r.functions, r.state, r.answers, r.ending = map[int]*compile.Node{}, map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, s := range r.output.Sources {
		s.AST.Walk(func(n *compile.Node) bool {
			switch n.Type {
			case "FunctionDefinition":
				r.functions[n.ID] = n
			case "VariableDeclaration":
				r.state[n.ID] = n.Attributes.Get("stateVariable") == true
			}
			return n.Type == "SourceUnit" || n.Type == "ContractDefinition"
		})
	}
}

// changesState reports whether the statement that a node is part of writes to storage, or emits, by itself: what functions do that
// it calls is theirs.
func (r *reverter) changesState(n *compile.Node) (changes bool) {
	for !strings.HasSuffix(n.Type, "Statement") {
		if n = n.Parent; n == nil {
			return false // of a function's header
		}
	}
	switch n.Type {
	case "ExpressionStatement", "EmitStatement", "VariableDeclarationStatement", "YulExpressionStatement":
	default:
		return false // n was of a condition
	}
	n.Walk(func(n *compile.Node) bool {
		switch n.Type {
		case "EmitStatement":
			changes = true
		case "Assignment":
			changes = changes || r.isState(n.Child("leftHandSide"))
		case "UnaryOperation":
			switch n.Attribute("operator") {
			case "++", "--", "delete":
				changes = changes || r.isState(n.Child("subExpression"))
			}
		case "YulFunctionCall":
			if name := n.Child("functionName"); name != nil {
				switch name := name.Attribute("name"); name {
				case "sstore", "tstore":
					changes = true
				default:
					changes = changes || strings.HasPrefix(name, "log") && len(name) == len("log0")
				}
			}
		}
		return !changes
	})
	return changes
}

// isState reports whether what is assigned to is in storage.
func (r *reverter) isState(n *compile.Node) bool {
	if r.functions == nil {
		r.list()
	}
	for n != nil {
		if id, ok := n.Int("referencedDeclaration"); n.Type == "Identifier" && ok && r.state[id] || strings.Contains(n.ValueType, " storage ") {
			return true
		}
		if n.Type == "TupleExpression" {
			return slices.ContainsFunc(n.Children, r.isState)
		}
		n = cmp.Or(n.Child("baseExpression"), n.Child("expression"))
	}
	return false
}

func isBlock(n *compile.Node) bool {
	return n.Type == "Block" || n.Type == "UncheckedBlock" || n.Type == "YulBlock"
}

// leaves reports whether something of a statement may end the block around it, or the call, other than by a revert. What leaves
// a loop within the statement alone counts as well: it would take more than this to tell.
func (r *reverter) leaves(n *compile.Node) (found bool) {
	n.Walk(func(n *compile.Node) bool {
		switch n.Type {
		case "Return", "Break", "Continue", "PlaceholderStatement", "YulLeave", "YulBreak", "YulContinue":
			found = true
		}
		found = found || r.endsCall(n)
		return !found
	})
	return found
}

// endsCall reports whether a node may end the whole call well, as assembly can, in a function that it calls as well.
func (r *reverter) endsCall(n *compile.Node) bool {
	switch n.Type {
	case "YulFunctionCall":
		if name := n.Child("functionName"); name != nil {
			switch name.Attribute("name") {
			case "return", "stop", "selfdestruct":
				return true
			}
		}
	case "Identifier", "MemberAccess":
		if name := n.Attribute("name"); name == "selfdestruct" || name == "suicide" {
			return true
		}
		id, ok := n.Int("referencedDeclaration")
		return ok && r.functionEnds(id)
	}
	return false
}

// functionEnds is endsCall of all that a function does. What overrides it is not looked at.
func (r *reverter) functionEnds(id int) bool {
	if r.functions == nil {
		r.list()
	}
	definition := r.functions[id]
	if definition == nil {
		return false
	}
	if _, ok := r.ending[id]; !ok {
		r.ending[id] = false
		definition.Walk(func(n *compile.Node) bool {
			r.ending[id] = r.ending[id] || r.endsCall(n)
			return !r.ending[id]
		})
	}
	return r.ending[id]
}

// revertsAlways reports whether a statement does nothing but revert.
func revertsAlways(n *compile.Node) bool {
	switch n.Type {
	case "RevertStatement", "Throw":
		return true
	case "ExpressionStatement":
		call := n.Child("expression")
		if call == nil || call.Type != "FunctionCall" {
			return false
		}
		callee, first := call.Child("expression"), call.Child("arguments")
		if callee == nil || callee.Type != "Identifier" {
			return false
		}
		switch callee.Attribute("name") {
		case "revert":
			return true
		case "require", "assert":
			return first != nil && first.Type == "Literal" && first.Attribute("value") == "false"
		}
	case "YulExpressionStatement":
		call := n.Child("expression")
		if call == nil || call.Child("functionName") == nil {
			return false
		}
		name := call.Child("functionName").Attribute("name")
		return name == "revert" || name == "invalid"
	}
	return false
}
