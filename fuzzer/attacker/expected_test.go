package attacker_test

import (
	"testing"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestFunctions: a function counts if code pushes its selector, or that without zeros that a shift puts back.
func TestFunctions(t *testing.T) {
	zeros := "00000000000000000000000000000000000000000000000000000000"
	for _, c := range []struct {
		code, selector string
		want           bool
	}{
		{"6301020304", "01020304", true},
		{"6301020304", "02040608", true},
		{"6301020304", "00810182", false},
		{"62010203", "01020300", true},
		{"62010203", "00010203", true},
		{"6001", "80000000", true},
		{"6003", "80000000", false},
		{"6000", "00000000", false},
		{"7f00000000" + zeros, "00000000", true},
		{"7f0a0b0c0d" + zeros, "0a0b0c0d", true},
		{"7f0a0b0c0d" + zeros, "1416181a", false},
		{"6380000000", "40000000", false},
		{"6340000000600163c0000000", "c0000000", true},
		{"63010203", "01020300", false}, // the code ends within
		{"6863010203040000000000", "01020304", false},
	} {
		contract := &bytecode.Contract{Runtime: &bytecode.Code{Bytes: common.FromHex(c.code)}}
		contract.ABI.Methods = map[string]gethabi.Method{"f": {Name: "f", RawName: "f", Sig: "f()", ID: common.FromHex(c.selector)}}
		if got := len(attacker.Functions([]*bytecode.Contract{contract})) == 1; got != c.want {
			t.Errorf("code %s may call %s: %v, want %v", c.code, c.selector, got, c.want)
		}
	}
}
