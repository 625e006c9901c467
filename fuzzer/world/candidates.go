package world

import (
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/crypto"
)

// Bounds on what is generated from hostile ABIs.
const (
	// maxDepth bounds the nesting of arrays and tuples; Solidity code nests two or
	// three deep.
	maxDepth = 8
	// maxElements bounds the leaves of one argument: a fixed array may declare any
	// length.
	maxElements = 1 << 12
	// longestSlice is the longest dynamic array that is made up.
	longestSlice = 3
)

// sliceLengths are the lengths of dynamic arrays that are made up, in order: two
// owners, payees or tokens are what most constructors want, none or one is
// refused by many. The order is the same for every type, since constructors with
// several arrays want them equally long.
var sliceLengths = [...]int{2, 1, 0, longestSlice}

// candidates lists values for a parameter, the preferred one first; none when
// its type is too large or deep to be made up.
func (f *finder) candidates(p *parameter) []reflect.Value {
	elements := maxElements
	if !fits(p.typ, 0, &elements) {
		return nil
	}
	return f.values(p)
}

// fits reports whether a value of the type has few enough leaves.
func fits(t abi.Type, depth int, elements *int) bool {
	if depth > maxDepth {
		return false
	}
	switch t.T {
	case abi.ArrayTy:
		if t.Size > *elements {
			return false
		}
		for range t.Size {
			if !fits(*t.Elem, depth+1, elements) {
				return false
			}
		}
		return true
	case abi.SliceTy:
		for range longestSlice {
			if !fits(*t.Elem, depth+1, elements) {
				return false
			}
		}
		return true
	case abi.TupleTy:
		for _, e := range t.TupleElems {
			if !fits(*e, depth+1, elements) {
				return false
			}
		}
		return true
	}
	*elements--
	return *elements >= 0
}

// values lists values of a parameter as package abi packs them.
func (f *finder) values(p *parameter) []reflect.Value {
	switch p.typ.T {
	case abi.AddressTy:
		return reflected(f.addresses(p))
	case abi.BoolTy:
		return reflected([]bool{false, true})
	case abi.StringTy:
		return reflected([]string{text(p.name), "", strings.Repeat("a", 33)})
	case abi.BytesTy:
		return reflected(f.byteStrings(p))
	case abi.UintTy, abi.IntTy:
		return f.numbers(p.typ, p.name)
	case abi.FixedBytesTy, abi.FunctionTy:
		return fixedBytes(p.typ, p.name)
	case abi.SliceTy:
		var out []reflect.Value
		if takesCuts(p) {
			out = append(out, f.cuts(p.typ))
		}
		for _, n := range sliceLengths {
			out = append(out, f.filled(reflect.MakeSlice(p.typ.GetType(), n, n), p))
		}
		if p.typ.Elem.T == abi.BytesTy {
			out = append(out, reflect.ValueOf(f.packedAccounts(p)[:sliceLengths[0]]))
		}
		return out
	case abi.ArrayTy:
		return []reflect.Value{f.filled(reflect.New(p.typ.GetType()).Elem(), p)}
	case abi.TupleTy:
		return f.tuples(p)
	}
	return []reflect.Value{reflect.Zero(p.typ.GetType())}
}

func reflected[T any](values []T) []reflect.Value {
	out := make([]reflect.Value, len(values))
	for i, v := range values {
		out[i] = reflect.ValueOf(v)
	}
	return out
}

// byteStrings lists strings of bytes: of a parameter that names an account (ERC-7913's signers) first those of
// accounts, of others one last.
func (f *finder) byteStrings(p *parameter) [][]byte {
	plain, accounts := [][]byte{{}, {0x01}, make([]byte, 32)}, f.packedAccounts(p)
	if namesAccount(p) {
		return append(accounts, plain...)
	}
	return append(plain, accounts[0])
}

// packedAccounts are the addresses of as many accounts as the longest array has elements, the likeliest first.
func (f *finder) packedAccounts(p *parameter) [][]byte {
	var out [][]byte
	for _, address := range f.addresses(p)[:longestSlice] { // there are three senders at least
		out = append(out, address.Bytes())
	}
	return out
}

// text is a string that a parameter of this name could mean.
func text(name string) string {
	if nameHas(name, "symbol") {
		return "TKN"
	}
	if nameHas(name, "uri", "url") {
		return "ipfs://example/"
	}
	return "Test"
}

// numbers lists integers: what the name suggests, small ones, usual ones, bounds.
func (f *finder) numbers(t abi.Type, name string) []reflect.Value {
	var list []*big.Int
	for _, h := range hints {
		if nameHas(name, h.words...) {
			list = append(list, h.value(f.deployer))
		}
	}
	highest := new(big.Int).Lsh(big.NewInt(1), uint(t.Size))
	lowest := new(big.Int)
	if t.T == abi.IntTy {
		highest.Rsh(highest, 1)
		lowest.Neg(highest)
	}
	highest.Sub(highest, big.NewInt(1))
	list = append(list, big.NewInt(1), big.NewInt(100), units(1), big.NewInt(0), big.NewInt(2), big.NewInt(10_000),
		later(day)(f.deployer), highest, lowest)
	var out []reflect.Value
	for i, n := range list {
		known := slices.ContainsFunc(list[:i], func(m *big.Int) bool { return m.Cmp(n) == 0 })
		if !known && n.Cmp(lowest) >= 0 && n.Cmp(highest) <= 0 {
			out = append(out, integer(t, n))
		}
	}
	return out
}

// fixedBytes lists one, zero and all ones; for roots and hashes first something
// that looks like one.
func fixedBytes(t abi.Type, name string) []reflect.Value {
	one := reflect.New(t.GetType()).Elem()
	all := reflect.New(t.GetType()).Elem()
	if n := one.Len(); n > 0 {
		one.Index(n - 1).SetUint(1)
	}
	for i := range all.Len() {
		all.Index(i).SetUint(0xff)
	}
	list := []reflect.Value{one, reflect.Zero(t.GetType()), all}
	if nameHas(name, "root", "hash", "merkle", "salt", "commitment", "digest") {
		random := reflect.New(t.GetType()).Elem()
		for i, c := range crypto.Keccak256([]byte(name))[:random.Len()] {
			random.Index(i).SetUint(uint64(c))
		}
		list = slices.Insert(list, 0, random)
	}
	return list
}

// filled sets the elements of an array: distinct accounts, otherwise the
// preferred value.
func (f *finder) filled(array reflect.Value, p *parameter) reflect.Value {
	if array.Len() == 0 {
		return array
	}
	element := *p
	element.typ = *p.typ.Elem
	values := f.values(&element)
	for i := range array.Len() {
		v := values[0]
		if element.typ.T == abi.AddressTy || element.typ.T == abi.BytesTy && namesAccount(p) {
			v = values[i%len(values)]
		}
		array.Index(i).Set(v)
	}
	return array
}

// tuples lists structs: of all preferred values, then of all second ones, which
// covers fields that are alike; others come of what a failed run says (see [search.proposeAfter]).
func (f *finder) tuples(p *parameter) []reflect.Value {
	const variants = 3
	var out []reflect.Value
	for k := range variants {
		v := reflect.New(p.typ.GetType()).Elem()
		for i := range p.fields {
			values := f.values(&p.fields[i])
			v.Field(i).Set(values[min(k, len(values)-1)])
		}
		out = append(out, v)
	}
	return out
}

// cuts lists every deployed facet with its functions; of those that several have, the
// first one's.
func (f *finder) cuts(t abi.Type) reflect.Value {
	list := reflect.MakeSlice(t.GetType(), 0, len(f.instances))
	taken := map[string]bool{}
	for _, in := range f.instances {
		if !isFacet(in.Contract) || f.proxies[in.Address] {
			continue
		}
		var selectors [][4]byte
		for _, m := range sortedMethods(in.Contract) {
			if !taken[string(m.ID)] {
				taken[string(m.ID)] = true
				selectors = append(selectors, [4]byte(m.ID))
			}
		}
		if len(selectors) == 0 {
			continue
		}
		cut := reflect.New(t.Elem.GetType()).Elem()
		cut.Field(0).Set(reflect.ValueOf(in.Address))
		cut.Field(2).Set(reflect.ValueOf(selectors))
		list = reflect.Append(list, cut)
	}
	return list
}
