package evm_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testsolc"
)

// Who calls test contracts in Foundry, and where it puts them.
var (
	testSender  = common.HexToAddress("0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38")
	testAddress = common.HexToAddress("0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496")
)

// cheatTests is a World with a test contract in it whose setUp() has run.
func cheatTests(t *testing.T, edge cheatcode.Edge) (*evm.World, *bytecode.Table, *bytecode.Contract) {
	t.Helper()
	source, err := os.ReadFile("testdata/Cheats.t.sol")
	if err != nil {
		t.Fatal(err)
	}
	contracts := testsolc.Compile(t, string(source), testsolc.Settings{})
	contract := testsolc.Contract(t, contracts, "CheatsTest")
	world := &evm.World{Block: evm.DefaultBlock(), Accounts: map[common.Address]*evm.Account{
		testSender: {Balance: *uint256.NewInt(1e18)},
	}}
	world.EnableCheats(edge)
	table := bytecode.NewTable(contracts)
	machine, err := evm.NewReference(world, table, evm.LiftCodeSizeLimits)
	if err != nil {
		t.Fatal(err)
	}
	exec, err := machine.Run(evm.Sequence{
		{From: testSender, Create: true, Address: testAddress, Data: contract.Creation.Bytes, Gas: 1 << 28},
		{From: testSender, To: testAddress, Data: contract.ABI.Methods["setUp"].ID},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range exec.Calls {
		if exec.Calls[i].Outcome != evm.Success {
			t.Fatalf("call %d: %s", i, exec.Calls[i].Reason())
		}
	}
	return machine.Export(), table, contract
}

// TestCheatcodes: the functions of a test contract pass or fail as their names say, and
// do the same on both machines.
func TestCheatcodes(t *testing.T) {
	world, table, contract := cheatTests(t, cheatcode.Edge{})
	reference, err := evm.NewReference(world, table, evm.LiftCodeSizeLimits)
	if err != nil {
		t.Fatal(err)
	}
	interpreter, err := evm.NewInterpreter(world, table, evm.LiftCodeSizeLimits)
	if err != nil {
		t.Fatal(err)
	}
	for name, method := range contract.ABI.Methods {
		if !strings.HasPrefix(name, "test") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			call := evm.Call{From: testSender, To: testAddress, Data: method.ID}
			for _, seq := range []evm.Sequence{{call}, {call, call}, {call}} {
				want, err := reference.Run(seq)
				if err != nil {
					t.Fatal(err)
				}
				got, err := interpreter.Run(seq)
				if err != nil {
					t.Fatal(err)
				}
				if d := evm.Differ(want, got); d != nil {
					t.Fatalf("reference and interpreter differ: %v", d)
				}
				if d := evm.DifferWorlds(reference.Export(), interpreter.Export()); d != nil {
					t.Fatalf("reference and interpreter differ: %v", d)
				}
				if passed := want.Calls[0].Outcome == evm.Success; passed == strings.HasPrefix(name, "testBad") {
					t.Fatalf("passed: %v %s", passed, want.Calls[0].Reason())
				}
			}
		})
	}
}
