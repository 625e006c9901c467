package interp_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestMisreadOpcodeIsCaught: an interpreter one of whose instructions does what
// another should is found out in a short campaign, each instruction by itself. Right
// ones are believed.
func TestMisreadOpcodeIsCaught(t *testing.T) {
	bank, err := os.ReadFile("../testdata/bank.sol")
	if err != nil {
		t.Fatal(err)
	}
	table := bytecode.NewTable(testsolc.Compile(t, string(bank), testsolc.Settings{}))
	w, _, err := world.Auto(context.Background(), table, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	space, err := input.NewSpace(w, input.SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	campaign := func() *fuzzer.Result {
		r, err := (&fuzzer.Campaign{Config: fuzzer.Config{
			World: w, Space: space, Table: table, Oracles: oracle.All(), Seed: 1, Workers: 1, MaxCalls: 6_000, Now: time.Now,
			NewJudge: func() (evm.Machine, error) { return gethvm.New(w, table) },
			NewMachine: func() (evm.Machine, error) {
				fast, err := interp.New(w, table)
				if err != nil {
					return nil, err
				}
				reference, err := gethvm.New(w, table)
				if err != nil {
					return nil, err
				}
				return evm.NewChecked(fast, reference), nil
			},
		}}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := campaign(); len(r.Faults) > 0 {
		t.Fatalf("a right machine is doubted: %s", r.Faults[0].Message)
	}
	for _, test := range []struct{ op, as vm.OpCode }{
		{vm.ADD, vm.SUB}, {vm.MUL, vm.DIV}, {vm.AND, vm.OR}, {vm.MLOAD, vm.ISZERO}, {vm.SLOAD, vm.TLOAD},
	} {
		t.Run(test.op.String()+" as "+test.as.String(), func(t *testing.T) {
			defer interp.Misread(test.op, test.as)()
			r := campaign()
			if len(r.Faults) == 0 {
				t.Fatalf("%d calls were believed", r.Stats.Calls)
			}
			if f := r.Faults[0]; f.Mismatch == nil || len(f.Mismatch.Sequence) == 0 {
				t.Errorf("the fault is %+v", f)
			}
		})
	}
}
