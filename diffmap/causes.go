package diffmap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file says which changed declaration is why the code of a function changed without a
// changed line.

// cause is a changed declaration that has no code of its own.
type cause struct {
	text     string
	ids      map[int]bool // of the nodes that mean it, when code refers to it
	contract string       // that declares it; empty: none
	// general: it may change code that does not refer to it (a base list, what comes with a build).
	general bool
	gone    bool // text is where declarations were
	moves   bool // it may change code that refers to other variables in storage
}

// addDeclarations notes what other code means by name.
func (c *comparer) addDeclarations(s *compile.Source) {
	s.AST.Walk(func(n *compile.Node) bool {
		switch n.Type {
		case "VariableDeclaration":
			switch {
			case n.Attributes.Get("constant") == true:
				c.declarations = append(c.declarations, n)
			case inStorage(n):
				c.state[n.ID] = true
			}
			return false
		case "StructDefinition", "UserDefinedValueTypeDefinition", "EventDefinition", "ErrorDefinition":
			c.declarations = append(c.declarations, n)
			return false
		case "FunctionDefinition", "ModifierDefinition":
			return false
		}
		return true
	})
}

// inStorage reports whether a declaration is that of a variable with a slot.
func inStorage(n *compile.Node) bool {
	return isStateVariable(n) && n.Attributes.Get("constant") != true && n.Attribute("mutability") != "immutable" && n.Attribute("storageLocation") != "transient"
}

// spreadCauses makes a cause mean the declarations that refer to it as well: a constant that is
// computed from a changed one, a struct of changed structs.
func (c *comparer) spreadCauses() {
	for i := range c.causes {
		ids := c.causes[i].ids
		for more := len(ids) > 0; more; {
			more = false
			for _, n := range c.declarations {
				if !ids[n.ID] && refersTo(n, ids) {
					ids[n.ID], more = true, true
				}
			}
		}
	}
}

// addCause notes what was declared on a changed line: the outermost declaration on it.
func (c *comparer) addCause(s *compile.Source, file string, l Line, line byteRange) {
	var declared *compile.Node
	found := cause{ids: map[int]bool{}}
	s.AST.Walk(func(n *compile.Node) bool {
		if n.Start >= line.end || n.End() <= line.start {
			return false
		}
		switch n.Type {
		case "StructDefinition", "EnumDefinition":
			declared, found.ids[n.ID] = n, true // a field on the line says more
		case "VariableDeclaration", "EnumValue", "UserDefinedValueTypeDefinition", "EventDefinition", "ErrorDefinition":
			declared, found.ids[n.ID] = n, true
			found.moves = found.moves || inStorage(n)
			return false
		case "InheritanceSpecifier", "UsingForDirective":
			declared, found.general = n, true
		case "FunctionDefinition", "ModifierDefinition":
			declared, found.ids[n.ID] = n, true
			return false
		}
		return true
	})
	if l.Kind == unified.DeletionAnchor {
		// What is on the line is what came after the deleted declaration.
		at := declared
		if at == nil {
			at = s.AST
		}
		found = cause{text: fmt.Sprintf("%s:%d", file, l.Position.Line), general: true, gone: true}
		if contract := contractOf(at.Parent); contract != nil {
			found.contract = contract.Attribute("name")
		}
		c.causes = append(c.causes, found)
		return
	}
	if declared == nil {
		return
	}
	if contract := contractOf(declared); contract != nil {
		found.contract = contract.Attribute("name")
	}
	found.text = fmt.Sprintf("%s at %s:%d", describeDeclaration(declared), file, l.Position.Line)
	c.causes = append(c.causes, found)
}

// describeDeclaration names what a changed line declares.
func describeDeclaration(n *compile.Node) string {
	name := n.Attribute("name")
	switch n.Type {
	case "VariableDeclaration":
		if n.Parent != nil && n.Parent.Type == "StructDefinition" {
			return fmt.Sprintf("field %s of struct %s", name, n.Parent.Attribute("name"))
		}
		return "variable " + name
	case "StructDefinition":
		return "struct " + name
	case "EventDefinition":
		return "event " + name
	case "ErrorDefinition":
		return "error " + name
	case "EnumDefinition":
		return "enum " + name
	case "EnumValue":
		return "enum value " + name
	case "UserDefinedValueTypeDefinition":
		return "type " + name
	case "InheritanceSpecifier":
		return "base list"
	case "UsingForDirective":
		return "using directive"
	}
	return name
}

// because says what changed a part's code in a contract: a declaration that it refers to, else one of
// the contract, or of those that it inherits from, that changes code without being named there.
func (c *comparer) because(n *compile.Node, isNew bool, contract *bytecode.Contract) string {
	var used, general, gone []string
	for _, cause := range c.causes {
		here := cause.contract == "" || cause.contract == contract.Name || slices.Contains(contract.Implements, cause.contract)
		switch {
		case refersTo(n, cause.ids):
			used = append(used, cause.text)
		case here && cause.gone:
			gone = append(gone, cause.text)
		case here && (cause.general || cause.moves && (isNew || refersTo(n, c.state))):
			general = append(general, cause.text)
		}
	}
	switch {
	case isNew && len(general) > 0:
		return fmt.Sprintf("new in %s with the changed %s", contract.Name, several(general))
	case isNew && len(gone) > 0:
		return fmt.Sprintf("new in %s, and what was declared before %s is gone", contract.Name, several(gone))
	case isNew:
		return fmt.Sprintf("%s did not have its code before", contract.Name)
	case len(used) > 0:
		return "uses the changed " + several(used)
	case len(general) > 0:
		return "its code differs with the changed " + several(general)
	case len(gone) > 0:
		return fmt.Sprintf("its code differs, and what was declared before %s is gone", several(gone))
	}
	return unexplained
}

// unexplained is the reason when no changed declaration is known to be it.
const unexplained = "its code differs from the base version's"

// several lists a few of many.
func several(texts []string) string {
	return severalOf(texts, 3) // arbitrary: what a line of a report holds
}

func severalOf(texts []string, most int) string {
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
	if len(texts) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
	}
	return strings.Join(texts, ", ")
}

// refersTo reports whether a node names one of the declarations.
func refersTo(n *compile.Node, ids map[int]bool) bool {
	found := false
	n.Walk(func(n *compile.Node) bool {
		if id, ok := n.Attributes.Get("referencedDeclaration").(int); ok && ids[id] {
			found = true
		}
		return !found
	})
	return found
}
