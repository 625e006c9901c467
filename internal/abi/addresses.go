package abi

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// EachAddress calls f with every address among values of some types, however deep.
func EachAddress(values []Value, types []Type, f func(common.Address)) {
	for i := range values {
		eachAddress(&values[i], &types[i], f)
	}
}

func eachAddress(v *Value, t *Type, f func(common.Address)) {
	if t.Kind == Address {
		f(v.Address())
	}
	for i := range v.Elems {
		eachAddress(&v.Elems[i], t.Child(i), f)
	}
}

// ReplaceAddress copies values of some types, with another address in place of one.
func ReplaceAddress(values []Value, types []Type, from, to common.Address) []Value {
	return MapAddresses(values, types, func(a common.Address) common.Address {
		if a == from {
			return to
		}
		return a
	})
}

// MapAddresses copies values of some types, with what f gives in place of each address.
func MapAddresses(values []Value, types []Type, f func(common.Address) common.Address) []Value {
	out := slices.Clone(values)
	for i := range out {
		out[i] = mapAddresses(out[i], &types[i], f)
	}
	return out
}

func mapAddresses(v Value, t *Type, f func(common.Address) common.Address) Value {
	if t.Kind == Address {
		if to := f(v.Address()); to != v.Address() { // otherwise bits above the address stay
			v.Word.SetBytes20(to[:])
		}
	}
	if v.Elems != nil {
		v.Elems = slices.Clone(v.Elems)
		for i := range v.Elems {
			v.Elems[i] = mapAddresses(v.Elems[i], t.Child(i), f)
		}
	}
	return v
}
