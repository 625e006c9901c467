package evm_test

import (
	"errors"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/fakechain"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// forkAccounts are the fake chain's: code that is sstore(100, sload(100) + 1), and
// returns the old word.
func forkAccounts() map[common.Address]*evm.Account {
	return map[common.Address]*evm.Account{
		common.HexToAddress("0xc0de"): {Nonce: 1, Code: common.FromHex("606454" + "80" + "6001" + "01" + "606455" + "60005260206000f3"), Storage: map[common.Hash]common.Hash{
			common.BigToHash(big.NewInt(100)): common.BigToHash(big.NewInt(1000)),
		}},
		common.HexToAddress("0x41c4"): {Balance: *uint256.NewInt(77)},
	}
}

// forkOf is the chain as cheatcodes see it: "node" is its name.
func forkOf(block *evm.Block) *cheatcode.Fork {
	return &cheatcode.Fork{
		Environment: cheatcode.Environment{ChainID: block.ChainID, Number: block.Number, Time: block.Time, BaseFee: block.BaseFee, BlobBaseFee: 1, GasLimit: block.GasLimit},
		Check: func(name string, number *uint64) error {
			if name != "" && name != "node" || number != nil && *number != block.Number {
				return errors.New("no such chain")
			}
			return nil
		},
	}
}

// TestForks: tests that fork a chain do what they do under forge, on both machines.
func TestForks(t *testing.T) {
	source, err := os.ReadFile("testdata/forks.t.sol")
	if err != nil {
		t.Fatal(err)
	}
	node := &fakechain.Node{Accounts: forkAccounts()}
	theirs := testforge.TestOn(t, map[string][]byte{"Fork.t.sol": source}, "[rpc_endpoints]\nnode = \""+node.Serve(t)+"\"\n")["test/Fork.t.sol:ForkTest"]

	contracts := testsolc.Compile(t, string(source), testsolc.Settings{})
	contract := testsolc.Contract(t, contracts, "ForkTest")
	block := evm.Block{Number: fakechain.Block, Time: 99, BaseFee: 5, GasLimit: 1e6, ChainID: 7}
	world := &evm.World{Block: block, Origin: fixedOrigin(forkAccounts()), Accounts: map[common.Address]*evm.Account{testSender: {Balance: *uint256.NewInt(1e18)}}}
	world.EnableCheats(cheatcode.Edge{Fork: forkOf(&block)})
	table := bytecode.NewTable(contracts)
	suite := new(cheatSuite)
	if suite.reference, err = gethvm.New(world, table, evm.LiftCodeSizeLimits); err != nil {
		t.Fatal(err)
	}
	if suite.interpreter, err = interp.New(world, table, evm.LiftCodeSizeLimits); err != nil {
		t.Fatal(err)
	}
	deployment := evm.Call{From: testSender, Create: true, Address: testAddress, Data: contract.Creation.Bytes, Gas: 1 << 28}
	for _, name := range slices.Sorted(maps.Keys(contract.ABI.Methods)) {
		if !strings.HasPrefix(name, "test") {
			continue
		}
		want := !strings.HasPrefix(name, "testBad")
		if their := theirs[name+"()"]; (their.Status == "Success") != want {
			t.Errorf("%s: forge says %s: %s", name, their.Status, their.Reason)
		}
		exec := suite.run(t, evm.Sequence{deployment, {From: testSender, To: testAddress, Data: contract.ABI.Methods[name].ID}})
		if got := exec.Calls[1].Outcome == evm.Success; got != want {
			t.Errorf("%s: passed: %t %s", name, got, exec.Calls[1].Reason())
		}
	}
}

// fixedOrigin is a chain of a few accounts, all of which are known from the beginning.
type fixedOrigin map[common.Address]*evm.Account

func (o fixedOrigin) Account(a common.Address) (*evm.Account, error) { return o[a], nil }

func (o fixedOrigin) Word(a common.Address, key common.Hash) (common.Hash, error) {
	return o[a].Storage[key], nil
}

func (o fixedOrigin) Known() map[common.Address]*evm.Account { return o }
