package evm_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

var (
	deployer = common.HexToAddress("0x1000000000000000000000000000000000000001")
	user     = common.HexToAddress("0x2000000000000000000000000000000000000002")
	place    = common.HexToAddress("0xc000000000000000000000000000000000000001")
)

// emptyWorld has two rich senders and nothing else.
func emptyWorld() *evm.World {
	rich := func() *evm.Account {
		return &evm.Account{Balance: *new(uint256.Int).Lsh(uint256.NewInt(1), 96)}
	}
	return &evm.World{
		Accounts: map[common.Address]*evm.Account{deployer: rich(), user: rich()},
		Block:    evm.DefaultBlock(),
		Senders:  []evm.Sender{{Name: "deployer", Address: deployer}, {Name: "user1", Address: user}},
	}
}

// bench is a contract deployed at place on a machine.
type bench struct {
	t        testing.TB
	machine  *gethvm.Reference
	fast     *interp.Interpreter
	contract *bytecode.Contract
	deploy   evm.Call
}

func deployed(t testing.TB, source, name string, settings testsolc.Settings, args ...any) *bench {
	t.Helper()
	contracts := testsolc.Compile(t, source, settings)
	c := testsolc.Contract(t, contracts, name)
	table := bytecode.NewTable(contracts)
	machine, err := gethvm.New(emptyWorld(), table)
	if err != nil {
		t.Fatal(err)
	}
	fast, err := interp.New(emptyWorld(), table)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := c.ABI.Pack("", args...)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, machine, fast, c, evm.Call{
		From: deployer, Create: true, Address: place, Data: append(common.CopyBytes(c.Creation.Bytes), packed...),
	}}
}

func (b *bench) call(function string, args ...any) evm.Call {
	b.t.Helper()
	data, err := b.contract.ABI.Pack(function, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return evm.Call{From: user, To: place, Data: data}
}

// run deploys and calls, on both machines, which must agree.
func (b *bench) run(calls ...evm.Call) *evm.Execution {
	b.t.Helper()
	seq := append(evm.Sequence{b.deploy}, calls...)
	exec, err := b.machine.Run(seq)
	if err != nil {
		b.t.Fatal(err)
	}
	got, err := b.fast.Run(seq)
	if err != nil {
		b.t.Fatal(err)
	}
	if d := evm.Differ(exec, got); d != nil {
		b.t.Fatalf("reference and interpreter differ: %v", d)
	}
	if exec.Calls[0].Outcome != evm.Success {
		b.t.Fatalf("deployment: %v", exec.Calls[0].Reason())
	}
	return exec
}

const counter = `
contract Counter {
    uint256 public count;
    mapping(address => uint256) public by;
    event Counted(address indexed who, uint256 count);
    error TooMuch(uint256 asked, uint256 limit);
    function add(uint256 n) external {
        if (n > 100) revert TooMuch(n, 100);
        require(n != 7, "seven");
        count += n;
        by[msg.sender] += n;
        emit Counted(msg.sender, count);
    }
}`

func TestRun(t *testing.T) {
	b := deployed(t, counter, "Counter", testsolc.Settings{})
	exec := b.run(b.call("add", common.Big3), b.call("count"))
	if got := exec.Calls[2].Output; new(uint256.Int).SetBytes(got).Uint64() != 3 {
		t.Errorf("count() = %x, want 3", got)
	}
	f := exec.Frames[exec.Calls[1].Frames[0]]
	if f.Program == nil || f.Program.Contract == nil || f.Program.Contract.Name != "Counter" {
		t.Fatalf("program of the called frame: %+v", f.Program)
	}
	if len(f.Path) == 0 || len(f.Logs) != 1 || len(f.Comparisons) == 0 {
		t.Errorf("path %v, logs %v, comparisons %v", f.Path, f.Logs, f.Comparisons)
	}
}

// TestOverwrites: a call meets the storage that it is given, its gas is what the words
// there cost, and the next sequence meets the storage that was.
func TestOverwrites(t *testing.T) {
	b := deployed(t, counter, "Counter", testsolc.Settings{})
	count := func(exec *evm.Execution, call int) uint64 {
		return new(uint256.Int).SetBytes(exec.Calls[call].Output).Uint64()
	}
	given := b.call("count")
	given.Overwrites = []evm.Overwrite{{Address: place, Value: *uint256.NewInt(5)}, {Address: place, Value: *uint256.NewInt(42)}}
	if n := count(b.run(b.call("add", common.Big3), given, b.call("count")), 3); n != 42 {
		t.Errorf("count behind the call that it was set for is %d, want 42", n)
	}
	if n := count(b.run(b.call("add", common.Big3), b.call("count")), 2); n != 3 {
		t.Errorf("count in the next sequence is %d, want 3", n)
	}
	zero := b.run(b.call("add", common.Big3)).Calls[1].GasUsed
	add := b.call("add", common.Big3)
	add.Overwrites = given.Overwrites
	exec := b.run(add)
	const set, reset = 20_000, 2_900 // EIP-2200, EIP-2929: of a word that was zero, of another
	if got := zero - exec.Calls[1].GasUsed; got != set-reset {
		t.Errorf("adding to a count that is set saves %d gas, want %d", got, set-reset)
	}
	if exec := b.run(add, b.call("count")); count(exec, 2) != 45 {
		t.Errorf("the count is %d, want 45", count(exec, 2))
	}
}
