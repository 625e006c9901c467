package input

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// programWith is the program of a contract with texts in its source and PUSH data in
// its code.
func programWith(t *testing.T, texts []string, pushed ...string) *bytecode.Program {
	t.Helper()
	var code []byte
	for _, data := range pushed {
		code = append(append(code, byte(0x5f+len(data))), data...) // PUSHn
	}
	contract := testContract(t, "Texts", "[]", code)
	contract.Texts = texts
	return bytecode.NewTable([]*bytecode.Contract{contract}).Program(contract.Runtime.ID)
}

func hashOf(text string) uint256.Int {
	return *new(uint256.Int).SetBytes32(crypto.Keccak256([]byte(text)))
}

// TestTexts: texts come from sources and from PUSH data that spells something.
func TestTexts(t *testing.T) {
	program := programWith(t, []string{"open sesame", "\xc0\xff\xee"}, "hello\x00\x00", "\x12\x34\x56\x78\x9a", "name", "open sesame", "tab\tbed")
	d := NewDictionary([]*bytecode.Program{nil, program})
	seen := map[string]int{}
	r := testRand(5)
	for range 300 {
		text, ok := d.Text(r)
		if !ok {
			t.Fatal("no text")
		}
		seen[string(text)]++
	}
	if len(seen) != 3 || seen["open sesame"] == 0 || seen["\xc0\xff\xee"] == 0 || seen["hello"] == 0 {
		t.Errorf("drawn: %v", seen)
	}
	if _, ok := NewDictionary(nil).Text(r); ok {
		t.Error("a text of nothing")
	}
}

// TestPreimages: a text takes the place of the byte strings whose hash was compared with
// the text's.
func TestPreimages(t *testing.T) {
	s := testSpace(t, false)
	d := NewDictionary([]*bytecode.Program{programWith(t, []string{"open sesame"}, "x")})
	seq, err := Parse(s, textVersion+`
user1 Vault.multicall(bytes[]) args ([0x61, 0x62, 0x61])
user1 Vault.mixed(int24,bool,bytes4,bytes,string,uint8[],bytes32[3],(uint256,string[2],(address,int256))[]) args (0, false, 0xaabbccdd, 0x62, "a", [], [0x0000000000000000000000000000000000000000000000000000000000000000, 0x0000000000000000000000000000000000000000000000000000000000000000, 0x0000000000000000000000000000000000000000000000000000000000000000], [])
`)
	if err != nil {
		t.Fatal(err)
	}
	equal := func(left, right string) evm.Comparison {
		return evm.Comparison{Op: opEq, Left: hashOf(left), Right: hashOf(right)}
	}
	less := equal("a", "open sesame")
	less.Op = opLt
	argument := func(call, argument int) []Value {
		if v := seq[call].Args[argument]; v.Elems != nil {
			return v.Elems
		}
		return seq[call].Args[argument : argument+1]
	}
	cases := []struct {
		name string
		exec *evm.Execution
		want []Word // lengths of the byte strings that become the text
	}{
		{"a string", comparing(nil, []evm.Comparison{equal("a", "open sesame")}), []Word{{Call: 1, depth: 1, path: [maxPath]uint16{4}}}},
		{"bytes, the other way round", comparing(nil, []evm.Comparison{equal("open sesame", "b")}), []Word{{Call: 1, depth: 1, path: [maxPath]uint16{3}}}},
		{"all that have the hash", comparing([]evm.Comparison{equal("a", "open sesame")}, nil),
			[]Word{{depth: 2, path: [maxPath]uint16{0, 0}}, {depth: 2, path: [maxPath]uint16{0, 2}}}},
		{"an unknown text", comparing(nil, []evm.Comparison{equal("a", "close sesame")}), nil},
		{"no equality", comparing(nil, []evm.Comparison{less}), nil},
		{"none has the hash", comparing(nil, []evm.Comparison{equal("c", "open sesame")}), nil},
	}
	for _, c := range cases {
		got := s.Preimages(nil, d, seq, c.exec, func(*evm.Frame, *evm.Comparison) bool { return true })
		if len(got) != len(c.want) {
			t.Errorf("%s: %d sequences, want %d", c.name, len(got), len(c.want))
			continue
		}
		for i, w := range c.want {
			w.Kind = LengthWord
			if v, _ := resolve(got[i], &w); v == nil || string(v.Bytes) != "open sesame" {
				t.Errorf("%s: %s", c.name, Format(s, got[i]))
			}
			if err := s.Validate(got[i]); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	if got := s.Preimages(nil, d, seq, cases[0].exec, func(*evm.Frame, *evm.Comparison) bool { return false }); got != nil {
		t.Error("nothing was wanted")
	}
	if !slices.EqualFunc(argument(0, 0), []string{"a", "b", "a"}, func(v Value, s string) bool { return string(v.Bytes) == s }) {
		t.Error("the sequence itself was changed")
	}
}
