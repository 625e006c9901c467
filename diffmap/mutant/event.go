package mutant

import (
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// plantEventArgument stands for an event that tells something else than what was done: two
// of its arguments of the same type are exchanged, and others are zero.
func plantEventArgument(s *source, n *compile.Node) {
	if n.Type != "FunctionCall" || !s.isEvent(n) {
		return
	}
	given := arguments(n)
	swapped := make([]bool, len(given))
	for i := 1; i < len(given); i++ {
		if s.swap(EventArgument, given[i-1], given[i]) {
			swapped[i-1], swapped[i] = true, true
		}
	}
	for i, argument := range given {
		zero := zeroOf(argument.ValueType)
		if swapped[i] || zero == "" || !s.inText(argument) || strings.Join(strings.Fields(s.of(argument)), "") == zero {
			continue
		}
		s.plant(EventArgument, argument.Start, argument.End(), zero, became(s.of(argument), zero))
	}
}

// isEvent reports whether a call logs an event; before 0.4.21 nothing but its name says so.
func (s *source) isEvent(call *compile.Node) bool {
	if call.Parent != nil && call.Parent.Type == "EmitStatement" {
		return true
	}
	event := s.meaning(call.Child("expression"))
	return event != nil && event.Type == "EventDefinition"
}

// zeroOf is the zero of a type; empty for types that have none, or not as an expression.
func zeroOf(valueType string) string {
	switch {
	case isInteger(valueType):
		return "0"
	case valueType == "address" || valueType == "address payable":
		return "address(0)"
	case valueType == "bool":
		return "false"
	case bytesType.MatchString(valueType):
		return valueType + "(0)"
	case valueType == "string memory", valueType == "string calldata", valueType == "string storage ref", strings.HasPrefix(valueType, "literal_string "):
		return `""`
	}
	return ""
}
