package build

import "strings"

// resolveNames fills in what names mean where the compiler does not say: 0.4.11
// is the last that leaves it out. A name that may mean several things, as
// overloaded functions do, is left as it is.
func resolveNames(sources []*Source) {
	all := declarationsOf(sources)
	contracts := scope{}
	for name, declaration := range all.contracts {
		contracts.add(name.contract, declaration)
	}
	for _, source := range sources {
		if source.AST == nil || !namesUnresolved(source.AST) {
			continue
		}
		for _, contract := range source.AST.Children {
			if contract.Type == "ContractDefinition" {
				resolveIn(contract, scopes{contracts, membersOf(contract, all)})
			}
		}
	}
}

// namesUnresolved tells whether a tree names things without saying which: an
// identifier of a later compiler always refers to something.
func namesUnresolved(ast *Node) bool {
	names, resolved := false, false
	ast.Walk(func(n *Node) bool {
		switch n.Type {
		case "Identifier", "UserDefinedTypeName":
			names = true
			_, known := n.Attributes["referencedDeclaration"]
			resolved = resolved || known
		}
		return !resolved
	})
	return names && !resolved
}

// scope is what names mean somewhere; nil for what is not clear.
type scope map[string]*Node

func (s scope) add(name string, n *Node) {
	if _, taken := s[name]; taken {
		n = nil
	}
	s[name] = n
}

// scopes are nested, the innermost last.
type scopes []scope

// find is the declaration of a name, or of one behind others and dots; nil when
// there is none, or several.
func (s scopes) find(name string) *Node {
	first, rest, dotted := strings.Cut(name, ".")
	for i := len(s) - 1; i >= 0; i-- {
		if n, known := s[i][first]; known && dotted && n != nil {
			return scopes{scopeOf(n)}.find(rest)
		} else if known {
			return n
		}
	}
	return nil
}

// scopeOf is what a contract declares itself. Constructors have its own name.
func scopeOf(contract *Node) scope {
	own := scope{}
	for _, member := range contract.Children {
		if name := member.Attribute("name"); name != "" && member.Attributes["isConstructor"] != true {
			own.add(name, member)
		}
	}
	return own
}

// membersOf are the members of a contract and of its bases, the nearest first.
func membersOf(contract *Node, all declarations) scope {
	members := scope{}
	ids, _ := contract.Attributes["linearizedBaseContracts"].([]any)
	for _, value := range ids {
		id, _ := value.(int)
		base := all.byID[id]
		if base == nil {
			continue
		}
		for name, member := range scopeOf(base) {
			if _, hidden := members[name]; !hidden {
				members[name] = member
			}
		}
	}
	return members
}

// resolveIn resolves the names below a node. Variables of a function are known
// in all of it, as they were before 0.5.
func resolveIn(n *Node, outer scopes) {
	for _, child := range n.Children {
		inner := outer
		switch child.Type {
		case "FunctionDefinition", "ModifierDefinition":
			locals := scope{}
			child.Walk(func(n *Node) bool {
				if n.Type == "VariableDeclaration" && n.Attribute("name") != "" {
					locals.add(n.Attribute("name"), n)
				}
				return true
			})
			inner = append(outer[:len(outer):len(outer)], locals)
		case "Identifier", "UserDefinedTypeName":
			if declaration := outer.find(child.Attribute("name")); declaration != nil {
				child.Attributes["referencedDeclaration"] = declaration.ID
			}
		}
		resolveIn(child, inner)
	}
}
