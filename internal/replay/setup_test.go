package replay_test

import (
	"context"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// A World that tests have set up is the same when it is read from world.json, what
// they mocked included, on both machines.
func TestSetUpWorldFile(t *testing.T) {
	source, err := os.ReadFile("../../fuzzer/world/testdata/setups/cheats.sol")
	if err != nil {
		t.Fatal(err)
	}
	table := bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
	w, _, err := world.Make(context.Background(), table, world.Options{
		Targets: []string{"Lender"}, Setup: &world.Setup{Contracts: []string{"LenderTest"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := (&replay.Snapshot{World: w, Contracts: table.Contracts()}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	bundle, table, err := replay.ReadSnapshot(data)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(bundle.World.Instances, func(in evm.Instance) bool { return in.Name == "Lender" })
	lender := bundle.World.Instances[i]
	borrow, err := lender.Contract.ABI.Pack("borrow", big.NewInt(5))
	if err != nil {
		t.Fatal(err)
	}
	var calls evm.Sequence
	for _, wei := range []uint64{15, 14} { // the mocked price is 3
		calls = append(calls, evm.Call{From: world.User1.Address, To: lender.Address, Data: borrow, Value: *uint256.NewInt(wei)})
	}
	reference, err := evm.NewReference(bundle.World, table)
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
	ours, err := evm.NewInterpreter(bundle.World, table)
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
