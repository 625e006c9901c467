package world

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// parameter is one parameter of a constructor or an initializer, or a field of
// one that is a tuple.
type parameter struct {
	name string
	typ  abi.Type
	// contract is the contract or interface type that the parameter, or its
	// elements, are declared with; empty for other types and where nothing says.
	contract string
	fields   []parameter // of a tuple or of the elements
	// nth counts the parameters before it that ask for the same kind of contract:
	// tokenA and tokenB should not be the same instance.
	nth int
	// besides are the contract types of the other parameters, without its own.
	besides []string
}

// abiItem is the part of an ABI's JSON that package abi drops: which contract
// type an address stands for.
type abiItem struct {
	Type, Name string
	Inputs     []abiParameter
}

type abiParameter struct {
	Type         string
	InternalType string
	Components   []abiParameter
}

// constructorParameters are what the constructor of c takes.
func constructorParameters(c *bytecode.Contract) []parameter {
	item := findItem(c, "constructor", "", func(*abiItem) bool { return true })
	list := newParameters(c.ABI.Constructor.Inputs, item)
	for i := range list {
		if typ := argumentType(c, i); typ != "" {
			list[i].contract = typ
		}
	}
	return number(list)
}

// methodParameters are what a method of c takes.
func methodParameters(c *bytecode.Contract, m *abi.Method) []parameter {
	item := findItem(c, "function", m.RawName, func(i *abiItem) bool { return signature(i.Inputs) == strings.TrimPrefix(m.Sig, m.RawName) })
	return number(newParameters(m.Inputs, item))
}

// findItem are the inputs of the first item of the ABI's JSON that is of a type, has a name and fits; nil when there is none.
func findItem(c *bytecode.Contract, typ, name string, fits func(*abiItem) bool) (inputs []abiParameter) {
	jsontext.Elements(c.RawABI, func(text []byte) bool {
		if fields, ok := jsontext.Fields(text, "type", "name"); ok { // most are not it, and need no decoding
			if got, _ := jsontext.String(fields[0]); got != typ {
				return true
			}
			if got, _ := jsontext.String(fields[1]); got != name && typ == "function" {
				return true
			}
		}
		var item abiItem
		if json.Unmarshal(text, &item) != nil {
			return false // it was good enough for package abi: go on without
		}
		if item.Type == typ && (item.Name == name || typ != "function") && fits(&item) {
			inputs = item.Inputs
			return false
		}
		return true
	})
	return inputs
}

// signature is the canonical form of parameter types, "(uint256,(address,bool)[])".
func signature(parameters []abiParameter) string {
	types := make([]string, len(parameters))
	for i, p := range parameters {
		types[i] = p.Type
		if rest, ok := strings.CutPrefix(p.Type, "tuple"); ok {
			types[i] = signature(p.Components) + rest
		}
	}
	return "(" + strings.Join(types, ",") + ")"
}

// newParameters joins what package abi knows with the internal types.
func newParameters(inputs abi.Arguments, items []abiParameter) []parameter {
	out := make([]parameter, len(inputs))
	for i, in := range inputs {
		var item abiParameter
		if i < len(items) {
			item = items[i]
		}
		out[i] = newParameter(in.Name, in.Type, item, 0)
	}
	return out
}

func newParameter(name string, typ abi.Type, item abiParameter, depth int) parameter {
	p := parameter{name: name, typ: typ}
	if declared, ok := strings.CutPrefix(item.InternalType, "contract "); ok {
		p.contract, _, _ = strings.Cut(declared, "[")
	}
	element := baseType(typ)
	if element.T != abi.TupleTy || depth > maxDepth {
		return p
	}
	for i, e := range element.TupleElems {
		var component abiParameter
		if i < len(item.Components) {
			component = item.Components[i]
		}
		p.fields = append(p.fields, newParameter(element.TupleRawNames[i], *e, component, depth+1))
	}
	return p
}

// number counts parameters, fields of tuples among them, that ask for the same, and tells each what the others ask for.
func number(list []parameter) []parameter {
	seen := map[string]int{}
	var types []string
	eachParameter(list, func(p *parameter) {
		if kind := p.asksFor(); kind != "" {
			p.nth = seen[kind]
			seen[kind] += p.wanted()
		}
		if p.contract != "" && !slices.Contains(types, p.contract) {
			types = append(types, p.contract)
		}
	})
	eachParameter(list, func(p *parameter) {
		for _, other := range types {
			if other != p.contract && p.contract != "" {
				p.besides = append(p.besides, other)
			}
		}
	})
	return list
}

func eachParameter(list []parameter, do func(*parameter)) {
	for i := range list {
		do(&list[i])
		eachParameter(list[i].fields, do)
	}
}

// asksFor is the kind of contract that the parameter should be: a contract's or
// an interface's name, that of a [namedKind], or empty.
func (p *parameter) asksFor() string {
	if baseType(p.typ).T != abi.AddressTy {
		return ""
	}
	if p.contract != "" {
		return p.contract
	}
	if kind := kindNamed(p.name); kind != nil {
		return kind.name
	}
	return ""
}

// wanted is how many different instances the parameter wants: as many as the
// array that is made up first has elements.
func (p *parameter) wanted() int {
	switch p.typ.T {
	case abi.SliceTy:
		return sliceLengths[0]
	case abi.ArrayTy:
		return max(p.typ.Size, 1)
	}
	return 1
}

// argumentType is the contract type of a constructor parameter, or of its
// elements if it is an array; "" for others.
func argumentType(c *bytecode.Contract, parameter int) string {
	if parameter >= len(c.ArgumentTypes) {
		return ""
	}
	typ, _, _ := strings.Cut(c.ArgumentTypes[parameter], "[")
	return typ
}

// baseType is the element type of an array of any depth.
func baseType(t abi.Type) abi.Type {
	for t.Elem != nil && (t.T == abi.SliceTy || t.T == abi.ArrayTy) {
		t = *t.Elem
	}
	return t
}

// namesAccount reports whether a parameter says by its name that it is an account, whatever its type.
func namesAccount(p *parameter) bool {
	return nameHas(p.name, "account") || slices.ContainsFunc(accountRoles, func(r accountRole) bool { return nameHas(p.name, r.words...) })
}
