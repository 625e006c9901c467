package world

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
)

// Value is an argument as a person writes it: one of Text, List, Fields and Call.
//
//	integers      1000, -5, 1_000_000, 1e18, 0xff, 1.5 ether, 30 days
//	addresses     the name of an instance or a sender, or 0x and 40 digits
//	bytes         0x and an even number of digits, or a Call
//	arrays        a List
//	structs       a List of the fields in order, or Fields
type Value struct {
	Text   string
	List   []Value         // an array, or a struct's fields in order; not nil
	Fields []NamedValue    // a struct's
	Call   *PlannedMessage // the calldata of a call, for bytes
	Place  string          // where it is written, for people: "line 12"
}

// NamedValue is a field of a struct.
type NamedValue struct {
	Name  string
	Value Value
}

// PlanError is a plan that cannot be meant as it is written.
type PlanError struct {
	Place   string // "line 12"
	Problem string
}

func (e *PlanError) Error() string { return e.Place + ": " + e.Problem }

func planError(place, format string, args ...any) error {
	return &PlanError{place, fmt.Sprintf(format, args...)}
}

// resolver turns values into what package abi packs.
type resolver struct {
	// address is what a name stands for.
	address func(name string) (common.Address, bool)
	// later says what makes a name that address does not know yet; empty: nothing.
	later func(name string) string
	// names lists those that address knows, for messages.
	names func() []string
	// calldata encodes a call.
	calldata func(*PlannedMessage) ([]byte, error)
}

// pack encodes arguments.
func (r *resolver) pack(inputs abi.Arguments, values []Value, place, of string) ([]byte, []reflect.Value, error) {
	if len(values) != len(inputs) {
		return nil, nil, planError(place, "%s takes %s, not %d", of, count(len(inputs), "argument"), len(values))
	}
	reflected := make([]reflect.Value, len(values))
	packed := make([]any, len(values))
	for i := range values {
		v, err := r.value(inputs[i].Type, &values[i], 0)
		if err != nil {
			return nil, nil, err
		}
		reflected[i], packed[i] = v, v.Interface()
	}
	data, err := inputs.Pack(packed...)
	if err != nil {
		return nil, nil, planError(place, "the arguments of %s: %v", of, err)
	}
	return data, reflected, nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// value is a value as package abi packs it.
func (r *resolver) value(t abi.Type, v *Value, depth int) (reflect.Value, error) {
	if depth > maxDepth {
		return reflect.Value{}, planError(v.Place, "nested more than %d deep", maxDepth)
	}
	switch t.T {
	case abi.SliceTy, abi.ArrayTy, abi.TupleTy:
		return r.composite(t, v, depth)
	case abi.BytesTy:
		if v.Call != nil {
			data, err := r.calldata(v.Call)
			return reflect.ValueOf(data), err
		}
	}
	if v.List != nil || v.Fields != nil || v.Call != nil {
		return reflect.Value{}, planError(v.Place, "want %s, not %s", article(t.String()), v.kind())
	}
	return r.scalar(t, v)
}

// kind says what a value is that has the wrong form.
func (v *Value) kind() string {
	switch {
	case v.List != nil:
		return "a list"
	case v.Call != nil:
		return "a call"
	case v.Fields != nil:
		return "a mapping"
	}
	return fmt.Sprintf("%q", v.Text)
}

func article(noun string) string {
	if noun != "" && strings.ContainsRune("aei", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// composite is an array or a struct.
func (r *resolver) composite(t abi.Type, v *Value, depth int) (reflect.Value, error) {
	out := reflect.New(t.GetType()).Elem()
	elements := v.List
	if t.T == abi.TupleTy && v.Fields != nil {
		var err error
		if elements, err = ordered(t, v); err != nil {
			return out, err
		}
	}
	if elements == nil {
		return out, planError(v.Place, "want a list for %s, not %s", t.String(), v.kind())
	}
	want := len(elements)
	switch t.T {
	case abi.SliceTy:
		out = reflect.MakeSlice(t.GetType(), want, want)
	case abi.ArrayTy:
		want = t.Size
	default:
		want = len(t.TupleElems)
	}
	if len(elements) != want {
		return out, planError(v.Place, "%s has %s, not %d", t.String(), count(want, "element"), len(elements))
	}
	for i := range elements {
		inner, place := t.Elem, reflect.Value{}
		if t.T == abi.TupleTy {
			inner, place = t.TupleElems[i], out.Field(i)
		} else {
			place = out.Index(i)
		}
		element, err := r.value(*inner, &elements[i], depth+1)
		if err != nil {
			return out, err
		}
		place.Set(element)
	}
	return out, nil
}

// ordered are the fields of a struct in its order.
func ordered(t abi.Type, v *Value) ([]Value, error) {
	values := make([]Value, len(t.TupleRawNames))
	given := map[string]bool{}
	for _, f := range v.Fields {
		i := slices.Index(t.TupleRawNames, f.Name)
		if i < 0 {
			return nil, planError(v.Place, "the struct has no field %q; it has %s", f.Name, strings.Join(t.TupleRawNames, ", "))
		}
		values[i], given[f.Name] = f.Value, true
	}
	for _, name := range t.TupleRawNames {
		if !given[name] {
			return nil, planError(v.Place, "the struct's field %s is missing", name)
		}
	}
	return values, nil
}

// scalar is a value that is neither array nor struct.
func (r *resolver) scalar(t abi.Type, v *Value) (reflect.Value, error) {
	switch t.T {
	case abi.UintTy, abi.IntTy:
		n, err := wholeNumber(v)
		if err != nil {
			return reflect.Value{}, err
		}
		if !inRange(t, n) {
			return reflect.Value{}, planError(v.Place, "%s does not fit into %s", v.Text, t.String())
		}
		return integer(t, n), nil
	case abi.BoolTy:
		if v.Text != "true" && v.Text != "false" {
			return reflect.Value{}, planError(v.Place, "want true or false, not %q", v.Text)
		}
		return reflect.ValueOf(v.Text == "true"), nil
	case abi.StringTy:
		return reflect.ValueOf(v.Text), nil
	case abi.AddressTy:
		a, err := r.named(v)
		return reflect.ValueOf(a), err
	case abi.BytesTy:
		data, err := hexBytes(v)
		return reflect.ValueOf(data), err
	case abi.FixedBytesTy, abi.FunctionTy:
		data, err := hexBytes(v)
		if err != nil {
			return reflect.Value{}, err
		}
		out := reflect.New(t.GetType()).Elem()
		if len(data) != out.Len() {
			return out, planError(v.Place, "%s has %s, not %d", t.String(), count(out.Len(), "byte"), len(data))
		}
		reflect.Copy(out, reflect.ValueOf(data))
		return out, nil
	}
	return reflect.Value{}, planError(v.Place, "values of type %s cannot be written", t.String())
}

// named is an address by its name or its digits.
func (r *resolver) named(v *Value) (common.Address, error) {
	if a, ok := r.address(v.Text); ok {
		return a, nil
	}
	if common.IsHexAddress(v.Text) && strings.HasPrefix(v.Text, "0x") {
		return common.HexToAddress(v.Text), nil
	}
	if v.Text == "0" {
		return common.Address{}, nil
	}
	if how := r.later(v.Text); how != "" {
		return common.Address{}, &laterError{how}
	}
	return common.Address{}, planError(v.Place, "%q is neither an address nor a name; known up to here: %s", v.Text, strings.Join(r.names(), ", "))
}

func hexBytes(v *Value) ([]byte, error) {
	digits, ok := strings.CutPrefix(v.Text, "0x")
	data, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return nil, planError(v.Place, "want bytes as 0x and an even number of hexadecimal digits, not %q", v.Text)
	}
	return data, nil
}

// unitsOf are Solidity's units, in wei and seconds.
var unitsOf = map[string]*big.Int{
	"": big.NewInt(1), "wei": big.NewInt(1), "gwei": big.NewInt(1e9), "ether": big.NewInt(1e18),
	"seconds": big.NewInt(1), "minutes": big.NewInt(60), "hours": big.NewInt(60 * 60), "days": big.NewInt(day), "weeks": big.NewInt(7 * day),
}

var (
	hexNumber     = regexp.MustCompile(`^0x[0-9a-fA-F]{1,64}$`)
	decimalNumber = regexp.MustCompile(`^(-?[0-9][0-9_]*)(?:\.([0-9]+))?(?:e([0-9]{1,2}))?(?: ?([a-z]+))?$`)
)

// maxDigits of a number: 2^256 has 78.
const maxDigits = 80

// wholeNumber reads an integer as Solidity writes them.
func wholeNumber(v *Value) (*big.Int, error) {
	wrong := func() error {
		return planError(v.Place, "want an integer such as 1000, 1e18, 0xff, 1.5 ether or 30 days, not %q", v.Text)
	}
	if hexNumber.MatchString(v.Text) {
		n, _ := new(big.Int).SetString(v.Text[2:], 16)
		return n, nil
	}
	m := decimalNumber.FindStringSubmatch(v.Text)
	if m == nil || len(v.Text) > 2*maxDigits || unitsOf[m[4]] == nil {
		return nil, wrong()
	}
	digits, fraction := strings.ReplaceAll(m[1], "_", ""), m[2]
	n, ok := new(big.Int).SetString(digits+fraction, 10)
	if !ok {
		return nil, wrong()
	}
	exponent := 0
	if m[3] != "" {
		_, _ = fmt.Sscan(m[3], &exponent) // two digits at most
	}
	ten := big.NewInt(10)
	n.Mul(n, new(big.Int).Exp(ten, big.NewInt(int64(exponent)), nil))
	n.Mul(n, unitsOf[m[4]])
	n, rest := n.QuoRem(n, new(big.Int).Exp(ten, big.NewInt(int64(len(fraction))), nil), new(big.Int))
	if rest.Sign() != 0 {
		return nil, planError(v.Place, "%q is not an integer", v.Text)
	}
	return n, nil
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

func inRange(t abi.Type, n *big.Int) bool {
	if t.T == abi.UintTy {
		return n.Sign() >= 0 && n.BitLen() <= t.Size
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n)
	}
	return n.BitLen() < t.Size
}
