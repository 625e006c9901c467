// Package layout reads where contracts keep their state variables, and compares two
// versions of a contract: an upgrade behind a proxy runs the new code on what the old
// code wrote.
package layout

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// wordBytes is the length of a slot.
const wordBytes = 32

// maxVariables bounds the state variables of a contract and the members of a struct.
// Comparing is quadratic in the worst case; a contract of a thousand is generated.
const maxVariables = 1 << 10

// Layout is where a contract keeps its state.
type Layout struct {
	// Variables are the state variables by place. Constants, immutables and transient
	// variables have none.
	Variables []Variable
	// Namespaces are the structs that the contract and its bases keep in places of their
	// own (ERC-7201), by the order of the linearized bases.
	Namespaces []Namespace
}

// Namespace is a struct that is marked "@custom:storage-location erc7201:ID".
type Namespace struct {
	ID       string
	Struct   string // its name
	Contract string // that declares it, qualified
	Members  []Variable
	Node     *compile.Node
}

// Variable is a state variable, or a member of a struct.
type Variable struct {
	Name     string
	Contract string // qualified name of what declares it; empty for members, and where Node is nil
	// Slot and Offset say where it is: Offset in bytes from the slot's low end. A
	// member's Slot is relative to its struct.
	Slot   *big.Int
	Offset uint
	Type   *Type
	// Node is its declaration; nil where the build's AST does not tell.
	Node *compile.Node
	// RenamedFrom and RetypedFrom are what OpenZeppelin's annotations
	// @custom:oz-renamed-from and @custom:oz-retyped-from say of the version before.
	RenamedFrom, RetypedFrom string
}

// start is the variable's first byte, counted from the first slot's low end.
func (v *Variable) start() *big.Int {
	at := new(big.Int).Mul(v.Slot, big.NewInt(wordBytes))
	return at.Add(at, new(big.Int).SetUint64(uint64(v.Offset)))
}

// end is the byte behind it.
func (v *Variable) end() *big.Int { return new(big.Int).Add(v.start(), v.Type.used()) }

// overlaps reports whether two variables have a byte in common.
func (v *Variable) overlaps(w *Variable) bool {
	return v.start().Cmp(w.end()) < 0 && w.start().Cmp(v.end()) < 0
}

// gap reports whether the variable only keeps room for others: it is called __gap or
// __gap_unused0, by OpenZeppelin's convention, or is an array with one of the names in use
// that are like it.
func (v *Variable) gap() bool {
	name := strings.ToLower(strings.Trim(v.Name, "_"))
	named := name == "gap" || strings.HasSuffix(name, "_gap") || strings.HasSuffix(v.Name, "Gap")
	return strings.HasPrefix(v.Name, "__gap") || named && v.Type.Kind == Array
}

// Kind is what kind of thing a type is, as far as storage is concerned.
type Kind int

// The kinds of types.
const (
	Elementary   Kind = iota // numbers, bool, bytesN, function pointers, by their label
	Address                  // and contracts, which are stored as addresses
	Enum                     // a number with names
	Struct                   // members in a row
	Array                    // of fixed length
	DynamicArray             // its length, the elements elsewhere
	Bytes                    // bytes and strings
	Mapping                  // nothing in place, the values elsewhere
)

// Type is the type of a variable.
type Type struct {
	Kind    Kind
	Label   string     // as Solidity writes it, "mapping(address => uint256)"
	Bytes   *big.Int   // that it takes up in place
	Key     *Type      // of a mapping
	Element *Type      // of a mapping, the values; of an array, the elements
	Members []Variable // of a struct
	Values  []string   // of an enum, in order; nil: not known
}

// used is how many bytes in place may hold something: what a struct's last slot has
// left is nothing's.
func (t *Type) used() *big.Int {
	if t.Kind != Struct || len(t.Members) == 0 {
		return t.Bytes
	}
	return t.Members[len(t.Members)-1].end()
}

// Unit reads the layouts of the contracts of one build.
type Unit struct {
	renamed   map[string]string        // sources that have another name on the other side
	nodes     map[int]*compile.Node    // declarations of types, and of what they consist of
	contracts map[string]*compile.Node // by qualified name
	sources   map[int]*compile.Source
	structs   map[int]*Type // read from the AST
}

// NewUnit reads the declarations of a build. renamed gives sources the name that the
// build has that this one is compared with, where they differ.
func NewUnit(o *compile.Output, renamed map[string]string) *Unit {
	u := &Unit{renamed: renamed, nodes: map[int]*compile.Node{}, contracts: map[string]*compile.Node{},
		sources: map[int]*compile.Source{}, structs: map[int]*Type{}}
	for _, s := range o.Sources {
		u.sources[s.ID] = s
		s.AST.Walk(func(n *compile.Node) bool {
			switch n.Type {
			case "ContractDefinition":
				u.contracts[u.qualified(s.Path+":"+n.Attribute("name"))] = n
				u.nodes[n.ID] = n
			case "StructDefinition", "EnumDefinition", "UserDefinedValueTypeDefinition", "VariableDeclaration":
				u.nodes[n.ID] = n
			case "FunctionDefinition", "ModifierDefinition", "UsingForDirective":
				return false
			}
			return true
		})
	}
	return u
}

// qualified is a qualified name with the source's name on the other side.
func (u *Unit) qualified(name string) string {
	at := strings.LastIndexByte(name, ':')
	if at < 0 {
		return name
	}
	if other, ok := u.renamed[name[:at]]; ok {
		return other + name[at:]
	}
	return name
}

// Declaration is a contract's declaration, by its qualified name; nil where the build
// has none.
func (u *Unit) Declaration(qualified string) *compile.Node { return u.contracts[qualified] }

// Bases lists the qualified names of the linearized bases of a contract, its own first.
func (u *Unit) Bases(declaration *compile.Node) []string {
	var names []string
	for _, base := range u.bases(declaration) {
		names = append(names, u.name(base))
	}
	return names
}

// name is the qualified name of a contract by its declaration.
func (u *Unit) name(declaration *compile.Node) string {
	name := declaration.Attribute("name")
	if s := u.sources[declaration.File]; s != nil {
		return u.qualified(s.Path + ":" + name)
	}
	return name
}

func (u *Unit) bases(declaration *compile.Node) []*compile.Node {
	if declaration == nil {
		return nil
	}
	ids, _ := declaration.Attributes.Get("linearizedBaseContracts").([]any)
	var bases []*compile.Node
	for _, value := range ids {
		id, ok := value.(int)
		if base := u.nodes[id]; ok && base != nil && base.Type == "ContractDefinition" {
			bases = append(bases, base)
		}
	}
	return bases
}

// Inherited is the contract that an entry of a base list names; nil where that is not
// known.
func (u *Unit) Inherited(specifier *compile.Node) *compile.Node {
	var found *compile.Node
	specifier.Walk(func(n *compile.Node) bool {
		if id, ok := n.Int("referencedDeclaration"); ok && found == nil {
			found = u.nodes[id]
		}
		return found == nil
	})
	return found
}

// Comment is the comment right before a declaration, without its marks.
func (u *Unit) Comment(n *compile.Node) string {
	s := u.sources[n.File]
	if s == nil || n.Start < 0 || n.Start > len(s.Text) {
		return ""
	}
	return commentBefore(string(s.Text[:n.Start]))
}

// ErrNoLayout is why a contract's layout is not known: the build was not asked for it,
// or made by a compiler that has none.
var ErrNoLayout = errors.New("the build has no storage layout of it")

// Layout reads the layout of one of the unit's contracts.
func (u *Unit) Layout(c *compile.Contract) (*Layout, error) {
	if len(c.StorageLayout) == 0 || string(c.StorageLayout) == "null" {
		return nil, ErrNoLayout
	}
	var raw solcLayout
	if err := json.Unmarshal(c.StorageLayout, &raw); err != nil {
		return nil, fmt.Errorf("its storage layout cannot be read: %w", err)
	}
	r := &reader{unit: u, raw: raw.Types, types: map[string]*Type{}}
	variables, err := r.variables(raw.Storage)
	if err == nil {
		err = r.checkNesting()
	}
	if err != nil {
		return nil, fmt.Errorf("its storage layout cannot be read: %w", err)
	}
	l := &Layout{Variables: variables}
	declaration := u.contracts[u.qualified(c.Source+":"+c.Name)]
	if l.Namespaces, err = u.namespaces(declaration); err != nil {
		return nil, err
	}
	return l, nil
}
