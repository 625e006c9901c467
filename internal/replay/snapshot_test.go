package replay

import (
	"context"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestSnapshotOfSetUp: a World that tests set up behaves on both machines as they left it,
// including mocks, when it is read from world.json.
func TestSnapshotOfSetUp(t *testing.T) {
	source, err := os.ReadFile("../../fuzzer/world/testdata/setups/cheats.sol")
	if err != nil {
		t.Fatal(err)
	}
	table := bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
	w, _, err := world.Make(context.Background(), table, world.Options{
		Targets: []string{"Lender"}, Setup: &world.SetupOptions{Contracts: []string{"LenderTest"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := (&Snapshot{World: w, Contracts: table.Contracts()}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	snapshot, table, err := ReadSnapshot(data)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(snapshot.World.Instances, func(in evm.Instance) bool { return in.Name == "Lender" })
	lender := snapshot.World.Instances[i]
	borrow, err := lender.Contract.ABI.Pack("borrow", big.NewInt(5))
	if err != nil {
		t.Fatal(err)
	}
	var calls evm.Sequence
	for _, wei := range []uint64{15, 14} { // the mocked price is 3
		calls = append(calls, evm.Call{From: world.User1.Address, To: lender.Address, Data: borrow, Value: *uint256.NewInt(wei)})
	}
	reference, err := gethvm.New(snapshot.World, table)
	if err != nil {
		t.Fatal(err)
	}
	want, err := reference.Run(calls)
	if err != nil {
		t.Fatal(err)
	}
	if want.Calls[0].Outcome != evm.Success || want.Calls[1].Reason() != "too much" {
		t.Errorf("%q, %q: want the price that the set-up mocked", want.Calls[0].Reason(), want.Calls[1].Reason())
	}
	ours, err := interp.New(snapshot.World, table)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ours.Run(calls)
	if err != nil {
		t.Fatal(err)
	}
	if d := evm.Differ(got, want); d != nil {
		t.Errorf("the machines differ: %s", d)
	}
}

// FuzzReadSnapshot: what is read can be written, and looked up at any place.
func FuzzReadSnapshot(f *testing.F) {
	c := &bytecode.Contract{Name: "A", Source: "a.sol", RawABI: []byte(`[]`), Runtime: &bytecode.Code{Kind: bytecode.Runtime, Bytes: []byte{0x60, 1, 0}}}
	bytecode.NewTable([]*bytecode.Contract{c})
	data, err := (&Snapshot{
		World:     &evm.World{Fork: "osaka", Instances: []evm.Instance{{Name: "a", Contract: c}}},
		Contracts: []*bytecode.Contract{c}, Deployable: []input.Deployment{{Contract: c, Code: []byte{0}}},
		Lines: func(l bytecode.Location) (bytecode.Position, bool) {
			return bytecode.Position{File: "a.sol", Line: 1 + int(l.PC)}, true
		},
		Variables: map[string][]Variable{"a.sol:A": {{Name: "x", Bytes: 1, Type: "bool"}}},
	}).Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, table, err := ReadSnapshot(data)
		if err != nil {
			return
		}
		for _, c := range table.Contracts() {
			for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
				if code != nil {
					s.Lines(bytecode.Location{Code: code.ID, PC: uint32(len(code.Bytes))})
				}
			}
		}
		if _, err := s.Marshal(); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
