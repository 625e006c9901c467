package mutant

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// plantWidenVisibility stands for a function that was meant for the inside and that anyone
// can call: the mistake that emptied the Parity wallets. Functions that write nothing are
// left out, as are those that would not compile: others override them, or values cannot come
// from outside. Libraries are, too: their public functions have to be linked.
func plantWidenVisibility(s *source, n *compile.Node) {
	visibility := n.Attribute("visibility")
	body := n.Child("body")
	if n.Type != "FunctionDefinition" || visibility != "internal" && visibility != "private" || s.contract == nil || s.contract.Attribute("contractKind") != "contract" ||
		n.Attribute("name") == "" || n.Attributes.Get("isConstructor") == true || !slices.Contains([]string{"", "function"}, n.Attribute("kind")) ||
		n.Attribute("stateMutability") == "view" || n.Attribute("stateMutability") == "pure" || n.Attributes.Get("constant") == true ||
		!s.inText(body) || len(body.Children) == 0 || s.overrides(n) || !s.isABI(n) || strings.Contains(s.of(body), "msg.value") {
		return
	}
	parameters := n.Child("parameters")
	if parameters == nil || parameters.Start < n.Start {
		return
	}
	if word, ok := s.token(visibility, max(parameters.End(), n.Start), body.Start); ok {
		s.plant(WidenVisibility, word.Start, word.End, "public", "`"+n.Attribute("name")+"` became public")
	}
}

// overrides reports whether a base or a derived contract has a function of the same name: both
// have to have the same visibility.
func (s *source) overrides(n *compile.Node) bool {
	if n.Child("overrides") != nil {
		return true
	}
	related := slices.Clone(s.derived[s.contract.ID])
	for _, id := range linearized(s.contract) {
		if base := s.byID[id]; base != nil && base != s.contract {
			related = append(related, base)
		}
	}
	for _, other := range related {
		for _, member := range other.Children {
			if member != n && member.Attribute("name") == n.Attribute("name") {
				return true
			}
		}
	}
	return false
}

// isABI reports whether the parameters and results of a function can come from outside and go there.
func (s *source) isABI(n *compile.Node) bool {
	for _, role := range []string{"parameters", "returnParameters"} {
		list := n.Child(role)
		if list == nil {
			return false
		}
		for _, p := range list.Children {
			t := p.ValueType
			if t == "" || p.Attribute("storageLocation") == "storage" || strings.Contains(t, "function ") || strings.Contains(t, "mapping(") || strings.Contains(t, " storage ") {
				return false
			}
			if coded := strings.HasPrefix(t, "struct ") || strings.Contains(t, "][") || strings.HasPrefix(t, "string[") || strings.HasPrefix(t, "bytes["); coded && !s.atLeast(8, 0) {
				return false
			}
		}
	}
	return true
}
