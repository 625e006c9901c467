package pipeline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/replay"
)

func TestVariables(t *testing.T) {
	contract := func(name, layout string) *compile.Contract {
		return &compile.Contract{Contract: bytecode.Contract{Name: name, Source: "a.sol"}, StorageLayout: []byte(layout)}
	}
	got := variables([]*compile.Output{{Contracts: []*compile.Contract{
		contract("A", `{"storage": [{"label": "x", "offset": 20, "slot": "3", "type": "t"}, {"label": "s", "offset": 0, "slot": "4", "type": "u"}],
			"types": {"t": {"label": "bool", "numberOfBytes": "1"}, "u": {"label": "struct S", "numberOfBytes": "96"}}}`),
		contract("None", ``), contract("Broken", `{"storage": 3}`),
		contract("Odd", `{"storage": [{"label": "x", "offset": 99, "slot": "3", "type": "t"}, {"label": "y", "slot": "-1"}, {"label": "z", "slot": "1", "type": "gone"}]}`),
	}}})
	want := map[string][]replay.Variable{
		"a.sol:A":   {{Name: "x", Slot: *uint256.NewInt(3), Offset: 20, Bytes: 1, Type: "bool"}, {Name: "s", Slot: *uint256.NewInt(4), Type: "struct S"}},
		"a.sol:Odd": {{Name: "z", Slot: *uint256.NewInt(1)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestVariablesHaveMembers: structs and arrays of a fixed length say where their parts are, also those that mappings lead to. What a
// layout says of itself again and again ends.
func TestVariablesHaveMembers(t *testing.T) {
	got := variables([]*compile.Output{{Contracts: []*compile.Contract{{Contract: bytecode.Contract{Name: "A", Source: "a.sol"}, StorageLayout: []byte(`{
		"storage": [
			{"label": "users", "slot": "0", "type": "m"}, {"label": "small", "slot": "1", "type": "small"},
			{"label": "loop", "slot": "2", "type": "loop"}, {"label": "list", "slot": "3", "type": "list"}],
		"types": {
			"m": {"label": "mapping(address => struct S)", "encoding": "mapping", "value": "s", "numberOfBytes": "32"},
			"s": {"label": "struct S", "encoding": "inplace", "numberOfBytes": "96", "members": [
				{"label": "on", "slot": "0", "offset": 16, "type": "u128"}, {"label": "words", "slot": "1", "type": "words"}]},
			"words": {"label": "uint256[2]", "encoding": "inplace", "base": "u256", "numberOfBytes": "64"},
			"small": {"label": "uint128[3]", "encoding": "inplace", "base": "u128", "numberOfBytes": "64"},
			"loop": {"label": "struct L", "encoding": "inplace", "members": [{"label": "l", "slot": "0", "type": "loop"}, {"label": "m", "slot": "0", "type": "loop"}]},
			"list": {"label": "struct S[]", "encoding": "dynamic_array", "base": "s", "numberOfBytes": "32"},
			"u128": {"label": "uint128", "encoding": "inplace", "numberOfBytes": "16"},
			"u256": {"label": "uint256", "encoding": "inplace", "numberOfBytes": "32"}}}`)}}}})
	slot := func(n uint64) uint256.Int { return *uint256.NewInt(n) }
	want := map[string][]replay.Variable{"a.sol:A": {
		{Name: "users", Bytes: 32, Type: "mapping(address => struct S)", Members: []replay.Variable{
			{Name: ".on", Offset: 16, Bytes: 16, Type: "uint128"}, {Name: ".words[0]", Slot: slot(1), Bytes: 32, Type: "uint256"},
			{Name: ".words[1]", Slot: slot(2), Bytes: 32, Type: "uint256"}}},
		{Name: "small", Slot: slot(1), Type: "uint128[3]", Members: []replay.Variable{
			{Name: "[0]", Bytes: 16, Type: "uint128"}, {Name: "[1]", Offset: 16, Bytes: 16, Type: "uint128"},
			{Name: "[2]", Slot: slot(1), Bytes: 16, Type: "uint128"}}},
		{Name: "loop", Slot: slot(2), Type: "struct L"},
		{Name: "list", Slot: slot(3), Bytes: 32, Type: "struct S[]"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
