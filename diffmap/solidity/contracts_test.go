package solidity

import (
	"fmt"
	"testing"
)

func TestContracts(t *testing.T) {
	const source = "pragma solidity ^0.8.0; import \"contract X.sol\"; // contract C\n" +
		"interface I { function contract_() external; }\nabstract contract A is I {}\ncontract B is A { string s = \"} contract D {\"; }\n" +
		"library L { struct contract_ { uint a; } }\ncontract E is lib.Test, A(1, S({x: 2})), /* Q, */ P\n{ function f() external {} }"
	if got, want := fmt.Sprint(Contracts([]byte(source))), "[{A [I]} {B [A]} {L []} {E [lib.Test A P]}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzContracts(f *testing.F) {
	f.Add("contract A is B(\"}\"), C { } library")
	f.Fuzz(func(_ *testing.T, text string) { Contracts([]byte(text)) })
}
