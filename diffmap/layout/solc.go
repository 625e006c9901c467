package layout

import (
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// solcLayout is a storage layout as solc writes it (Solidity documentation, "JSON
// Output" of "Layout of State Variables in Storage").
type solcLayout struct {
	Storage []solcVariable      `json:"storage"`
	Types   map[string]solcType `json:"types"`
}

type solcVariable struct {
	ASTID  int    `json:"astId"`
	Label  string `json:"label"`
	Offset uint   `json:"offset"`
	Slot   string `json:"slot"` // decimal
	Type   string `json:"type"` // key in types
}

type solcType struct {
	Encoding string         `json:"encoding"` // inplace, mapping, dynamic_array or bytes
	Label    string         `json:"label"`
	Bytes    string         `json:"numberOfBytes"` // decimal
	Key      string         `json:"key"`
	Value    string         `json:"value"`
	Base     string         `json:"base"`
	Members  []solcVariable `json:"members"`
}

// reader reads one contract's layout.
type reader struct {
	unit  *Unit
	raw   map[string]solcType
	types map[string]*Type // read, or being read: structs may be recursive
}

func (r *reader) variables(raw []solcVariable) ([]Variable, error) {
	if len(raw) > maxVariables {
		return nil, fmt.Errorf("it has %d variables, at most %d are compared", len(raw), maxVariables)
	}
	var variables []Variable
	for i := range raw {
		v, err := r.variable(&raw[i])
		if err != nil {
			return nil, err
		}
		variables = append(variables, v)
	}
	return variables, nil
}

func (r *reader) variable(raw *solcVariable) (Variable, error) {
	v := Variable{Name: raw.Label, Offset: raw.Offset, Node: r.unit.declared(raw.ASTID, raw.Label)}
	v.Contract = r.unit.owner(v.Node)
	var ok bool
	if v.Slot, ok = number(raw.Slot); !ok || raw.Offset >= wordBytes {
		return v, fmt.Errorf("%q is at slot %q, offset %d", raw.Label, raw.Slot, raw.Offset)
	}
	var err error
	if v.Type, err = r.typeOf(raw.Type); err != nil {
		return v, err
	}
	if v.Node != nil {
		v.annotate(r.unit.Comment(v.Node))
	}
	return v, nil
}

// declared is the declaration of a variable by its AST id, if it is called so.
func (u *Unit) declared(id int, name string) *compile.Node {
	n := u.nodes[id]
	if n == nil || n.Type != "VariableDeclaration" || n.Attribute("name") != name {
		return nil
	}
	return n
}

// owner is the qualified name of the contract that declares a state variable; solc's
// layout names the one that inherits it. Empty for members of structs.
func (u *Unit) owner(n *compile.Node) string {
	if n == nil || n.Parent == nil || n.Parent.Type != "ContractDefinition" {
		return ""
	}
	return u.name(n.Parent)
}

// maxDigits is the length of 2^256·32, the bytes of all storage, in decimal digits.
const maxDigits = 79

// number reads a decimal number that storage has room for.
func number(text string) (*big.Int, bool) {
	if text == "" || len(text) > maxDigits || strings.Trim(text, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

func (r *reader) typeOf(key string) (*Type, error) {
	if t := r.types[key]; t != nil {
		return t, nil
	}
	raw, ok := r.raw[key]
	if !ok {
		return nil, fmt.Errorf("the type %q is not described", key)
	}
	t := &Type{Label: raw.Label}
	r.types[key] = t
	if t.Bytes, ok = number(raw.Bytes); !ok {
		return nil, fmt.Errorf("the type %q has %q bytes", key, raw.Bytes)
	}
	return t, r.fill(t, key, &raw)
}

// fill reads what a type consists of.
func (r *reader) fill(t *Type, key string, raw *solcType) (err error) {
	switch {
	case raw.Encoding == "mapping":
		t.Kind = Mapping
		if t.Key, err = r.typeOf(raw.Key); err != nil {
			return err
		}
		t.Element, err = r.typeOf(raw.Value)
	case raw.Encoding == "dynamic_array":
		t.Kind = DynamicArray
		t.Element, err = r.typeOf(raw.Base)
	case raw.Encoding == "bytes":
		t.Kind = Bytes
	case raw.Base != "":
		t.Kind = Array
		t.Element, err = r.typeOf(raw.Base)
	case strings.HasPrefix(key, "t_struct("):
		t.Kind = Struct
		t.Members, err = r.variables(raw.Members)
	case strings.HasPrefix(key, "t_address"), strings.HasPrefix(key, "t_contract("):
		t.Kind = Address
	case strings.HasPrefix(key, "t_enum("):
		t.Kind, t.Values = Enum, enumValues(r.unit.nodes[declarationID(key)])
	case strings.HasPrefix(key, "t_userDefinedValueType("):
		r.unit.underlying(t, r.unit.nodes[declarationID(key)])
	}
	return err
}

// checkNesting makes sure that no type holds itself in place: the compiler writes none,
// and their length would have no end.
func (r *reader) checkNesting() error {
	const entered, left = 1, 2
	state := map[*Type]int{}
	var check func(t *Type) error
	check = func(t *Type) error {
		if state[t] == left {
			return nil
		}
		if state[t] == entered {
			return fmt.Errorf("the type %q holds itself", t.Label)
		}
		state[t] = entered
		if t.Kind == Array {
			if err := check(t.Element); err != nil {
				return err
			}
		}
		for i := range t.Members {
			if err := check(t.Members[i].Type); err != nil {
				return err
			}
		}
		state[t] = left
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(r.types)) {
		if err := check(r.types[key]); err != nil {
			return err
		}
	}
	return nil
}

// idAtEnd is the AST id in the name of a type: "t_struct(S)12_storage".
var idAtEnd = regexp.MustCompile(`\)(\d+)(?:_storage)?$`)

func declarationID(key string) int {
	found := idAtEnd.FindStringSubmatch(key)
	if found == nil {
		return -1
	}
	id, err := strconv.Atoi(found[1])
	if err != nil {
		return -1
	}
	return id
}

// enumValues are the names of an enum's values; nil where its declaration is not
// known.
func enumValues(n *compile.Node) []string {
	if n == nil || n.Type != "EnumDefinition" {
		return nil
	}
	var names []string
	for _, child := range n.Children {
		if child.Type == "EnumValue" {
			names = append(names, child.Attribute("name"))
		}
	}
	return names
}

// underlying makes a user-defined value type what it is stored as. Where its
// declaration is not known it stays a type of its own.
func (u *Unit) underlying(t *Type, n *compile.Node) {
	if n == nil || n.Type != "UserDefinedValueTypeDefinition" {
		return
	}
	if is := n.Child("underlyingType"); is != nil {
		if stored, err := u.elementary(is); err == nil {
			t.Kind, t.Label = stored.Kind, stored.Label
		}
	}
}
