package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/replay"
)

func TestVariables(t *testing.T) {
	contract := func(name, layout string) *build.Contract {
		return &build.Contract{Contract: bytecode.Contract{Name: name, Source: "a.sol"}, StorageLayout: []byte(layout)}
	}
	got := variables([]*build.Output{{Contracts: []*build.Contract{
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

func TestPart(t *testing.T) {
	word := uint256.MustFromHex("0x1122334455667788990000000000000000000000000000000000000000000aff")
	for _, c := range []struct {
		offset, bytes uint
		want          string
	}{
		{0, 1, "0xff"}, {1, 1, "0xa"}, {0, 2, "0xaff"}, {31, 1, "0x11"}, {29, 3, "0x112233"}, {0, 32, word.Hex()},
		{99, 99, "0x0"}, {31, 32, "0x11"}, {0, 0, "0x0"}, // what nobody's compiler says
	} {
		if got := part(word, &replay.Variable{Offset: c.offset, Bytes: c.bytes}); got.Hex() != c.want {
			t.Errorf("%d bytes at %d are %s, want %s", c.bytes, c.offset, got.Hex(), c.want)
		}
	}
}
