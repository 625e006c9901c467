package mutant

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// symmetric are functions, by their usual names, for which the order of (the first) two arguments means nothing.
var symmetric = []string{"min", "max", "add", "mul", "average", "avg", "addmod", "mulmod", "muldiv", "muldivdown", "muldivup"}

// plantSwapArguments stands for arguments in the wrong order: sender and receiver, assets and
// shares. They are next to each other and of the same type.
func plantSwapArguments(s *source, n *compile.Node) {
	if n.Type != "ModifierInvocation" && (n.Type != "FunctionCall" || isConversion(n) || s.isEvent(n)) {
		return
	}
	name := ""
	if callee := n.Child("expression"); callee != nil {
		name = callee.Attribute("name") + callee.Attribute("memberName")
	}
	given := arguments(n)
	for i := 1; i < len(given); i++ {
		if i == 1 && slices.Contains(symmetric, strings.ToLower(name)) {
			continue
		}
		s.swap(SwapArguments, given[i-1], given[i])
	}
}

// swap exchanges two expressions of the same type, if there is a difference.
func (s *source) swap(as Operator, a, b *compile.Node) bool {
	if !s.inText(a) || !s.inText(b) || a.End() > b.Start || b.End()-a.Start > maxEdit || a.ValueType == "" || a.ValueType != b.ValueType || s.of(a) == s.of(b) {
		return false
	}
	first, between, second := s.of(a), string(s.text[a.End():b.Start]), s.of(b)
	s.plant(as, a.Start, b.End(), second+between+first, became(first+", "+second, second+", "+first))
	return true
}

// plantSwapVariables stands for the wrong variable of the right type: another balance than
// the one meant. Each use of a state variable is replaced by the next one of the same type,
// in the order of their declarations, that is known in the contract.
func plantSwapVariables(s *source, n *compile.Node) {
	if n.Type != "Identifier" || s.contract == nil {
		return
	}
	variable := s.meaning(n)
	if variable == nil || variable.Attributes.Get("stateVariable") != true || s.of(n) != variable.Attribute("name") {
		return
	}
	if mutability(variable) == "immutable" && isWritten(n) {
		return // each is written once
	}
	known := s.stateVariables(s.contract)
	declaring := s.declaring(n)
	alike := known.alike[kindOf(variable)]
	at := slices.Index(alike, variable)
	if at < 0 {
		return
	}
	for i := 1; i < len(alike); i++ {
		other := alike[(at+i)%len(alike)]
		name := other.Attribute("name")
		if s.locals[name] || name == variable.Attribute("name") || declaring != nil && known.order[declaring] <= known.order[other] { // a constant may not depend on itself
			continue
		}
		s.plant(SwapVariables, n.Start, n.End(), name, became(s.of(n), name))
		return
	}
}

// mutability tells constants, immutable, transient and other variables apart.
func mutability(variable *compile.Node) string {
	switch m := variable.Attribute("mutability"); {
	case variable.Attributes.Get("constant") == true:
		return "constant"
	case m == "immutable":
		return m
	}
	return variable.Attribute("storageLocation")
}

// isWritten reports whether a name is that of what an assignment writes.
func isWritten(n *compile.Node) bool {
	return n.Role == "leftHandSide" || n.Role == "subExpression"
}

// declaring is the state variable whose value an expression is part of; nil for others.
func (s *source) declaring(n *compile.Node) *compile.Node {
	for ; n != nil && n.Type != "FunctionDefinition"; n = n.Parent {
		if n.Type == "VariableDeclaration" && n.Attributes.Get("stateVariable") == true {
			return n
		}
	}
	return nil
}

// kind is what a variable has to have in common with one that stands for it.
type kind struct{ valueType, mutability string }

func kindOf(variable *compile.Node) kind { return kind{variable.ValueType, mutability(variable)} }

// stateVariables are the variables that are known by their names in a contract, in the order
// of their declarations, from the most basic contract.
type stateVariables struct {
	alike map[kind][]*compile.Node
	order map[*compile.Node]int
}

func (s *source) stateVariables(contract *compile.Node) *stateVariables {
	if known := s.variables[contract]; known != nil {
		return known
	}
	known := &stateVariables{map[kind][]*compile.Node{}, map[*compile.Node]int{}}
	ids := linearized(contract)
	slices.Reverse(ids)
	for _, id := range ids {
		base := s.byID[id]
		if base == nil {
			continue
		}
		for _, member := range base.Children {
			if member.Type == "VariableDeclaration" && (base == contract || member.Attribute("visibility") != "private") && member.Attribute("name") != "" &&
				member.ValueType != "" {
				known.order[member] = len(known.order)
				known.alike[kindOf(member)] = append(known.alike[kindOf(member)], member)
			}
		}
	}
	s.variables[contract] = known
	return known
}
