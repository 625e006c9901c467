package layout

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// storageLocation is the mark of a namespace (ERC-7201, "Specification").
var storageLocation = regexp.MustCompile(`@custom:storage-location\s+erc7201:(\S+)`)

// namespaces lists those of a contract and its bases. solc's storage layout has none
// of them, so that they are read from the AST.
func (u *Unit) namespaces(declaration *compile.Node) ([]Namespace, error) {
	var found []Namespace
	for _, base := range u.bases(declaration) {
		for _, n := range base.Children {
			if n.Type != "StructDefinition" {
				continue
			}
			marked := storageLocation.FindStringSubmatch(u.Comment(n))
			if marked == nil {
				continue
			}
			t, err := u.structure(n)
			if err != nil {
				return nil, fmt.Errorf("the struct %s cannot be laid out: %w", n.Attribute("name"), err)
			}
			found = append(found, Namespace{ID: marked[1], Struct: n.Attribute("name"), Contract: u.name(base), Members: t.Members, Node: n})
		}
	}
	return found, nil
}

// structure lays out a struct (Solidity documentation, "Layout of State Variables in
// Storage": values share a slot where they fit, structs and arrays begin a new one,
// and so does what follows them).
func (u *Unit) structure(n *compile.Node) (*Type, error) {
	if t := u.structs[n.ID]; t != nil {
		return t, nil
	}
	t := &Type{Kind: Struct, Label: "struct " + n.Attribute("name")}
	u.structs[n.ID] = t
	slot, offset := new(big.Int), uint(0) // that are free
	for _, member := range n.Children {
		if member.Type != "VariableDeclaration" {
			continue
		}
		if len(t.Members) == maxVariables {
			return nil, fmt.Errorf("more than %d members", maxVariables)
		}
		is, err := u.typeOf(member.Child("typeName"))
		if err != nil {
			return nil, err
		}
		if is.Bytes == nil {
			return nil, fmt.Errorf("%s holds itself", t.Label)
		}
		value := is.Kind != Struct && is.Kind != Array
		size := uint(wordBytes)
		if value {
			size = uint(is.Bytes.Uint64()) // at most a word
		}
		if offset > 0 && (!value || offset+size > wordBytes) {
			slot, offset = new(big.Int).Add(slot, big.NewInt(1)), 0
		}
		v := Variable{Name: member.Attribute("name"), Slot: slot, Offset: offset, Type: is, Node: member}
		v.annotate(u.Comment(member))
		t.Members = append(t.Members, v)
		if value {
			offset += size
		} else {
			slot = new(big.Int).Add(slot, slotsOf(is.Bytes))
		}
	}
	if offset > 0 {
		slot = new(big.Int).Add(slot, big.NewInt(1))
	}
	t.Bytes = new(big.Int).Mul(slot, big.NewInt(wordBytes))
	return t, nil
}

// slotsOf is how many slots so many bytes take up.
func slotsOf(size *big.Int) *big.Int {
	n := new(big.Int).Add(size, big.NewInt(wordBytes-1))
	return n.Div(n, big.NewInt(wordBytes))
}

func word() *big.Int { return big.NewInt(wordBytes) }

// typeOf is the type that the AST of a type's name means.
func (u *Unit) typeOf(n *compile.Node) (*Type, error) {
	if n == nil {
		return nil, fmt.Errorf("a member has no type")
	}
	switch n.Type {
	case "ElementaryTypeName":
		return u.elementary(n)
	case "UserDefinedTypeName":
		return u.named(n)
	case "Mapping":
		key, err := u.typeOf(n.Child("keyType"))
		if err != nil {
			return nil, err
		}
		value, err := u.typeOf(n.Child("valueType"))
		if err != nil {
			return nil, err
		}
		return &Type{Kind: Mapping, Label: fmt.Sprintf("mapping(%s => %s)", key.Label, value.Label), Bytes: word(), Key: key, Element: value}, nil
	case "ArrayTypeName":
		return u.array(n)
	case "FunctionTypeName":
		if n.Attribute("visibility") == "external" {
			return &Type{Label: "function external", Bytes: big.NewInt(24)}, nil // address and selector
		}
		return &Type{Label: "function", Bytes: big.NewInt(8)}, nil // solc's places in code
	}
	return nil, fmt.Errorf("a type is written as %s", n.Type)
}

// named is the type that a name means.
func (u *Unit) named(n *compile.Node) (*Type, error) {
	id, _ := n.Int("referencedDeclaration")
	declaration := u.nodes[id]
	if declaration == nil {
		return nil, fmt.Errorf("a type's declaration is not in the AST")
	}
	name := declaration.Attribute("name")
	switch declaration.Type {
	case "StructDefinition":
		return u.structure(declaration)
	case "EnumDefinition":
		values := enumValues(declaration)
		size := int64(1)
		for n := len(values) - 1; n > 0xff; n >>= 8 { // before 0.8 there may be more than 256
			size++
		}
		return &Type{Kind: Enum, Label: "enum " + name, Bytes: big.NewInt(size), Values: values}, nil
	case "ContractDefinition":
		return &Type{Kind: Address, Label: "contract " + name, Bytes: big.NewInt(20)}, nil
	case "UserDefinedValueTypeDefinition":
		return u.elementary(declaration.Child("underlyingType"))
	}
	return nil, fmt.Errorf("a type is declared as %s", declaration.Type)
}

// arrayLength is the length at the end of an array's type: "uint256[2][50]", whatever
// expression stands for it in the source.
var arrayLength = regexp.MustCompile(`\[(\d*)\](?: storage.*)?$`)

func (u *Unit) array(n *compile.Node) (*Type, error) {
	element, err := u.typeOf(n.Child("baseType"))
	if err != nil {
		return nil, err
	}
	described, _ := n.Attributes.Get("typeDescriptions").(map[string]any)
	text, _ := described["typeString"].(string)
	length := arrayLength.FindStringSubmatch(text)
	switch {
	case length == nil:
		return nil, fmt.Errorf("an array's type is %q", text)
	case length[1] == "":
		return &Type{Kind: DynamicArray, Label: element.Label + "[]", Bytes: word(), Element: element}, nil
	case element.Bytes == nil:
		return nil, fmt.Errorf("%s holds itself", element.Label)
	}
	count, ok := number(length[1])
	if !ok {
		return nil, fmt.Errorf("an array has %q elements", length[1])
	}
	size := new(big.Int)
	if perSlot := perSlot(element); perSlot > 0 {
		slots := new(big.Int).Add(count, big.NewInt(perSlot-1))
		size.Div(slots, big.NewInt(perSlot))
	} else {
		size.Mul(count, slotsOf(element.Bytes))
	}
	return &Type{Kind: Array, Label: fmt.Sprintf("%s[%s]", element.Label, count), Bytes: size.Mul(size, word()), Element: element}, nil
}

// perSlot is how many elements of an array share a slot; 0 where an element takes up
// slots of its own.
func perSlot(t *Type) int64 {
	if t.Kind == Struct || t.Kind == Array || t.Bytes.Sign() == 0 || t.Bytes.Cmp(word()) > 0 {
		return 0
	}
	return wordBytes / t.Bytes.Int64()
}

// elementary is a type of the language.
func (u *Unit) elementary(n *compile.Node) (*Type, error) {
	if n == nil {
		return nil, fmt.Errorf("a type has no name")
	}
	name := n.Attribute("name")
	switch name {
	case "address":
		return &Type{Kind: Address, Label: "address", Bytes: big.NewInt(20)}, nil
	case "bool":
		return &Type{Label: name, Bytes: big.NewInt(1)}, nil
	case "bytes", "string":
		return &Type{Kind: Bytes, Label: name, Bytes: word()}, nil
	case "uint", "int":
		name += "256"
	case "byte":
		name = "bytes1"
	}
	for prefix, bits := range map[string]int64{"uint": 8, "int": 8, "bytes": 1} {
		digits, ok := strings.CutPrefix(name, prefix)
		size, err := strconv.ParseInt(digits, 10, 16)
		if ok && err == nil && size%bits == 0 && size > 0 && size/bits <= wordBytes {
			return &Type{Label: name, Bytes: big.NewInt(size / bits)}, nil
		}
	}
	return nil, fmt.Errorf("%q is not a variable's type", name)
}
