package mutant

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

var (
	calculations = map[string]string{
		"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
	}
	updates = map[string]string{
		"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "*=", "<<=": ">>=", ">>=": "<<=", "&=": "|=", "|=": "&=",
	}
	counts = map[string]string{"++": "--", "--": "++"}
	// neutral is the right operand that makes an operator and the one in its place do the same, or
	// something that compilers refuse.
	neutral = map[string][]string{"+": {"0"}, "-": {"0"}, "*": {"1", "0"}, "/": {"1"}, "<<": {"0"}, ">>": {"0"}}
)

// plantArithmetic stands for a calculation with the wrong operator: a balance that grows
// where it should shrink.
func plantArithmetic(s *source, n *compile.Node) {
	operator := n.Attribute("operator")
	switch {
	case n.Type == "BinaryOperation" && calculations[operator] != "":
		if isCalculated(n.ValueType, operator) && !slices.Contains(neutral[operator], s.of(n.Child("rightExpression"))) {
			s.plantOperator(Arithmetic, n, calculations[operator])
		}
	case n.Type == "Assignment" && updates[operator] != "":
		calculation := strings.TrimSuffix(operator, "=")
		if isCalculated(n.ValueType, calculation) && !slices.Contains(neutral[calculation], s.of(n.Child("rightHandSide"))) && !s.stepsLoop(n) {
			s.plantOperator(Arithmetic, n, updates[operator])
		}
	case n.Type == "UnaryOperation" && counts[operator] != "" && isInteger(n.ValueType) && !s.stepsLoop(n):
		if at, ok := s.token(operator, n.Start, n.End()); ok {
			s.plant(Arithmetic, at.Start, at.End, counts[operator], became(s.of(n), s.of(n)[:at.Start-n.Start]+counts[operator]+s.of(n)[at.End-n.Start:]))
		}
	}
}

// isCalculated reports whether the compiler itself defines the operator and its mutant for a type.
func isCalculated(valueType, operator string) bool {
	switch operator {
	case "&", "|", "<<", ">>":
		return isBits(valueType)
	}
	return isInteger(valueType)
}

// stepsLoop reports whether an expression is what makes a loop end: it is the step of a for
// statement, or changes a variable that a condition around it reads. Another one would run
// until all gas is used, and every test notices.
func (s *source) stepsLoop(n *compile.Node) bool {
	changed := n.Child("subExpression")
	if changed == nil {
		changed = n.Child("leftHandSide")
	}
	if changed == nil {
		return false
	}
	variable, known := changed.Int("referencedDeclaration")
	for ; n != nil && n.Type != "FunctionDefinition"; n = n.Parent {
		if n.Role == "loopExpression" {
			return true
		}
		if known && (n.Type == "ForStatement" || n.Type == "WhileStatement" || n.Type == "DoWhileStatement") && s.condition(n)[variable] {
			return true
		}
	}
	return false
}

// condition is which declarations the condition of a loop refers to, by their ids.
func (s *source) condition(loop *compile.Node) map[int]bool {
	if known := s.conditions[loop]; known != nil {
		return known
	}
	ids := map[int]bool{}
	loop.Child("condition").Walk(func(part *compile.Node) bool {
		if id, ok := part.Int("referencedDeclaration"); ok {
			ids[id] = true
		}
		return true
	})
	s.conditions[loop] = ids
	return ids
}
