package mutant

import (
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

var relations = map[string]string{
	"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
}

// plantRelational stands for a condition that is off at its boundary, turned around, or
// joined in the wrong way: the most frequent mistake in checks.
func plantRelational(s *source, n *compile.Node) {
	switch {
	case n.Type == "BinaryOperation" && relations[n.Attribute("operator")] != "":
		if s.isCompared(n) && !s.isForegone(n) && !s.isChoice(n) {
			s.plantOperator(Relational, n, relations[n.Attribute("operator")])
		}
	case n.Type == "UnaryOperation" && n.Attribute("operator") == "!":
		if operand := n.Child("subExpression"); s.inText(operand) && operand.Start > n.Start && n.ValueType == "bool" {
			if not, ok := s.token("!", n.Start, operand.Start); ok {
				s.plant(Relational, not.Start, not.End, "", became(s.of(n), s.of(operand)))
			}
		}
	}
	if isCondition(n) && n.ValueType == "bool" {
		switch n.Type {
		case "Identifier", "MemberAccess", "IndexAccess", "FunctionCall":
			s.plant(Relational, n.Start, n.Start, "!", became(s.of(n), "!"+s.of(n)))
		}
	}
}

// isCompared reports whether the compiler defines what the operator does with both operands.
func (s *source) isCompared(n *compile.Node) bool {
	for _, operand := range n.Children {
		if operand.ValueType != "" && !isCompared(operand.ValueType) {
			return false
		}
	}
	return true
}

// isCondition reports whether a value decides what is done next.
func isCondition(n *compile.Node) bool {
	if n.Parent == nil {
		return false
	}
	switch n.Parent.Type {
	case "IfStatement", "Conditional":
		return n.Role == "condition"
	case "BinaryOperation":
		operator := n.Parent.Attribute("operator")
		return operator == "&&" || operator == "||"
	case "FunctionCall":
		given := arguments(n.Parent)
		return len(given) > 0 && given[0] == n && (isCallOf(n.Parent, "require") || isCallOf(n.Parent, "assert"))
	}
	return false
}

// isForegone reports whether a comparison says nothing, such as that an unsigned number is
// at least 0: what it becomes at its boundary is of no interest.
func (s *source) isForegone(n *compile.Node) bool {
	left, right, operator := s.of(n.Child("leftExpression")), s.of(n.Child("rightExpression")), n.Attribute("operator")
	unsigned := func(role string) bool { return strings.HasPrefix(typeOf(n.Child(role)), "uint") }
	isMost := func(code string) bool { return strings.HasPrefix(code, "type(") && strings.HasSuffix(code, ".max") }
	switch operator {
	case ">=", "<":
		return right == "0" && unsigned("leftExpression") || isMost(left)
	case "<=", ">":
		return left == "0" && unsigned("rightExpression") || isMost(right)
	}
	return left == right
}

// isChoice reports whether a comparison chooses one of what it compares, as a maximum does:
// where both are equal, it does not matter which.
func (s *source) isChoice(n *compile.Node) bool {
	parent := n.Parent
	if strings.HasSuffix(n.Attribute("operator"), "=") && strings.Trim(n.Attribute("operator"), "!=") == "" {
		return false // equality
	}
	for parent != nil && parent.Type == "TupleExpression" {
		n, parent = parent, parent.Parent
	}
	if parent == nil || n.Role != "condition" {
		return false
	}
	for n.Type == "TupleExpression" && len(n.Children) == 1 {
		n = n.Children[0]
	}
	left, right := s.of(n.Child("leftExpression")), s.of(n.Child("rightExpression"))
	same := func(a, b string) bool { return a == left && b == right || a == right && b == left }
	switch parent.Type {
	case "Conditional":
		return same(s.of(parent.Child("trueExpression")), s.of(parent.Child("falseExpression")))
	case "IfStatement":
		body := onlyStatement(parent.Child("trueBody"))
		if body == nil || parent.Child("falseBody") != nil || body.Type != "ExpressionStatement" {
			return false
		}
		set := body.Child("expression")
		return set != nil && set.Attribute("operator") == "=" && same(s.of(set.Child("leftHandSide")), s.of(set.Child("rightHandSide")))
	}
	return false
}

// onlyStatement is a statement, or the only one of a block; nil for others.
func onlyStatement(n *compile.Node) *compile.Node {
	for n != nil && (n.Type == "Block" || n.Type == "UncheckedBlock") {
		if len(n.Children) != 1 {
			return nil
		}
		n = n.Children[0]
	}
	return n
}

// plantOperator puts another operator between two operands.
func (s *source) plantOperator(as Operator, n *compile.Node, other string) {
	var operands []*compile.Node
	for _, child := range n.Children {
		switch child.Role {
		case "leftExpression", "rightExpression", "leftHandSide", "rightHandSide":
			operands = append(operands, child)
		}
	}
	if len(operands) != 2 || !s.inText(operands[0]) || !s.inText(operands[1]) {
		return
	}
	operator := n.Attribute("operator")
	if at, ok := s.token(operator, operands[0].End(), operands[1].Start); ok {
		s.plant(as, at.Start, at.End, other, became(operator, other))
	}
}
