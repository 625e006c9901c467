package abi

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// randomType makes a go-ethereum type with its components.
func randomType(r *rand.Rand, depth int) (string, []gethabi.ArgumentMarshaling) {
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
	var components []gethabi.ArgumentMarshaling
	for i := range 1 + r.IntN(3) {
		name, inner := randomType(r, depth-1)
		components = append(components, gethabi.ArgumentMarshaling{Name: string(rune('a' + i)), Type: name, Components: inner})
	}
	return "tuple", components
}

func randomArguments(t testing.TB, r *rand.Rand) (gethabi.Arguments, []Type) {
	t.Helper()
	var arguments gethabi.Arguments
	for range 1 + r.IntN(4) {
		name, components := randomType(r, 3)
		typ, err := gethabi.NewType(name, "", components)
		if err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, gethabi.Argument{Type: typ})
	}
	types, err := OfArguments(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return arguments, types
}

func randomValues(r *rand.Rand, types []Type) []Value {
	values := make([]Value, len(types))
	for i := range types {
		values[i] = randomValue(r, &types[i])
	}
	return values
}

func randomValue(r *rand.Rand, t *Type) Value {
	var v Value
	switch t.Kind {
	case Bytes, String:
		for range r.IntN(4) * r.IntN(30) {
			v.Bytes = append(v.Bytes, byte(r.IntN(256)))
		}
		return v
	case Tuple:
		v.Elems = randomValues(r, t.Fields)
		return v
	case Slice, Array:
		n := t.Length
		if t.Kind == Slice {
			n = r.IntN(4)
		}
		for range n {
			v.Elems = append(v.Elems, randomValue(r, t.Elem))
		}
		return v
	}
	word := uint256.Int{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	if r.IntN(3) == 0 {
		word = *uint256.NewInt(r.Uint64N(3))
	}
	v.Word = t.Wrap(&word)
	return v
}

// toGo is a value as go-ethereum's packer wants it.
func toGo(v *Value, t *Type, typ gethabi.Type) reflect.Value {
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
		out.Set(reflect.ValueOf(v.Address()))
	case Bool:
		out.SetBool(v.Bool())
	case FixedBytes:
		word := v.Word.Bytes32()
		reflect.Copy(out, reflect.ValueOf(word[:t.Bits/8]))
	case Bytes:
		out.SetBytes(v.Bytes)
	case String:
		out.SetString(v.Text())
	case Slice, Array:
		if t.Kind == Slice {
			out.Set(reflect.MakeSlice(typ.GetType(), len(v.Elems), len(v.Elems)))
		}
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

// TestRoundTrip encodes random values of random types as go-ethereum does, and reads them
// back as they were.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 3_000 {
		arguments, types := randomArguments(t, r)
		values := randomValues(r, types)
		var goValues []any
		for j := range values {
			goValues = append(goValues, toGo(&values[j], &types[j], arguments[j].Type).Interface())
		}
		want, err := arguments.Pack(goValues...)
		if err != nil {
			t.Fatal(err)
		}
		got := Append([]byte("front"), types, values)
		if !bytes.Equal(got[5:], want) {
			t.Fatalf("case %d: %v encodes as\n%x\nwant\n%x", i, types, got[5:], want)
		}
		decoded, err := Decode(types, want, Limits{Words: Honest(want).Words, Padded: true})
		if err != nil {
			t.Fatalf("case %d: %v: %v", i, types, err)
		}
		words := 0
		for j := range values {
			words += Words(&values[j], &types[j])
			if !Equal(&values[j], &decoded[j]) {
				t.Fatalf("case %d: %s decodes as %v, want %v", i, &types[j], decoded[j], values[j])
			}
		}
		if _, err := Decode(types, want, Limits{Words: words}); err != nil {
			t.Fatalf("case %d: %v of %d words: %v", i, types, words, err)
		}
		if _, err := Decode(types, want, Limits{Words: words - 1}); !errors.Is(err, ErrLimit) {
			t.Fatalf("case %d: %v of %d words in %d: %v", i, types, words, words-1, err)
		}
	}
}

// TestZero: the zero value has the words that its type says, and is encoded.
func TestZero(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		_, types := randomArguments(t, r)
		tuple := TupleOf(types)
		zero := Zero(&tuple)
		if got := Words(&zero, &tuple); got != tuple.Words() {
			t.Fatalf("the zero value of %s has %d words, its type says %d", &tuple, got, tuple.Words())
		}
		data := Append(nil, types, zero.Elems)
		if values, err := Decode(types, data, Honest(data)); err != nil || !Equal(&Value{Elems: values}, &zero) {
			t.Fatalf("%s: %v, %v", &tuple, values, err)
		}
	}
}

// TestDecodeOfDamagedData: go-ethereum accepts what Decode accepts of data in which some
// bytes were changed, with the same values.
func TestDecodeOfDamagedData(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	accepted := 0
	for range 3_000 {
		arguments, types := randomArguments(t, r)
		data := Append(nil, types, randomValues(r, types))
		for range 1 + r.IntN(3) {
			data[r.IntN(len(data))] ^= byte(1) << r.IntN(8)
		}
		data = data[:len(data)-r.IntN(2)*r.IntN(len(data))]
		values, err := Decode(types, data, Honest(data))
		if err != nil {
			continue
		}
		accepted++
		unpacked, err := arguments.Unpack(data)
		if err != nil {
			t.Fatalf("%v: go-ethereum refuses what Decode accepts: %v\n%x", types, err, data)
		}
		want, err := arguments.Pack(unpacked...)
		if err != nil {
			t.Fatal(err)
		}
		if got := Append(nil, types, values); !bytes.Equal(got, want) {
			t.Fatalf("%v: decoded values differ from go-ethereum's", types)
		}
	}
	if accepted < 100 {
		t.Errorf("only %d damaged encodings were accepted: the test shows little", accepted)
	}
}

func word(n uint64) []byte { b := uint256.NewInt(n).Bytes32(); return b[:] }

// TestDecodeErrors reads what Solidity's decoder refuses, and what is beyond the limits.
func TestDecodeErrors(t *testing.T) {
	// Six levels of 100 elements, all elements of a level at one place: 100^6 values.
	shared := word(32)
	for range 6 {
		shared = append(append(shared, word(100)...), bytes.Repeat(word(3200), 100)...)
	}
	text := append(append(word(32), word(3)...), "abc"...)
	for name, c := range map[string]struct {
		types  string
		data   []byte
		limits Limits
		want   error
	}{
		"empty":                {"(uint256)", nil, Limits{Words: 9}, ErrShort},
		"wide uint8":           {"(uint8)", word(256), Limits{Words: 9}, ErrWord},
		"unextended int8":      {"(int8)", word(128), Limits{Words: 9}, ErrWord},
		"bool of 2":            {"(bool)", word(2), Limits{Words: 9}, ErrWord},
		"padded bytes4":        {"(bytes4)", word(1), Limits{Words: 9}, ErrWord},
		"dirty address":        {"(address)", bytes.Repeat([]byte{1}, 32), Limits{Words: 9}, ErrWord},
		"offset out":           {"(bytes)", word(64), Limits{Words: 9}, ErrShort},
		"length out":           {"(bytes)", append(word(32), word(1)...), Limits{Words: 9}, ErrShort},
		"huge offset":          {"(uint8[])", bytes.Repeat([]byte{0xff}, 64), Limits{Words: 9}, ErrShort},
		"huge length":          {"(uint8[])", append(word(32), bytes.Repeat([]byte{0xff}, 32)...), Limits{Words: 9}, ErrShort},
		"elements out":         {"(uint8[])", append(word(32), word(1<<30)...), Limits{Words: 1 << 40}, ErrShort},
		"too many elements":    {"(uint8[])", append(append(word(32), word(3)...), make([]byte, 96)...), Limits{Words: 9, Elements: 2}, ErrLimit},
		"too many bytes":       {"(string)", text, Limits{Words: 9, Bytes: 2}, ErrLimit},
		"too many words":       {"(uint8[])", append(append(word(32), word(3)...), make([]byte, 96)...), Limits{Words: 3}, ErrLimit},
		"padding is not there": {"(string)", text, Limits{Words: 9, Padded: true}, ErrShort},
		"padding":              {"(bytes)", append(append(word(32), word(1)...), bytes.Repeat([]byte{1}, 32)...), Limits{Words: 9, Padded: true}, ErrPadding},
		"shared tails":         {"(uint256[][][][][][])", shared, Honest(shared), ErrLimit},
	} {
		if values, err := Decode(MustParse(c.types), c.data, c.limits); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v, want error %v", name, values, err, c.want)
		}
	}
	if values, err := Decode(MustParse("(string)"), text, Honest(text)); err != nil || values[0].Text() != "abc" {
		t.Errorf("without padding: %v, %v", values, err)
	}
	list := List(MustParse("(uint8,string)"))
	if _, err := Decode([]Type{list}, text, Honest(text)); err == nil {
		t.Error("a list without a type is decoded")
	}
}

// TestParse reads signatures, and names types as they do.
func TestParse(t *testing.T) {
	for _, list := range []string{"()", "(uint256)", "(uint8,(address,bytes)[],string[2][])", "(((bool)),function)", "((int256,(bytes32,bytes1)))", "((bool,(bytes,int8)[3][])[2][],uint8)"} {
		types, err := Parse(list)
		if err != nil || TupleName(types) != list {
			t.Errorf("%s is read as %s, %v", list, TupleName(types), err)
		}
	}
	for _, list := range []string{"", "(", "uint256", "(uint256", "(uint257)", "(uint7)", "(bytes33)", "(fixed128x18)", "(uint8[0])", "(number)", "(uint8))", "(())", "(uint8[)", "(uint8[x])", "(uint8[-1])", "((uint8)", "(,)", "(uint8)[]", strings.Repeat("(", 100_000), "(uint8" + strings.Repeat("[]", 100) + ")", "(uint256[1000][1000][1000])"} {
		if types, err := Parse(list); err == nil {
			t.Errorf("%q is read as %s", list, TupleName(types))
		}
	}
}

// TestOfRefuses: a type that nests deeply is refused before it is walked.
func TestOfRefuses(t *testing.T) {
	typ, err := gethabi.NewType("uint8", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range maxDepth + 1 {
		inner := typ
		typ = gethabi.Type{T: gethabi.SliceTy, Elem: &inner}
	}
	if _, err := Of(typ); err == nil {
		t.Error("it is compiled")
	}
	if _, err := OfArguments(gethabi.Arguments{{Type: typ}}); err == nil || !strings.Contains(err.Error(), "parameter 1") {
		t.Errorf("error %v", err)
	}
}

// TestList: a list is encoded as a slice whose elements are as different as a tuple's.
func TestList(t *testing.T) {
	elements := MustParse("(uint8,string,(bool,bool))")
	list := List(elements)
	value := Value{Elems: []Value{{Word: *uint256.NewInt(7)}, {Bytes: []byte("x")}, {Elems: []Value{{}, {Word: *uint256.NewInt(1)}}}}}
	got := Append(nil, []Type{list}, []Value{value})
	want := Append(append(word(32), word(3)...), elements, value.Elems)
	if !bytes.Equal(got, want) || Words(&value, &list) != 6 {
		t.Errorf("%x of %d words, want %x", got, Words(&value, &list), want)
	}
}

// TestFormat writes one value of each kind in each style.
func TestFormat(t *testing.T) {
	typ, err := gethabi.NewType("tuple", "", []gethabi.ArgumentMarshaling{
		{Name: "a", Type: "uint8"}, {Name: "b", Type: "int256"}, {Name: "c", Type: "address[]"}, {Name: "d", Type: "bool[1]"}, {Name: "e", Type: "bytes2"},
		{Name: "f", Type: "bytes"}, {Name: "g", Type: "string"},
	})
	if err != nil {
		t.Fatal(err)
	}
	of, err := Of(typ)
	if err != nil {
		t.Fatal(err)
	}
	address := common.HexToAddress("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
	v := Value{Elems: []Value{
		{Word: *uint256.NewInt(7)}, {Word: *new(uint256.Int).SetAllOne()}, {Elems: []Value{{}, {Word: *new(uint256.Int).SetBytes20(address[:])}}},
		{Elems: []Value{{Word: *uint256.NewInt(1)}}}, {Word: *new(uint256.Int).Lsh(uint256.NewInt(0xabcd), 240)}, {Bytes: []byte{1, 2}}, {Bytes: []byte("a\n\"é")},
	}}
	for want, style := range map[string]Style{
		`(7, -1, [0x0000000000000000000000000000000000000000, 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed], [true], 0xabcd, 0x0102, "a\n\"é")`:                      {},
		`{a: 7, b: -1, c: [0x0000000000000000000000000000000000000000, 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed], d: [true], e: 0xabcd, f: 0x0102, g: "a\n\"é"}`: {Named: true},
		`(7, -1, [00, 5a], [true], 0xabcd, 0x0102, !)`: {Address: func(a common.Address) string { return common.Bytes2Hex(a[:1]) }, String: func(string) string { return "!" }},
	} {
		if got := style.Format(&of, &v); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// FuzzDecode: no data breaks the decoder or grows; what it decodes to is encoded to what
// decodes to the same.
func FuzzDecode(f *testing.F) {
	f.Add(uint64(1), []byte{})
	f.Add(uint64(2), bytes.Repeat([]byte{0, 0, 0, 32}, 64))
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		_, types := randomArguments(t, rand.New(rand.NewPCG(seed, seed)))
		values, err := Decode(types, data, Honest(data))
		if err != nil {
			return
		}
		tuple := TupleOf(types)
		all := Value{Elems: values}
		if words := Words(&all, &tuple); words > chunks(len(data)) {
			t.Fatalf("%d bytes decode to %d words", len(data), words)
		}
		encoded := Append(nil, types, values)
		again, err := Decode(types, encoded, Limits{Words: Honest(encoded).Words, Padded: true})
		if err != nil || !Equal(&Value{Elems: again}, &all) {
			t.Fatalf("%v reads back as %v, %v", values, again, err)
		}
		_ = (&Style{Named: true}).Format(&tuple, &Value{}) + (&Style{}).Format(&tuple, &all)
	})
}

// BenchmarkEncode compares Append with go-ethereum's packer.
func BenchmarkEncode(b *testing.B) {
	var arguments gethabi.Arguments
	for _, name := range []string{"uint256", "address", "uint8[3][]", "string"} {
		typ, err := gethabi.NewType(name, "", nil)
		if err != nil {
			b.Fatal(err)
		}
		arguments = append(arguments, gethabi.Argument{Type: typ})
	}
	types, err := OfArguments(arguments)
	if err != nil {
		b.Fatal(err)
	}
	values := randomValues(rand.New(rand.NewPCG(4, 4)), types)
	var goValues []any
	for i := range values {
		goValues = append(goValues, toGo(&values[i], &types[i], arguments[i].Type).Interface())
	}
	b.Run("Append", func(b *testing.B) {
		var dst []byte
		for b.Loop() {
			dst = Append(dst[:0], types, values)
		}
	})
	b.Run("go-ethereum", func(b *testing.B) {
		for b.Loop() {
			if _, err := arguments.Pack(goValues...); err != nil {
				b.Fatal(err)
			}
		}
	})
}
