package mutant

import (
	"github.com/sightline-evm/sightline/diffmap/compile"
)

// plantRemoveRequire stands for a check that was forgotten: require, assert, and an if
// statement that does nothing but revert.
func plantRemoveRequire(s *source, n *compile.Node) {
	if isCheck(n) {
		s.remove(RemoveRequire, n)
	}
}

// plantRemoveStatement stands for a step that was forgotten: a call, an assignment, a delete,
// an event, a revert.
func plantRemoveStatement(s *source, n *compile.Node) {
	if n.Role == "loopExpression" || n.Role == "initializationExpression" || isCheck(n) {
		return
	}
	switch n.Type {
	case "EmitStatement":
		s.remove(RemoveStatement, n)
	case "RevertStatement", "Throw":
		if !refuses(n) {
			s.remove(RemoveStatement, n)
		}
	case "ExpressionStatement":
		done := n.Child("expression")
		switch {
		case done == nil, done.Type == "FunctionCall" && isConversion(done), isRevert(n) && refuses(n):
		case done.Type == "FunctionCall",
			done.Type == "Assignment" && !s.stepsLoop(done) && !s.initializes(done),
			done.Type == "UnaryOperation" && (done.Attribute("operator") == "delete" || counts[done.Attribute("operator")] != "") && !s.stepsLoop(done):
			s.remove(RemoveStatement, n)
		}
	}
}

// initializes reports whether an assignment sets an immutable variable, which compilers
// before 0.8.21 insist on.
func (s *source) initializes(assignment *compile.Node) bool {
	variable := s.meaning(assignment.Child("leftHandSide"))
	return variable != nil && mutability(variable) == "immutable" && !s.atLeast(8, 21)
}

// remove takes a statement away. One that is a branch of its own leaves an empty block.
func (s *source) remove(operator Operator, n *compile.Node) {
	end, empty := s.statement(n), ""
	switch n.Role {
	case "trueBody", "falseBody", "body":
		empty = "{}"
	}
	s.plant(operator, n.Start, end, empty, short(s.of(n))+" removed")
}

// isCheck reports whether a statement does nothing but revert under a condition.
func isCheck(n *compile.Node) bool {
	switch n.Type {
	case "ExpressionStatement":
		call := n.Child("expression")
		return isCallOf(call, "require") || isCallOf(call, "assert")
	case "IfStatement":
		return n.Child("falseBody") == nil && isRevert(onlyStatement(n.Child("trueBody")))
	}
	return false
}

// isRevert reports whether a statement reverts.
func isRevert(n *compile.Node) bool {
	return n != nil && (n.Type == "RevertStatement" || n.Type == "Throw" || n.Type == "ExpressionStatement" && isCallOf(n.Child("expression"), "revert"))
}

// refuses reports whether a revert is all that an if statement does: without it, nothing is left of the statement.
func refuses(n *compile.Node) bool {
	for ; n.Parent != nil && n.Type != "IfStatement"; n = n.Parent {
		if n.Parent.Type == "IfStatement" {
			return isCheck(n.Parent)
		}
		if n.Parent.Type != "Block" {
			return false
		}
	}
	return false
}

// isCallOf reports whether an expression is a call of the compiler's function of that name.
func isCallOf(call *compile.Node, name string) bool {
	if call == nil || call.Type != "FunctionCall" {
		return false
	}
	callee := call.Child("expression")
	return callee != nil && callee.Type == "Identifier" && callee.Attribute("name") == name
}

// plantRemoveModifier stands for a function that was left open: a modifier is not applied.
// Calls of base constructors are left out.
func plantRemoveModifier(s *source, n *compile.Node) {
	if n.Type != "ModifierInvocation" {
		return
	}
	modifier := s.meaning(n.Child("modifierName"))
	if modifier == nil && n.Attribute("kind") != "modifierInvocation" || modifier != nil && (modifier.Type != "ModifierDefinition" || doesNothing(modifier)) {
		return
	}
	s.plant(RemoveModifier, n.Start, n.End(), "", short(s.of(n))+" removed")
}

// doesNothing reports whether a modifier only runs the function, wherever it is not overridden.
func doesNothing(modifier *compile.Node) bool {
	only := onlyStatement(modifier.Child("body"))
	return only != nil && only.Type == "PlaceholderStatement"
}
