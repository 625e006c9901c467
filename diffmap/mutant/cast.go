package mutant

import "github.com/sightline-evm/sightline/diffmap/compile"

// plantDropCast stands for a value that is not cut to a width: the conversion to a narrower type is
// left out where what is around takes the wider one, too. That is another conversion, a
// comparison, or a variable.
func plantDropCast(s *source, n *compile.Node) {
	inner, narrow := converted(n)
	if inner == nil || !s.inText(inner) || n.Parent == nil {
		return
	}
	kind, bits, ok := width(narrow)
	innerKind, innerBits, known := width(inner.ValueType)
	if !ok || !known || kind != innerKind || bits >= innerBits {
		return
	}
	if s.takes(n, kind, innerBits) {
		s.plant(DropCast, n.Start, n.End(), s.of(inner), became(s.of(n), s.of(inner)))
	}
}

// takes reports whether what is around a value takes one of the same kind and of that width.
func (s *source) takes(n *compile.Node, kind string, bits int) bool {
	parent := n.Parent
	switch parent.Type {
	case "BinaryOperation":
		switch parent.Attribute("operator") {
		case "<", "<=", ">", ">=", "==", "!=":
			for _, other := range parent.Children {
				if otherKind, _, ok := width(other.ValueType); other != n && (ok && otherKind == kind) {
					return true
				}
			}
		}
		return false
	case "FunctionCall":
		if !isConversion(parent) {
			return false
		}
		toKind, toBits, ok := width(parent.ValueType)
		return ok && (toKind == kind || toBits == bits && kind != "bytes" && toKind != "bytes")
	case "Assignment", "VariableDeclaration", "VariableDeclarationStatement", "Return":
		toKind, toBits, ok := width(s.expected(n))
		return ok && toKind == kind && toBits >= bits
	}
	return false
}
