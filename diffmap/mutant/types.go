package mutant

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

var (
	integerType = regexp.MustCompile(`^u?int[0-9]+$`)
	bytesType   = regexp.MustCompile(`^bytes[0-9]+$`)
	arrayEnd    = regexp.MustCompile(`\[([0-9]{1,9})\]( storage ref| storage pointer| memory| calldata)?$`)
)

// isInteger reports whether values of a type are integers, other than literals.
func isInteger(valueType string) bool { return integerType.MatchString(valueType) }

// isBits reports whether the operators of bits are defined for a type.
func isBits(valueType string) bool { return isInteger(valueType) || bytesType.MatchString(valueType) }

// isLiteral reports whether a type is that of an expression of literals alone.
func isLiteral(valueType string) bool {
	return strings.HasPrefix(valueType, "int_const ") || strings.HasPrefix(valueType, "rational_const ")
}

// isCompared reports whether the compiler itself defines comparisons of a type, not the project.
func isCompared(valueType string) bool {
	for _, prefix := range []string{"bool", "address", "contract ", "enum ", "function ", "literal_string "} {
		if strings.HasPrefix(valueType, prefix) {
			return true
		}
	}
	return isBits(valueType) || isLiteral(valueType)
}

// width is the width of an integer or a bytes type, in bits; false for other types.
func width(valueType string) (kind string, bits int, ok bool) {
	kind = strings.TrimRight(valueType, "0123456789")
	n, err := strconv.Atoi(valueType[len(kind):])
	switch {
	case err != nil:
		return "", 0, false
	case kind == "bytes":
		return kind, n * 8, n > 0 && n <= 32
	}
	return kind, n, (kind == "int" || kind == "uint") && n > 0 && n <= 256
}

// fits reports whether an integer type has the value; of a type that is none, whether it is unknown or that of literals.
func fits(value *big.Int, valueType string) bool {
	kind, bits, ok := width(valueType)
	switch {
	case !ok:
		return valueType == "" || isLiteral(valueType)
	case kind == "int":
		bits--
	case kind == "bytes":
		return false
	}
	return value.BitLen() <= bits
}

// parameterTypes are the types of the parameters of a function, by its type; nil for what is none.
func parameterTypes(functionType string) []string {
	rest, ok := strings.CutPrefix(functionType, "function ")
	if !ok {
		return nil
	}
	at := strings.IndexByte(rest, '(')
	if at < 0 {
		return nil
	}
	var list []string
	depth, from := 0, at+1
	for i := at; i < len(rest); i++ {
		switch rest[i] {
		case '(':
			depth++
		case ')', ',':
			if depth == 1 {
				list = append(list, strings.TrimSpace(rest[from:i]))
				from = i + 1
			}
			if rest[i] == ')' {
				if depth--; depth == 0 {
					return list
				}
			}
		}
	}
	return nil
}

// isConversion reports whether a call is a conversion of types.
func isConversion(call *compile.Node) bool {
	if call.Type != "FunctionCall" {
		return false
	}
	if kind := call.Attribute("kind"); kind != "" {
		return kind == "typeConversion"
	}
	callee := call.Child("expression") // of 0.4.11
	return callee != nil && (callee.Type == "ElementaryTypeNameExpression" || strings.HasPrefix(callee.ValueType, "type(") && !strings.HasPrefix(callee.ValueType, "type(struct "))
}

// arguments are those of a call or a modifier invocation.
func arguments(call *compile.Node) []*compile.Node { return call.All("arguments") }

// converted is what a conversion converts, and to which type; nil for other expressions.
func converted(n *compile.Node) (*compile.Node, string) {
	if n == nil || !isConversion(n) || len(arguments(n)) != 1 {
		return nil, ""
	}
	return arguments(n)[0], n.ValueType
}

// expected is the type that a value has to have where it stands; empty when that is not known.
func (s *source) expected(n *compile.Node) string {
	for n.Parent != nil && n.Role != "condition" && (n.Parent.Type == "Conditional" || n.Parent.Type == "TupleExpression" && len(n.Parent.Children) == 1) {
		n = n.Parent
	}
	parent := n.Parent
	if parent == nil {
		return ""
	}
	switch parent.Type {
	case "FunctionCall":
		return expectedArgument(parent, n)
	case "BinaryOperation":
		switch parent.Attribute("operator") {
		case "<<", ">>", "**":
			return ""
		}
		return typeOf(otherOperand(parent, n))
	case "Assignment":
		return typeOf(otherOperand(parent, n))
	case "VariableDeclaration":
		return parent.ValueType
	case "VariableDeclarationStatement":
		if len(parent.Children) == 2 {
			return typeOf(parent.Child("declarations"))
		}
	case "Return":
		if s.function == nil {
			return ""
		}
		if results := s.function.Child("returnParameters"); results != nil && len(results.Children) == 1 {
			return results.Children[0].ValueType
		}
	case "IndexAccess":
		if mapping, ok := strings.CutPrefix(typeOf(otherOperand(parent, n)), "mapping("); ok {
			key, _, _ := strings.Cut(mapping, " => ")
			return key
		}
	}
	return ""
}

// expectedArgument is the type of a call's parameter that an argument is given for.
func expectedArgument(call, argument *compile.Node) string {
	if isConversion(call) {
		return call.ValueType
	}
	types := parameterTypes(typeOf(call.Child("expression")))
	for i, given := range arguments(call) {
		if given == argument && i < len(types) {
			return types[i]
		}
	}
	return ""
}

// otherOperand is the first child of a node other than n; nil when there is none.
func otherOperand(parent, n *compile.Node) *compile.Node {
	for _, child := range parent.Children {
		if child != n {
			return child
		}
	}
	return nil
}

// typeOf is the type of an expression; empty for none.
func typeOf(n *compile.Node) string {
	if n == nil {
		return ""
	}
	return n.ValueType
}
