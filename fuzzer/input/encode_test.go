package input

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// randomType makes a go-ethereum type with its components.
func randomType(r *rand.Rand, depth int) (string, []abi.ArgumentMarshaling) {
	n := 10
	if depth == 0 {
		n = 7
	}
	switch r.IntN(n) {
	case 0:
		return "uint" + big.NewInt(int64(8+8*r.IntN(32))).String(), nil
	case 1:
		return "int" + big.NewInt(int64(8+8*r.IntN(32))).String(), nil
	case 2:
		return "address", nil
	case 3:
		return "bool", nil
	case 4:
		return "bytes" + big.NewInt(int64(1+r.IntN(32))).String(), nil
	case 5:
		return "bytes", nil
	case 6:
		return "string", nil
	case 7:
		name, components := randomType(r, depth-1)
		return name + "[]", components
	case 8:
		name, components := randomType(r, depth-1)
		return name + "[" + big.NewInt(int64(1+r.IntN(3))).String() + "]", components
	}
	var components []abi.ArgumentMarshaling
	for i := range 1 + r.IntN(3) {
		name, inner := randomType(r, depth-1)
		components = append(components, abi.ArgumentMarshaling{Name: string(rune('a' + i)), Type: name, Components: inner})
	}
	return "tuple", components
}

// toGo is a value as go-ethereum's packer wants it.
func toGo(v *Value, t *Type, typ abi.Type) reflect.Value {
	out := reflect.New(typ.GetType()).Elem()
	switch t.Kind {
	case Uint, Int:
		x := v.Word.ToBig()
		if t.Kind == Int && x.Bit(255) == 1 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), 256))
		}
		switch {
		case out.CanUint():
			out.SetUint(x.Uint64())
		case out.CanInt():
			out.SetInt(x.Int64())
		default:
			out.Set(reflect.ValueOf(x))
		}
	case Address:
		out.Set(reflect.ValueOf(common.Address(v.Word.Bytes20())))
	case Bool:
		out.SetBool(!v.Word.IsZero())
	case FixedBytes:
		word := v.Word.Bytes32()
		reflect.Copy(out, reflect.ValueOf(word[:t.Bits/8]))
	case Bytes:
		out.SetBytes(v.Bytes)
	case String:
		out.SetString(string(v.Bytes))
	case Slice:
		out.Set(reflect.MakeSlice(typ.GetType(), len(v.Elems), len(v.Elems)))
		fallthrough
	case Array:
		for i := range v.Elems {
			out.Index(i).Set(toGo(&v.Elems[i], t.Elem, *typ.Elem))
		}
	case Tuple:
		for i := range v.Elems {
			out.Field(i).Set(toGo(&v.Elems[i], &t.Fields[i], *typ.TupleElems[i]))
		}
	}
	return out
}

// randomArguments makes a random parameter list.
func randomArguments(t testing.TB, r *rand.Rand) (abi.Arguments, []Type) {
	t.Helper()
	var arguments abi.Arguments
	for range 1 + r.IntN(4) {
		name, components := randomType(r, 3)
		typ, err := abi.NewType(name, "", components)
		if err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, abi.Argument{Type: typ})
	}
	types, err := compileTypes(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return arguments, types
}

func randomValues(r *rand.Rand, m *Mutator, types []Type) []Value {
	call := makeCallOf(m)
	budget := MaxCallWords / 4
	values := make([]Value, len(types))
	for i := range types {
		values[i] = m.generateValue(r, &types[i], &call, &budget)
	}
	return values
}

func makeCallOf(m *Mutator) Call {
	c := m.space.Callables[0]
	return Call{Instance: c.Instance, Function: c.Function, Args: Zeros(c.Function.Inputs)}
}

func TestEncodeAgreesWithGoEthereum(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(10)
	for i := range 3_000 {
		arguments, types := randomArguments(t, r)
		values := randomValues(r, m, types)
		if err := validAll(values, types); err != nil {
			t.Fatal(err)
		}
		var goValues []any
		for j := range values {
			goValues = append(goValues, toGo(&values[j], &types[j], arguments[j].Type).Interface())
		}
		want, err := arguments.Pack(goValues...)
		if err != nil {
			t.Fatal(err)
		}
		got := AppendEncode([]byte("front"), types, values)
		if !bytes.Equal(got[5:], want) {
			t.Fatalf("case %d: %v encodes as\n%x\nwant\n%x", i, types, got[5:], want)
		}
		decoded, err := Decode(types, want)
		if err != nil {
			t.Fatalf("case %d: %v: %v", i, types, err)
		}
		for j := range values {
			if !Equal(&values[j], &decoded[j]) {
				t.Fatalf("case %d: %s decodes as %v, want %v", i, &types[j], decoded[j], values[j])
			}
		}
		unpacked, err := arguments.Unpack(AppendEncode(nil, types, decoded))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := arguments.Pack(unpacked...); err != nil || !bytes.Equal(again, want) {
			t.Fatalf("case %d: go-ethereum reads back another value (%v)", i, err)
		}
	}
}

// What Decode accepts of data that some bytes were changed in, go-ethereum
// accepts too, with the same values.
func TestDecodeOfDamagedData(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(11)
	accepted := 0
	for range 3_000 {
		arguments, types := randomArguments(t, r)
		data := AppendEncode(nil, types, randomValues(r, m, types))
		for range 1 + r.IntN(3) {
			data[r.IntN(len(data))] ^= byte(1) << r.IntN(8)
		}
		data = data[:len(data)-r.IntN(2)*r.IntN(len(data))]
		values, err := Decode(types, data)
		if err != nil {
			continue
		}
		accepted++
		if err := validAll(values, types); err != nil {
			t.Fatalf("%v: decoded values are invalid: %v", types, err)
		}
		unpacked, err := arguments.Unpack(data)
		if err != nil {
			t.Fatalf("%v: go-ethereum refuses what Decode accepts: %v\n%x", types, err, data)
		}
		want, err := arguments.Pack(unpacked...)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendEncode(nil, types, values); !bytes.Equal(got, want) {
			t.Fatalf("%v: decoded values differ from go-ethereum's", types)
		}
	}
	if accepted == 0 {
		t.Error("no damaged data was accepted: the test shows nothing")
	}
}

func TestDecodeErrors(t *testing.T) {
	compile := func(names ...string) []Type {
		var types []Type
		for _, name := range names {
			typ, err := abi.NewType(name, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			compiled, err := CompileType(typ)
			if err != nil {
				t.Fatal(err)
			}
			types = append(types, compiled)
		}
		return types
	}
	word := func(n uint64) []byte { b := uint256.NewInt(n).Bytes32(); return b[:] }
	// Six levels of 100 elements, all elements of a level at one place: 100^6 values.
	shared := word(32)
	for range 6 {
		shared = append(append(shared, word(100)...), bytes.Repeat(word(3200), 100)...)
	}
	cases := map[string]struct {
		types []Type
		data  []byte
	}{
		"empty":             {compile("uint256"), nil},
		"wide uint8":        {compile("uint8"), word(256)},
		"bool of 2":         {compile("bool"), word(2)},
		"padded bytes4":     {compile("bytes4"), word(1)},
		"offset out":        {compile("bytes"), word(64)},
		"length out":        {compile("bytes"), append(word(32), word(1)...)},
		"huge offset":       {compile("uint8[]"), bytes.Repeat([]byte{0xff}, 64)},
		"too many elements": {compile("uint8[]"), append(append(word(32), word(257)...), make([]byte, 32*257)...)},
		"padding":           {compile("bytes"), append(append(word(32), word(1)...), bytes.Repeat([]byte{1}, 32)...)},
		"shared tails":      {compile("uint8[][][][][][]"), shared},
	}
	for name, c := range cases {
		if values, err := Decode(c.types, c.data); err == nil {
			t.Errorf("%s: accepted as %d values", name, len(values))
		}
	}
}

func TestCompileTypeRefuses(t *testing.T) {
	for _, name := range []string{"uint8[][][][][][][]", "uint256[1000][1000]", "uint8[0]"} {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			continue // go-ethereum refuses it already
		}
		if _, err := CompileType(typ); err == nil {
			t.Errorf("%s compiles", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(uint64(1), []byte{})
	f.Add(uint64(2), bytes.Repeat([]byte{0, 0, 0, 32}, 64))
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		_, types := randomArguments(t, testRand(seed))
		values, err := Decode(types, data)
		if err != nil {
			return
		}
		if err := validAll(values, types); err != nil {
			t.Fatal(err)
		}
		again, err := Decode(types, AppendEncode(nil, types, values))
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			if !Equal(&values[i], &again[i]) {
				t.Fatalf("%v reads back as %v", values[i], again[i])
			}
		}
	})
}
