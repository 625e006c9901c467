package world

import (
	"math/big"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Bounds on what is generated from hostile ABIs.
const (
	// maxDepth bounds the nesting of arrays and tuples; Solidity code nests two or
	// three deep.
	maxDepth = 8
	// maxElements bounds the leaves of one argument: a fixed array may declare any
	// length.
	maxElements = 1 << 12
	// longestSlice is the longest dynamic array that is made up; arbitrary.
	longestSlice = 3
)

const (
	day = 24 * 60 * 60 // seconds
	// token is the usual unit of 18 decimals.
	tokenDecimals = 18
)

// hint is what a parameter's name suggests.
type hint struct {
	words []string // one of them must be a word of the name
	value func(b *builder) *big.Int
}

func constant(n int64) func(*builder) *big.Int {
	return func(*builder) *big.Int { return big.NewInt(n) }
}

// later is a moment so many seconds after the first call.
func later(seconds int64) func(*builder) *big.Int {
	return func(b *builder) *big.Int {
		now := new(big.Int).SetUint64(b.machine.World().Block.Time)
		return now.Add(now, big.NewInt(seconds))
	}
}

// hints are tried in order. Their values are what constructors of common
// contracts (tokens, sales, vesting, governance) accept.
var hints = []hint{
	{[]string{"decimals"}, constant(tokenDecimals)},
	{[]string{"start", "opening", "open", "begin"}, later(0)},
	{[]string{"deadline", "end", "closing", "close", "expiry", "expiration", "until", "unlock", "release", "finish"}, later(30 * day)},
	{[]string{"time", "timestamp", "date"}, later(day)},
	{[]string{"duration", "period", "delay", "interval", "cliff", "window"}, constant(day)},
	{[]string{"supply", "cap", "goal", "amount", "max", "limit", "total"}, func(*builder) *big.Int { return units(1_000_000) }},
	{[]string{"price", "cost"}, func(*builder) *big.Int { return units(1) }},
	{[]string{"threshold", "required", "quorum", "min", "fee", "bps", "percent", "version", "nonce", "id", "index"}, constant(1)},
	{[]string{"rate", "ratio", "numerator", "denominator"}, constant(100)},
}

// units is n times 10^18.
func units(n int64) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(tokenDecimals), nil)
	return unit.Mul(unit, big.NewInt(n))
}

// words splits an identifier: "_maxSupply" is max, supply.
func words(name string) []string {
	var out []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			out = append(out, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	for _, r := range name {
		switch {
		case r == '_' || r == '$':
			flush()
			continue
		case unicode.IsUpper(r):
			flush()
		}
		word.WriteRune(r)
	}
	flush()
	return out
}

func nameHas(name string, any ...string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(any, w) })
}

func ownerName(name string) bool {
	return nameHas(name, "owner", "admin", "governor", "governance", "deployer", "manager", "minter",
		"operator", "guardian", "controller", "multisig", "timelock", "authority", "keeper", "treasurer")
}

func tokenName(name string) bool {
	return nameHas(name, "token", "asset", "underlying", "currency", "collateral", "erc20", "weth", "coin")
}

// candidates lists values for a constructor parameter, the preferred one first;
// none when its type is too large or deep to be made up.
func (b *builder) candidates(c *bytecode.Contract, parameter int) []reflect.Value {
	p := c.ABI.Constructor.Inputs[parameter]
	elements := maxElements
	if !fits(p.Type, 0, &elements) {
		return nil
	}
	return b.values(p.Type, p.Name, argumentType(c, parameter))
}

// fits tells whether a value of the type has few enough leaves.
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

// values lists values of a type as package abi packs them.
func (b *builder) values(t abi.Type, name, contract string) []reflect.Value {
	switch t.T {
	case abi.AddressTy:
		return reflected(b.addresses(name, contract))
	case abi.BoolTy:
		return reflected([]bool{false, true})
	case abi.StringTy:
		return reflected([]string{b.text(name), "", strings.Repeat("a", 33)})
	case abi.BytesTy:
		return reflected([][]byte{{}, {0x01}, make([]byte, 32)})
	case abi.UintTy, abi.IntTy:
		return b.numbers(t, name)
	case abi.FixedBytesTy, abi.FunctionTy:
		return fixedBytes(t)
	case abi.SliceTy:
		return b.slices(t, name, contract)
	case abi.ArrayTy:
		return []reflect.Value{b.filled(reflect.New(t.GetType()).Elem(), t, name, contract)}
	case abi.TupleTy:
		return b.tuples(t)
	}
	return []reflect.Value{reflect.Zero(t.GetType())}
}

func reflected[T any](values []T) []reflect.Value {
	out := make([]reflect.Value, len(values))
	for i, v := range values {
		out[i] = reflect.ValueOf(v)
	}
	return out
}

// text is a string that a parameter of this name could mean.
func (b *builder) text(name string) string {
	if nameHas(name, "symbol") {
		return "TKN"
	}
	if nameHas(name, "uri", "url") {
		return "ipfs://example/"
	}
	return "Test"
}

// addresses lists what an address parameter could mean: an instance of the type
// it is declared with or named after, the deployer for owners, a token for
// tokens, then users, then whatever is there, then zero.
func (b *builder) addresses(name, contract string) []common.Address {
	var list []common.Address
	add := func(addresses ...common.Address) {
		for _, a := range addresses {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	if contract != "" {
		add(b.matching(func(c *bytecode.Contract) bool { return b.implements(c, contract) })...)
	}
	add(b.matching(func(c *bytecode.Contract) bool {
		return len(c.Name) > 2 && strings.EqualFold(c.Name, strings.Trim(name, "_"))
	})...)
	if tokenName(name) {
		add(b.matching(isToken)...)
	}
	if ownerName(name) {
		add(Deployer.Address)
	}
	add(User1.Address, Deployer.Address, User2.Address)
	add(b.matching(func(*bytecode.Contract) bool { return true })...)
	add(common.Address{})
	return list
}

// numbers lists integers: what the name suggests, small ones, usual ones, bounds.
func (b *builder) numbers(t abi.Type, name string) []reflect.Value {
	var list []*big.Int
	for _, h := range hints {
		if nameHas(name, h.words...) {
			list = append(list, h.value(b))
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
		later(day)(b), highest, lowest)
	var out []reflect.Value
	for i, n := range list {
		known := slices.ContainsFunc(list[:i], func(m *big.Int) bool { return m.Cmp(n) == 0 })
		if !known && n.Cmp(lowest) >= 0 && n.Cmp(highest) <= 0 {
			out = append(out, integer(t, n))
		}
	}
	return out
}

// integer is a number in the Go type that package abi wants.
func integer(t abi.Type, n *big.Int) reflect.Value {
	v := reflect.New(t.GetType()).Elem()
	switch v.Kind() {
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(n.Uint64())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(n.Int64())
	default:
		v.Set(reflect.ValueOf(n))
	}
	return v
}

// fixedBytes lists one, zero and all ones.
func fixedBytes(t abi.Type) []reflect.Value {
	one := reflect.New(t.GetType()).Elem()
	all := reflect.New(t.GetType()).Elem()
	if n := one.Len(); n > 0 {
		one.Index(n - 1).SetUint(1)
	}
	for i := range all.Len() {
		all.Index(i).SetUint(0xff)
	}
	return []reflect.Value{one, reflect.Zero(t.GetType()), all}
}

// slices lists dynamic arrays of one, three and no elements: in the same order
// for every type, since constructors with several arrays want them equally long.
func (b *builder) slices(t abi.Type, name, contract string) []reflect.Value {
	var out []reflect.Value
	for _, n := range []int{1, longestSlice, 0} {
		out = append(out, b.filled(reflect.MakeSlice(t.GetType(), n, n), t, name, contract))
	}
	return out
}

// filled sets the elements of an array: distinct addresses, otherwise the
// preferred value.
func (b *builder) filled(array reflect.Value, t abi.Type, name, contract string) reflect.Value {
	if array.Len() == 0 {
		return array
	}
	values := b.values(*t.Elem, name, contract)
	for i := range array.Len() {
		v := values[0]
		if t.Elem.T == abi.AddressTy {
			v = values[i%len(values)]
		}
		array.Index(i).Set(v)
	}
	return array
}

// tuples lists structs: of all preferred values, then of all second ones, which
// covers fields that are alike; the search does not look into them further.
func (b *builder) tuples(t abi.Type) []reflect.Value {
	const variants = 3
	var out []reflect.Value
	for k := range variants {
		v := reflect.New(t.GetType()).Elem()
		for i, e := range t.TupleElems {
			values := b.values(*e, t.TupleRawNames[i], "")
			v.Field(i).Set(values[min(k, len(values)-1)])
		}
		out = append(out, v)
	}
	return out
}
