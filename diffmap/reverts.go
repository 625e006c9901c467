package diffmap

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// This file says after which lines nothing but a revert can follow: a revert, what comes before one in its block, and calls of
// functions that end so whatever they do, as libraries of custom errors have them ("Broken.selector.revertWith();").

// reverter answers for one build what always reverts.
type reverter struct {
	functions map[int]*compile.Node // by AST id
	state     map[int]bool          // AST ids of state variables
	// What is known of functions, once it is known of all that they call.
	reverts, ends map[int]bool
	// certain tells of statements of the blocks that were asked about whether from each on nothing but a revert can follow.
	certain map[*compile.Node]bool
}

func newReverter(output *compile.Output) *reverter {
	r := &reverter{map[int]*compile.Node{}, map[int]bool{}, map[int]bool{}, map[int]bool{}, map[*compile.Node]bool{}}
	for _, s := range output.Sources {
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
	return r
}

// alwaysReverts reports whether whatever runs the node n reverts: it is part of a revert, of the message of a
// require, or of a require or assert of false; or such a statement follows, whatever happens in between. What writes to the
// state, or emits, is not meant to be undone: it counts only as executed in calls that revert.
func (t *sourceTree) alwaysReverts(n int32, r *reverter) bool {
	if t.inMessage(n) {
		return true
	}
	for ; n >= 0; n = t.nodes[n].parent {
		if ast := t.nodes[n].ast; ast != nil {
			return r.follows(ast) && !r.changesState(ast)
		}
	}
	return false
}

// follows reports whether a statement that always reverts is n, holds it, or comes after it in a block around it, and
// nothing from n on leaves that block otherwise.
func (r *reverter) follows(n *compile.Node) bool {
	for ; n.Parent != nil && n.Type != "FunctionDefinition"; n = n.Parent {
		switch {
		case n.Type == "ModifierDefinition", n.Type == "YulFunctionDefinition", n.Type == "ContractDefinition":
			return false
		case isBlock(n.Parent) && r.isCertain(n), !isBlock(n.Parent) && r.statement(n):
			return true
		}
	}
	return n.Type == "FunctionDefinition" && r.body(n)
}

// isCertain reports whether nothing but a revert can follow from a statement of a block on, in that block.
func (r *reverter) isCertain(n *compile.Node) bool {
	if _, ok := r.certain[n]; !ok {
		certain := false
		for _, s := range slices.Backward(n.Parent.Children) {
			certain = r.statement(s) || certain && !r.leaves(s)
			r.certain[s] = certain
		}
	}
	return r.certain[n]
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
	r.settle(id)
	return r.reverts[id] && !mayBeOverridden(r.functions[id])
}

// settle finds out about a function, and all that it calls: what holds is the least that explains itself, so that recursion ends,
// and the order of questions does not matter.
func (r *reverter) settle(id int) {
	list := r.unknown(id, nil)
	for again := true; again; {
		again = false
		for _, f := range list {
			if !r.ends[f] && r.anyEnds(r.functions[f]) {
				r.ends[f], again = true, true
			}
		}
	}
	for again := true; again; {
		again = false
		for _, f := range list {
			if !r.reverts[f] && r.body(r.functions[f]) {
				r.reverts[f], again = true, true
			}
		}
	}
}

// unknown appends a function and those that it names, if nothing was asked of them; callees come before their callers.
func (r *reverter) unknown(id int, list []int) []int {
	if _, known := r.reverts[id]; known || r.functions[id] == nil {
		return list
	}
	r.reverts[id], r.ends[id] = false, false
	r.functions[id].Walk(func(n *compile.Node) bool {
		if named, ok := n.Int("referencedDeclaration"); ok {
			list = r.unknown(named, list)
		}
		return true
	})
	return append(list, id)
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

// anyEnds is endsCall of a node and all below it.
func (r *reverter) anyEnds(n *compile.Node) (found bool) {
	n.Walk(func(n *compile.Node) bool {
		found = found || r.endsCall(n)
		return !found
	})
	return found
}

// endsCall reports whether a node may end the whole call well, as assembly can, in a function that it calls as well. What
// overrides that, and functions within assembly, are not looked at: of the latter, any may.
func (r *reverter) endsCall(n *compile.Node) bool {
	switch n.Type {
	case "YulFunctionCall":
		if name := n.Child("functionName"); name != nil {
			switch name.Attribute("name") {
			case "return", "stop", "selfdestruct":
				return true
			}
			return isDefined(name)
		}
	case "Identifier", "MemberAccess":
		if name := n.Attribute("name"); name == "selfdestruct" || name == "suicide" {
			return true
		}
		if id, ok := n.Int("referencedDeclaration"); ok {
			r.settle(id)
			return r.ends[id]
		}
	}
	return false
}

// isDefined reports whether the function of a name is one of the assembly around it.
func isDefined(name *compile.Node) bool {
	for n := name; n != nil && n.Type != "InlineAssembly"; n = n.Parent {
		if slices.ContainsFunc(n.Children, func(c *compile.Node) bool {
			return c.Type == "YulFunctionDefinition" && c.Attribute("name") == name.Attribute("name")
		}) {
			return true
		}
	}
	return false
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
