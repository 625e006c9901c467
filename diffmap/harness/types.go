package harness

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// maxName bounds a name in bytes: people write shorter ones. Arbitrary. An expression that counts to it takes longer to compile than
// all others of the program together.
const maxName = 200

var letters = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// isIdentifier reports whether a text is a name as Solidity allows it, and no longer than people write them.
func isIdentifier(text string) bool { return len(text) <= maxName && letters.MatchString(text) }

// elementary are the names of types that the language has.
var elementary = regexp.MustCompile(`^(address|bool|string|bytes([0-9]{1,2})?|u?int([0-9]{1,3})?|u?fixed([0-9]{1,3}x[0-9]{1,2})?)$`)

// arrayLength finds the length in the compiler's text of an array type, "uint256[4] storage ref".
var arrayLength = regexp.MustCompile(`\[([0-9]*)\]( storage| memory| calldata)?( ref| pointer| slice)?$`)

// aliasPrefix begins the names of imports. A parameter that begins with it gets another name.
const aliasPrefix = "SL_"

// maxTypeDepth bounds the nesting of types; compilers bound it, too. Arbitrary.
const maxTypeDepth = 16

// unit is a build as the package reads it.
type unit struct {
	byID     map[int]*compile.Node // declarations
	sources  map[int]*compile.Source
	uses     map[int][]*compile.Node // functions and modifiers by the ids of declarations that they name
	aliases  map[int]string          // of imported sources, by id
	imported []*compile.Source       // in the order of aliases
	bases    []*compile.Node         // contracts that are imported by their names
}

func readUnit(o *compile.Output) *unit {
	u := &unit{byID: map[int]*compile.Node{}, sources: map[int]*compile.Source{}, uses: map[int][]*compile.Node{}, aliases: map[int]string{}}
	for _, s := range o.Sources {
		u.sources[s.ID] = s
		var callable *compile.Node
		s.AST.Walk(func(n *compile.Node) bool {
			if declarations[n.Type] {
				u.byID[n.ID] = n
			}
			if isCallable(n) {
				callable = n
			}
			if id, ok := n.Int("referencedDeclaration"); ok && callable != nil && n.Start >= callable.Start && n.End() <= callable.End() {
				if users := u.uses[id]; len(users) == 0 || users[len(users)-1] != callable {
					u.uses[id] = append(users, callable)
				}
			}
			return true
		})
	}
	return u
}

// declarations are the nodes that others refer to.
var declarations = map[string]bool{
	"ContractDefinition": true, "FunctionDefinition": true, "ModifierDefinition": true, "VariableDeclaration": true,
	"StructDefinition": true, "EnumDefinition": true, "UserDefinedValueTypeDefinition": true,
}

func isCallable(n *compile.Node) bool {
	return n.Type == "FunctionDefinition" || n.Type == "ModifierDefinition"
}

// alias is the name under which a source is imported; an error where an import cannot name it.
func (u *unit) alias(id int) (string, error) {
	if name, ok := u.aliases[id]; ok {
		return name, nil
	}
	s := u.sources[id]
	if s == nil {
		return "", fmt.Errorf("its source is not in the build")
	}
	if !importable(s.Path) {
		return "", fmt.Errorf("the name of its source cannot be imported")
	}
	name := fmt.Sprintf("%s%d", aliasPrefix, len(u.imported))
	u.aliases[id] = name
	u.imported = append(u.imported, s)
	return name, nil
}

// base is the name of a contract that another one inherits from or passes arguments to: before 0.8,
// that has no points in it.
func (u *unit) base(contract *compile.Node) (string, error) {
	if _, err := u.declared(contract); err != nil {
		return "", err
	}
	i := slices.Index(u.bases, contract)
	if i < 0 {
		i = len(u.bases)
		u.bases = append(u.bases, contract)
	}
	return baseName(i), nil
}

func baseName(i int) string { return fmt.Sprintf("%sBase%d", aliasPrefix, i) }

// importable reports whether an import can name a source by its path: it is printable, stands
// for itself in a string, and is not relative.
func importable(name string) bool {
	for _, r := range name {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return false
		}
	}
	return name != "" && name[0] != '.' && path.Clean(name) == name
}

// declared is the name of a declaration outside of its source, "SL_0.Lib.Data".
func (u *unit) declared(n *compile.Node) (string, error) {
	name := n.Attribute("name")
	if !isIdentifier(name) {
		return "", fmt.Errorf("its name is not an identifier")
	}
	alias, err := u.alias(n.File)
	if err != nil {
		return "", err
	}
	if contract := containerOf(n); contract != nil {
		outer := contract.Attribute("name")
		if !isIdentifier(outer) {
			return "", fmt.Errorf("its name is not an identifier")
		}
		return alias + "." + outer + "." + name, nil
	}
	return alias + "." + name, nil
}

// containerOf is the contract that a declaration stands in; nil for one of a file.
func containerOf(n *compile.Node) *compile.Node {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.Type == "ContractDefinition" {
			return n
		}
	}
	return nil
}

// typeText writes a type.
func (u *unit) typeText(t *compile.Node, depth int) (string, error) {
	switch {
	case t == nil:
		return "", fmt.Errorf("a type is unknown")
	case depth > maxTypeDepth:
		return "", fmt.Errorf("a type nests deeper than %d", maxTypeDepth)
	}
	switch t.Type {
	case "ElementaryTypeName":
		name := t.Attribute("name")
		if !elementary.MatchString(strings.TrimSuffix(name, " payable")) {
			return "", fmt.Errorf("a type is not one of the language's")
		}
		if t.Attribute("stateMutability") == "payable" && !strings.HasSuffix(name, " payable") {
			name += " payable"
		}
		return name, nil
	case "UserDefinedTypeName":
		id, _ := t.Int("referencedDeclaration")
		n := u.byID[id]
		if n == nil {
			return "", fmt.Errorf("a type's declaration is not in the build")
		}
		return u.declared(n)
	case "ArrayTypeName":
		element, err := u.typeText(t.Child("baseType"), depth+1)
		if err != nil {
			return "", err
		}
		length := arrayLength.FindStringSubmatch(typeString(t))
		if length == nil {
			return "", fmt.Errorf("an array's length is unknown")
		}
		return element + "[" + length[1] + "]", nil
	case "Mapping":
		key, err := u.typeText(t.Child("keyType"), depth+1)
		if err != nil {
			return "", err
		}
		value, err := u.typeText(t.Child("valueType"), depth+1)
		if err != nil {
			return "", err
		}
		return "mapping(" + key + " => " + value + ")", nil
	case "FunctionTypeName":
		return "", errFunctionType
	}
	return "", fmt.Errorf("a type is a %s", human(t.Type))
}

var errFunctionType = fmt.Errorf("it takes or returns a function, which a call cannot bring")

// human is a node's type for people, who may have been given any text.
func human(nodeType string) string {
	if isIdentifier(nodeType) {
		return nodeType
	}
	return "node of an unknown type"
}

// typeString is the compiler's text of a node's type.
func typeString(n *compile.Node) string {
	descriptions, _ := n.Attributes.Get("typeDescriptions").(map[string]any)
	text, _ := descriptions["typeString"].(string)
	return text
}

// isValue reports whether a type needs no data location.
func (u *unit) isValue(t *compile.Node) bool {
	switch t.Type {
	case "ElementaryTypeName":
		return t.Attribute("name") != "string" && t.Attribute("name") != "bytes"
	case "UserDefinedTypeName":
		id, _ := t.Int("referencedDeclaration")
		n := u.byID[id]
		return n == nil || n.Type != "StructDefinition"
	}
	return false
}
