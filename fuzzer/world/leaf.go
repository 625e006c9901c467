package world

import (
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/holiman/uint256"
)

// maxTriedLeaves bounds the leaves of arguments for which other values are proposed: each of these copies what the leaf stands in, and an
// ABI may declare an array of any size. Arbitrary: structs of constructors have some ten fields.
const maxTriedLeaves = 64

// pack encodes the values.
func (a *arguments) pack() (err error) {
	values := make([]any, len(a.values))
	for i, v := range a.values {
		values[i] = v.Interface()
	}
	a.packed, err = a.inputs.Pack(values...)
	return err
}

// leaf is a value of an elementary type in arguments: an argument itself, a field of a struct, or an element of an array.
type leaf struct {
	path  []int // the argument's index, and those of the fields and elements in it
	typ   abi.Type
	value reflect.Value
}

// leaves lists the leaves of arguments, in order.
func (a *arguments) leaves() []leaf {
	var list []leaf
	var walk func(path []int, t abi.Type, v reflect.Value)
	walk = func(path []int, t abi.Type, v reflect.Value) {
		switch t.T {
		case abi.SliceTy, abi.ArrayTy:
			for i := range v.Len() {
				walk(append(slices.Clip(path), i), *t.Elem, v.Index(i))
			}
		case abi.TupleTy:
			for i, e := range t.TupleElems {
				walk(append(slices.Clip(path), i), *e, v.Field(i))
			}
		default:
			list = append(list, leaf{path, t, v})
		}
	}
	for i, v := range a.values {
		walk([]int{i}, a.inputs[i].Type, v)
	}
	return list
}

// tried are the leaves for which other values are proposed.
func (a *arguments) tried() []leaf {
	leaves := a.leaves()
	return leaves[:min(len(leaves), maxTriedLeaves)]
}

// with is a copy of arguments with another value for a leaf. The values of a are not written to.
func (a *arguments) with(path []int, value reflect.Value) *arguments {
	b := *a
	b.values = slices.Clone(a.values)
	b.values[path[0]] = withLeaf(b.values[path[0]], path[1:], value)
	return &b
}

func withLeaf(v reflect.Value, path []int, value reflect.Value) reflect.Value {
	if len(path) == 0 {
		return value
	}
	c := reflect.New(v.Type()).Elem()
	if v.Kind() == reflect.Slice {
		c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		reflect.Copy(c, v)
	} else {
		c.Set(v)
	}
	part := c
	if v.Kind() == reflect.Struct {
		part = c.Field(path[0])
	} else {
		part = c.Index(path[0])
	}
	part.Set(withLeaf(part, path[1:], value))
	return c
}

// parameterAt is what declares a leaf: the parameter, the field or the element.
func parameterAt(parameters []parameter, path []int) *parameter {
	p := &parameters[path[0]]
	for _, i := range path[1:] {
		if p.typ.T == abi.TupleTy {
			p = &p.fields[i]
			continue
		}
		element := *p
		element.typ = *p.typ.Elem
		p = &element
	}
	return p
}

// numericWord is a number as the EVM sees it.
func numericWord(t abi.Type, v reflect.Value) (*uint256.Int, bool) {
	if t.T != abi.UintTy && t.T != abi.IntTy {
		return nil, false
	}
	packed, err := abi.Arguments{{Type: t}}.Pack(v.Interface())
	if err != nil {
		return nil, false
	}
	return new(uint256.Int).SetBytes(packed), true
}
