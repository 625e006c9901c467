package input

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
)

func TestSpace(t *testing.T) {
	s := testSpace(t, true)
	vault := []string{
		".balanceOf(address)", ".deposit()", ".deposit(uint256)",
		".mixed(int24,bool,bytes4,bytes,string,uint8[],bytes32[3],(uint256,string[2],(address,int256))[])",
		".multicall(bytes[])", ".pause()", ".withdraw(uint96,address)", ".fallback", ".receive",
	}
	var want []string
	for _, name := range []string{"Vault", "Vault#2"} {
		for _, f := range vault {
			want = append(want, name+f)
		}
	}
	want = append(want, "Token.totalSupply()", "Token.transfer(address,uint256)")
	for _, f := range append(vault, ".constructor(address,uint256)") {
		want = append(want, "Vault#new"+f)
	}
	if got := signatures(s.Callables, s); !slices.Equal(got, want) {
		t.Errorf("callables are\n%q\nwant\n%q", got, want)
	}
	if got := signatures(s.Properties(), s)[:2]; !slices.Equal(got, []string{"Vault.echidna_solvent()", "Vault.invariant_sum()"}) {
		t.Errorf("properties are %q", got)
	}
	if len(s.Skipped) != 1 || s.Skipped[0].Signature != "huge(uint256[1000][1000])" {
		t.Errorf("skipped are %v", s.Skipped)
	}
	if s.Addresses[0] != account(1) || s.Addresses[3] != attacker.Address || s.Addresses[4] != account(16) || s.Addresses[len(s.Addresses)-1] != [20]byte{} {
		t.Errorf("addresses are %v", s.Addresses)
	}
}

func TestEncodeSpecialFunctions(t *testing.T) {
	s := testSpace(t, true)
	fallback := makeCall(t, s, "Vault", "fallback")
	fallback.Args[0].Bytes = []byte{1, 2, 3}
	receive := makeCall(t, s, "Vault", "receive")
	constructor := makeCall(t, s, "Vault#new", "constructor(address,uint256)")
	pause := makeCall(t, s, "Vault#new", "pause()")
	seq := Sequence{fallback, receive, constructor, pause}
	mustValid(t, s, seq, "special functions")
	encoded := s.Encode(seq, nil)
	if string(encoded[0].Data) != "\x01\x02\x03" || len(encoded[1].Data) != 0 {
		t.Errorf("fallback and receive are %x and %x", encoded[0].Data, encoded[1].Data)
	}
	c := encoded[2]
	code := s.Instances[0].Contract.Creation.Bytes
	if !c.Create || len(c.Data) != len(code)+64 || !slices.Equal(c.Data[:len(code)], code) || c.Address != encoded[3].To {
		t.Errorf("the constructor call is %+v", c)
	}
	if len(encoded[3].Data) != 4 || encoded[3].Create {
		t.Errorf("the call behind is %+v", encoded[3])
	}
}
