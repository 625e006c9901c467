package compile

import (
	"slices"
	"strings"
)

// resolveNames fills in what names mean where the compiler does not say: 0.4.11
// is the last that leaves it out. A name that may mean several things, as
// overloaded functions do, is left as it is.
func resolveNames(sources []*Source) {
	unresolved := slices.DeleteFunc(slices.Clone(sources), func(s *Source) bool { return s.AST == nil || !namesUnresolved(s.AST) })
	if len(unresolved) == 0 {
		return
	}
	r := resolver{all: declarationsOf(sources), contracts: scope{}, own: map[*Node]scope{}}
	for name, declaration := range r.all.contracts {
		r.contracts.add(name.contract, declaration)
	}
	for _, source := range unresolved {
		for _, contract := range source.AST.Children {
			if contract.Type == "ContractDefinition" {
				r.resolve(contract)
			}
		}
	}
}

// namesUnresolved reports whether a tree names things without saying which: an
// identifier of a later compiler always refers to something.
func namesUnresolved(ast *Node) bool {
	names, resolved := false, false
	ast.Walk(func(n *Node) bool {
		switch n.Type {
		case "Identifier", "UserDefinedTypeName":
			names = true
			known := n.Attributes.Get("referencedDeclaration") != nil
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

// resolver resolves the names of a compilation.
type resolver struct {
	all       declarations
	contracts scope
	own       map[*Node]scope // what contracts declare themselves
}

// maxBases is how many bases of a contract are looked at: projects have dozens at
// most, and a list that a stranger wrote may be as long as the file.
const maxBases = 1000

// resolve resolves the names in a contract. Variables of a function are known in
// all of it, as they were before 0.5.
func (r *resolver) resolve(contract *Node) {
	var outer []scope // the nearest first
	ids, _ := contract.Attributes.Get("linearizedBaseContracts").([]any)
	for _, value := range ids[:min(len(ids), maxBases)] {
		id, _ := value.(int)
		if base := r.all.byID[id]; base != nil {
			outer = append(outer, r.scopeOf(base))
		}
	}
	outer = append(outer, r.contracts)
	for _, member := range contract.Children {
		locals := scope{}
		if member.Type == "FunctionDefinition" || member.Type == "ModifierDefinition" {
			member.Walk(func(n *Node) bool {
				if name := n.Attribute("name"); n.Type == "VariableDeclaration" && name != "" {
					locals.add(name, n)
				}
				return true
			})
		}
		member.Walk(func(n *Node) bool {
			if n.Type == "Identifier" || n.Type == "UserDefinedTypeName" {
				name := n.Attribute("name")
				declaration, known := locals[name]
				if !known {
					declaration = r.find(name, outer)
				}
				if declaration != nil {
					n.set("referencedDeclaration", declaration.ID)
				}
			}
			return true
		})
	}
}

// find is the declaration of a name, or of one after another and a dot; nil when there
// is none, or several.
func (r *resolver) find(name string, scopes []scope) *Node {
	first, rest, dotted := strings.Cut(name, ".")
	for _, s := range scopes {
		n, known := s[first]
		switch {
		case !known:
			continue
		case dotted && n != nil:
			return r.scopeOf(n)[rest]
		}
		return n
	}
	return nil
}

// scopeOf is what a contract declares itself. Constructors have its own name.
func (r *resolver) scopeOf(contract *Node) scope {
	if own, known := r.own[contract]; known {
		return own
	}
	own := scope{}
	for _, member := range contract.Children {
		if name := member.Attribute("name"); name != "" && member.Attributes.Get("isConstructor") != true {
			own.add(name, member)
		}
	}
	r.own[contract] = own
	return own
}
