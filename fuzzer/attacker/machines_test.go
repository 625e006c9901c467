package attacker_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

const victim = `
pragma solidity ^0.8.0;
interface Asked {
    function onERC721Received(address, address, uint256, bytes calldata) external returns (bytes4);
    function onFlashLoan(address, address, uint256, uint256, bytes calldata) external returns (bytes32);
    function isOpen(uint256) external view returns (bool);
    function latestRoundData() external view returns (uint80, int256, uint256, uint256 updatedAt, uint80);
    function name() external view returns (string memory);
    function owner() external view returns (address);
    function decimals() external view returns (uint8);
    function nothing() external;
}
contract Victim {
    uint256 public entered;
    uint256 public sum;
    constructor() payable {}
    function magic() external returns (bytes4, bytes32) {
        return (Asked(msg.sender).onERC721Received(address(0), address(0), 1, ""), Asked(msg.sender).onFlashLoan(address(0), address(0), 1, 0, ""));
    }
    function views() external returns (bool, int256, uint256, string memory, address, uint8) {
        Asked a = Asked(msg.sender);
        (, int256 price,, uint256 at,) = a.latestRoundData();
        a.nothing();
        return (a.isOpen(1), price, at, a.name(), a.owner(), a.decimals());
    }
    function pay() external { payable(msg.sender).transfer(1); }
    function call() external returns (bool ok, bytes memory data) {
        entered++;
        (ok, data) = msg.sender.call{value: 1}("");
        sum = sum * 10 + entered;
    }
    function run(address a) external returns (bool ok) { (ok,) = a.delegatecall(abi.encodeWithSelector(Asked.isOpen.selector, 1)); }
    function origin() external view returns (address) { return tx.origin; }
}`

type machines struct {
	t        *testing.T
	contract *bytecode.Contract
	all      []evm.Machine
	place    common.Address
}

func onMachines(t *testing.T) *machines {
	m := &machines{t: t, place: common.Address{0xcc}}
	contracts := testsolc.Compile(t, victim, testsolc.Settings{})
	for _, c := range contracts {
		if c.Name == "Victim" {
			m.contract = c
		}
	}
	table := bytecode.NewTable(contracts)
	w := &evm.World{Block: evm.DefaultBlock(), Accounts: map[common.Address]*evm.Account{
		attacker.Address: {Code: attacker.Code(), Storage: attacker.Storage(attacker.Functions(contracts)), Balance: *uint256.NewInt(1000)},
		m.place:          {Code: m.contract.Runtime.Bytes, Balance: *uint256.NewInt(1000)},
	}}
	fast, err := interp.New(w, table)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := gethvm.New(w, table)
	if err != nil {
		t.Fatal(err)
	}
	m.all = []evm.Machine{fast, reference}
	return m
}

func (m *machines) data(name string, args ...any) []byte {
	data, err := m.contract.ABI.Pack(name, args...)
	if err != nil {
		m.t.Fatal(err)
	}
	return data
}

// run calls a function as the contract, with a script, and what comes after.
func (m *machines) run(script []attacker.Answer, name string, args ...any) []any {
	m.t.Helper()
	call := evm.Call{From: attacker.Address, Origin: common.Address{1}, To: m.place, Data: m.data(name, args...)}
	if script != nil {
		call.Instructions = attacker.AppendInstructions(nil, script)
	}
	var outputs [2][]any
	var first *evm.Execution
	for i, machine := range m.all {
		exec, err := machine.Run(evm.Sequence{call})
		if err != nil {
			m.t.Fatal(err)
		}
		if i == 0 {
			first = exec.Clone()
		} else if d := evm.Differ(first, exec); d != nil {
			m.t.Errorf("%s: machines differ: %v", name, d)
		}
		if exec.Calls[0].Outcome != evm.Success {
			return []any{exec.Calls[0].Reason()}
		}
		if outputs[i], err = m.contract.ABI.Unpack(name, exec.Calls[0].Output); err != nil {
			m.t.Fatal(err)
		}
	}
	return outputs[1]
}

// TestExpected: without a script the contract answers what callers expect.
func TestExpected(t *testing.T) {
	m := onMachines(t)
	out := m.run(nil, "magic")
	if out[0] != attacker.Selector("onERC721Received(address,address,uint256,bytes)") || common.Hash(out[1].([32]byte)) != common.HexToHash("0x439148f0bbc682ca079e46d6e2c2f0c1e3b820f1a291b069d8882abf8cf18dd9") {
		t.Errorf("magic values are %x", out)
	}
	out = m.run(nil, "views")
	if len(out) != 6 || out[0] != true || out[2].(interface{ Uint64() uint64 }).Uint64() != evm.DefaultBlock().Time || out[4] != attacker.Address || out[5] != uint8(18) {
		t.Errorf("views answer %v", out)
	}
	if out := m.run(nil, "pay"); len(out) != 0 {
		t.Errorf("ether is refused: %v", out)
	}
	if out := m.run(nil, "origin"); out[0] != (common.Address{1}) {
		t.Errorf("the origin is %v", out)
	}
}

// TestScript: the contract does what its script says, and nothing of an earlier one.
func TestScript(t *testing.T) {
	m := onMachines(t)
	again := attacker.Call{To: m.place, Data: m.data("call")}
	for _, c := range []struct {
		name string
		do   attacker.Answer
		ok   bool
		data string
		sum  uint64 // digits: what was entered when a call ended
	}{
		{"accepts", attacker.Answer{}, true, "", 1},
		{"returns", attacker.Answer{End: attacker.Return, Data: []byte("abc")}, true, "abc", 1},
		{"refuses", attacker.Answer{End: attacker.Revert, Data: []byte("no")}, false, "no", 1},
		{"burns", attacker.Answer{End: attacker.Burn}, false, "", 1},
		{"enters again", attacker.Answer{Times: 1, Calls: []attacker.Call{again}}, true, "", 22},
		{"enters twice", attacker.Answer{Times: 1, Calls: []attacker.Call{again, again}}, true, "", 233},
		{"enters three deep", attacker.Answer{Times: 3, Calls: []attacker.Call{again}}, true, "", 4444},
		{"is of another function", attacker.Answer{On: [4]byte{1}, End: attacker.Revert}, true, "", 1},
		{"is gone", attacker.Answer{End: attacker.Destruct, Data: make([]byte, 32)}, true, "", 1},
	} {
		out := m.run([]attacker.Answer{c.do}, "call")
		if len(out) != 2 || out[0] != c.ok || string(out[1].([]byte)) != c.data {
			t.Errorf("%s: %v, want %v and %q", c.name, out, c.ok, c.data)
		}
		read := evm.Call{To: m.place, Data: m.data("sum")}
		call := evm.Call{From: attacker.Address, To: m.place, Data: m.data("call"), Instructions: attacker.AppendInstructions(nil, []attacker.Answer{c.do})}
		exec, err := m.all[0].Run(evm.Sequence{call, read})
		if err != nil {
			t.Fatal(err)
		}
		if got := new(uint256.Int).SetBytes(exec.Calls[1].Output); got.Uint64() != c.sum {
			t.Errorf("%s: the sum is %s, want %d", c.name, got.Dec(), c.sum)
		}
	}
	if out := m.run([]attacker.Answer{{End: attacker.Revert}}, "pay"); len(out) != 1 {
		t.Errorf("ether is accepted where it should be refused")
	}
	if out := m.run([]attacker.Answer{{On: [4]byte{1}, End: attacker.Revert}}, "pay"); len(out) != 0 {
		t.Errorf("ether is refused: %v", out)
	}
	if out := m.run([]attacker.Answer{{On: attacker.Selector("isOpen(uint256)"), End: attacker.Return, Data: make([]byte, 32)}}, "views"); out[0] != false {
		t.Errorf("views answer %v, want false first", out)
	}
}

// TestDelegateCalled: run by DELEGATECALL, the code writes to its caller's storage, and takes its ether.
func TestDelegateCalled(t *testing.T) {
	m := onMachines(t)
	if out := m.run(nil, "run", attacker.Address); out[0] != true {
		t.Errorf("the call is %v", out)
	}
	for _, machine := range m.all {
		exec, err := machine.Run(evm.Sequence{{From: common.Address{1}, To: m.place, Data: m.data("run", attacker.Address)}})
		if err != nil {
			t.Fatal(err)
		}
		wrote := false
		for i := range exec.Frames {
			for _, s := range exec.Frames[i].Storage {
				wrote = wrote || s.Write && s.Address == m.place && s.Slot == attacker.Mark
			}
		}
		if !wrote {
			t.Error("nothing was written to the mark")
		}
	}
}
