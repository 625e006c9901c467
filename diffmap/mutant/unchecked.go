package mutant

import "github.com/sightline-evm/sightline/diffmap/compile"

// plantDropUnchecked stands for a calculation that is meant to wrap around and reverts. Blocks
// that calculate nothing, or only count, do the same either way.
func plantDropUnchecked(s *source, n *compile.Node) {
	if n.Type != "UncheckedBlock" {
		return
	}
	calculates := false
	n.Walk(func(part *compile.Node) bool {
		operator := part.Attribute("operator")
		switch part.Type {
		case "BinaryOperation":
			calculates = calculates || isInteger(part.ValueType) && (operator == "+" || operator == "-" || operator == "*" || operator == "**")
		case "Assignment":
			calculates = calculates || operator == "+=" || operator == "-=" || operator == "*="
		}
		return !calculates
	})
	if word, ok := s.token("unchecked", n.Start, n.End()); ok && word.Start == n.Start && calculates {
		s.plant(DropUnchecked, word.Start, word.End, "", "`unchecked` removed")
	}
}
