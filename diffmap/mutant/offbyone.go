package mutant

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// maxDigits is how many digits a number has at most: those of 2²⁵⁶.
const maxDigits = 78

// plantOffByOne stands for a bound, an index or a share that is off by one. Hexadecimal
// numbers and powers of many digits, which are masks, selectors and addresses, stay as they
// are; so do numbers with an exponent, and lengths in types.
func plantOffByOne(s *source, n *compile.Node) {
	if n.Type != "Literal" || n.Attribute("kind") != "number" && !isLiteral(n.ValueType) || n.Parent == nil {
		return
	}
	for parent := n.Parent; parent != nil; parent = parent.Parent {
		if parent.Type == "ArrayTypeName" || isLiteral(parent.ValueType) && strings.Contains(parent.ValueType, "digits omitted") { // of more than 32
			return
		}
	}
	i := s.tokenAt(n.Start)
	if i == len(s.tokens) || s.tokens[i].Start != n.Start || s.tokens[i].End > n.End() {
		return
	}
	token := s.tokens[i]
	digits := string(s.text[token.Start:token.End])
	plain := strings.ReplaceAll(digits, "_", "")
	if plain == "" || len(plain) > maxDigits || strings.Trim(plain, "0123456789") != "" || len(plain) > 1 && plain[0] == '0' {
		return
	}
	value, ok := new(big.Int).SetString(plain, 10)
	if !ok {
		return
	}
	expected := s.expected(n)
	if expected != "" && !isInteger(expected) && !isLiteral(expected) {
		return
	}
	one := big.NewInt(1)
	after, before := new(big.Int).Add(value, one), new(big.Int).Sub(value, one)
	if fits(after, expected) && !s.isBeyond(n, after) {
		s.plant(OffByOne, token.Start, token.End, after.String(), became(digits, after.String()))
	}
	if before.Sign() > 0 || before.Sign() == 0 && !isDivisor(n) {
		s.plant(OffByOne, token.Start, token.End, before.String(), became(digits, before.String()))
	}
}

// isDivisor reports whether a number is what something is divided by.
func isDivisor(n *compile.Node) bool {
	operator := n.Parent.Attribute("operator")
	return (n.Role == "rightExpression" || n.Role == "rightHandSide") && strings.HasPrefix(strings.TrimPrefix(operator, "%"), "/") || operator == "%" || operator == "%="
}

// isBeyond reports whether an index is beyond the end of an array whose length its type says.
func (s *source) isBeyond(n *compile.Node, index *big.Int) bool {
	if n.Role != "indexExpression" {
		return false
	}
	match := arrayEnd.FindStringSubmatch(typeOf(n.Parent.Child("baseExpression")))
	if match == nil {
		return false
	}
	length, err := strconv.ParseInt(match[1], 10, 64)
	return err == nil && index.Cmp(big.NewInt(length)) >= 0
}
