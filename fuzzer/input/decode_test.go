package input

import (
	"bytes"
	"testing"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// someTypes are parameter lists with every kind of type.
var someTypes = [][]Type{
	abi.MustParse("(uint8,int256,address,bool,bytes4)"), abi.MustParse("(bytes,string[],uint8[2][])"), abi.MustParse("((uint256,(bytes,bool)[])[2],int64)"),
	abi.MustParse("(uint256[][][][][][])"), abi.MustParse("()"),
}

// TestDecode reads back the arguments that a mutator makes.
func TestDecode(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(10)
	c := m.space.Callables[0]
	call := Call{Instance: c.Instance, Function: c.Function, Args: abi.Zeros(c.Function.Inputs)}
	for i := range 3_000 {
		types := someTypes[i%len(someTypes)]
		budget := MaxCallWords / 4
		values := make([]Value, len(types))
		for j := range types {
			values[j] = m.generateValue(r, &types[j], &call, &budget)
		}
		if err := validAll(values, types); err != nil {
			t.Fatal(err)
		}
		data := abi.Append(nil, types, values)
		decoded, err := Decode(types, data)
		clear(data) // Decode keeps none of it
		if err != nil || !abi.Equal(&Value{Elems: values}, &Value{Elems: decoded}) {
			t.Fatalf("case %d: %v decode as %v, %v", i, values, decoded, err)
		}
	}
}

// TestDecodeErrors reads what package abi allows and a call does not.
func TestDecodeErrors(t *testing.T) {
	word := func(n uint64) []byte { b := uint256.NewInt(n).Bytes32(); return b[:] }
	for name, c := range map[string]struct {
		types string
		data  []byte
	}{
		"too many elements": {"(uint8[])", append(append(word(32), word(MaxElements+1)...), make([]byte, 32*(MaxElements+1))...)},
		"too many bytes":    {"(bytes)", append(append(word(32), word(MaxBytes+32)...), make([]byte, MaxBytes+32)...)},
		"too many words":    {"(uint8[256][])", append(append(word(32), word(17)...), make([]byte, 32*256*17)...)},
		"padding":           {"(bytes)", append(append(word(32), word(1)...), bytes.Repeat([]byte{1}, 32)...)},
		"no padding":        {"(bytes)", append(append(word(32), word(1)...), 1)},
	} {
		types := abi.MustParse(c.types)
		if values, err := Decode(types, c.data); err == nil {
			t.Errorf("%s: accepted as %d values", name, len(values))
		}
		if _, err := abi.Decode(types, c.data, abi.Honest(c.data)); err != nil {
			t.Errorf("%s: %v without the bounds of a call", name, err)
		}
	}
}

// TestCompileTypeRefuses: types that are too deep or too large are refused.
func TestCompileTypeRefuses(t *testing.T) {
	for name, want := range map[string]bool{
		"uint8[][][][][][]": true, "uint8[][][][][][][]": false, "uint256[1024]": true, "uint256[1025]": false, "uint256[1000][1000]": false, "uint256[1025][]": false,
	} {
		typ, err := gethabi.NewType(name, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := CompileType(typ); (err == nil) != want {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzDecode: what Decode accepts is a call's arguments.
func FuzzDecode(f *testing.F) {
	f.Add(uint(1), []byte{})
	f.Add(uint(2), bytes.Repeat([]byte{0, 0, 0, 32}, 64))
	f.Fuzz(func(t *testing.T, which uint, data []byte) {
		types := someTypes[which%uint(len(someTypes))]
		values, err := Decode(types, data)
		if err != nil {
			return
		}
		if err := validAll(values, types); err != nil {
			t.Fatal(err)
		}
		again, err := Decode(types, abi.Append(nil, types, values))
		if err != nil || !abi.Equal(&Value{Elems: values}, &Value{Elems: again}) {
			t.Fatalf("%v reads back as %v, %v", values, again, err)
		}
	})
}
