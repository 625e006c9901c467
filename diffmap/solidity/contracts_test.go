package solidity

import (
	"slices"
	"testing"
)

func TestContracts(t *testing.T) {
	const source = "pragma solidity ^0.8.0; import \"contract X.sol\"; // contract C\n" +
		"interface I { function contract_() external; }\nabstract contract A is I {}\ncontract B is A { string s = \"} contract D {\"; }\n" +
		"library L { struct contract_ { uint a; } }\ncontract B {} contract"
	if got, want := Contracts([]byte(source)), []string{"A", "B", "L"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
