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
