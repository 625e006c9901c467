package mine

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

var (
	vault = common.HexToAddress("0x1000")
	owner = common.HexToAddress("0x2000")
	user  = common.HexToAddress("0x3000")
)

// Slots of the vault.
const (
	ownerSlot = iota
	totalSlot
	sharesSlot
	capSlot
)

// newVault mines a World with one contract.
func newVault(t *testing.T) *Miner {
	t.Helper()
	contract := &bytecode.Contract{Name: "Vault"}
	for slot, name := range []string{"owner", "total", "shares", "cap"} {
		v := bytecode.Variable{Name: name, Slot: *uint256.NewInt(uint64(slot)), Slots: *uint256.NewInt(1), Bytes: 32}
		if slot == ownerSlot {
			v.Bytes = common.AddressLength
		}
		contract.Variables = append(contract.Variables, v)
	}
	w := &evm.World{
		Accounts:  map[common.Address]*evm.Account{vault: {Storage: map[common.Hash]common.Hash{{}: common.BytesToHash(owner[:])}}, owner: {}, user: {}},
		Instances: []evm.Instance{{Name: "Vault", Address: vault, Contract: contract}},
		Senders:   []evm.Sender{{Name: "owner", Address: owner}, {Name: "user", Address: user}},
	}
	return New(nil, w, func(*evm.Instance) bool { return true })
}

// wrote is a call that wrote variables, and shares of an account.
type wrote struct {
	by     common.Address
	values map[uint64]uint64
	shares map[common.Address]uint64
	failed bool
}

// run is the execution of calls, with the sequence that made it: each calls another of three functions.
func run(all ...wrote) (input.Sequence, *evm.Execution) {
	exec := &evm.Execution{}
	var seq input.Sequence
	for i, call := range all {
		f := evm.Frame{Call: i, Parent: -1, Caller: call.by, Self: vault}
		if call.failed {
			f.Outcome = evm.Reverted
		}
		for slot, value := range call.values {
			at := *uint256.NewInt(slot)
			f.Storage = append(f.Storage, evm.StorageAccess{Write: true, Address: vault, Slot: at, Base: at, Value: *uint256.NewInt(value)})
		}
		for account, value := range call.shares {
			base, key := uint256.NewInt(sharesSlot), new(uint256.Int).SetBytes20(account[:])
			f.Storage = append(f.Storage, evm.StorageAccess{Write: true, Address: vault, Slot: elementOf(base, key), Base: *base,
				Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{*key}}, Value: *uint256.NewInt(value)})
		}
		exec.Frames = append(exec.Frames, f)
		exec.Calls = append(exec.Calls, evm.CallResult{Frames: [2]int{i, i + 1}, Outcome: f.Outcome})
		seq = append(seq, input.Call{Function: functions[i%len(functions)]})
	}
	return seq, exec
}

var functions = []*input.Function{{Name: "a", Signature: "a()"}, {Name: "b", Signature: "b()"}, {Name: "c", Signature: "c()"}}

func markBroken(l *Law, _ int) { l.Broken = true }

// holding are the laws that are not broken, by their sentences.
func holding(m *Miner) map[string]*Law {
	laws := map[string]*Law{}
	for _, l := range m.laws {
		if !l.Broken {
			laws[l.String()] = l
		}
	}
	return laws
}

func TestTemplates(t *testing.T) {
	for _, test := range []struct {
		name         string
		law          string
		keep, breaks []wrote
	}{
		{"a sum is a total", "the sum of Vault.shares equals Vault.total",
			[]wrote{{values: map[uint64]uint64{totalSlot: 5}, shares: map[common.Address]uint64{user: 5}}, {shares: map[common.Address]uint64{user: 2, owner: 3}}},
			[]wrote{{values: map[uint64]uint64{totalSlot: 5}, shares: map[common.Address]uint64{user: 4}}}},
		{"at least", "Vault.cap is at least Vault.total",
			[]wrote{{values: map[uint64]uint64{capSlot: 9}}, {values: map[uint64]uint64{totalSlot: 9}}},
			[]wrote{{values: map[uint64]uint64{capSlot: 9, totalSlot: 10}}}},
		{"one value", "Vault.cap has one value between calls",
			[]wrote{{values: map[uint64]uint64{capSlot: 0}}},
			[]wrote{{values: map[uint64]uint64{capSlot: 2}}}},
		{"never falls", "Vault.total never falls",
			[]wrote{{values: map[uint64]uint64{totalSlot: 4}}, {values: map[uint64]uint64{totalSlot: 5}}},
			[]wrote{{values: map[uint64]uint64{totalSlot: 4}}, {values: map[uint64]uint64{totalSlot: 3}}}},
		{"by an owner", "Vault.cap is written by Vault.owner alone",
			[]wrote{{by: owner, values: map[uint64]uint64{capSlot: 4}}},
			[]wrote{{by: user, values: map[uint64]uint64{capSlot: 4}}}},
		{"what fails breaks nothing", "Vault.total never falls",
			[]wrote{{values: map[uint64]uint64{totalSlot: 4}}, {values: map[uint64]uint64{totalSlot: 3}, failed: true}},
			[]wrote{{values: map[uint64]uint64{totalSlot: 4}}, {values: map[uint64]uint64{totalSlot: 3}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newVault(t)
			// Both variables of a law have to be known.
			seq, exec := run(wrote{by: owner, values: map[uint64]uint64{totalSlot: 0, capSlot: 0}, shares: map[common.Address]uint64{user: 0}})
			m.See(seq, exec, markBroken)
			seq, exec = run(test.keep...)
			m.See(seq, exec, markBroken)
			l := holding(m)[test.law]
			if l == nil {
				t.Fatalf("%q is not among the laws", test.law)
			}
			seq, exec = run(test.breaks...)
			if at := m.BrokenIn(l, seq, exec); at != len(seq)-1 {
				t.Errorf("broken in call %d, want %d", at, len(seq)-1)
			}
			m.See(seq, exec, markBroken)
			if holding(m)[test.law] != nil {
				t.Errorf("%q is not broken", test.law)
			}
		})
	}
}

// TestProven: a law needs many calls of several functions.
func TestProven(t *testing.T) {
	m := newVault(t)
	const law = "the sum of Vault.shares equals Vault.total"
	step := func(n uint64, times int) {
		calls := make([]wrote, times)
		for i := range calls {
			calls[i] = wrote{values: map[uint64]uint64{totalSlot: n}, shares: map[common.Address]uint64{user: n}}
		}
		seq, exec := run(calls...)
		m.See(seq, exec, markBroken)
	}
	for n := range uint64(leastCalls) {
		step(n, 1)
	}
	if l := holding(m)[law]; l.Proven() || l.Calls != leastCalls {
		t.Errorf("proven by %d calls of one function", l.Calls)
	}
	step(7, 3)
	if l := holding(m)[law]; !l.Proven() || !l.Balanced() {
		t.Errorf("not proven by %d calls of %d functions", l.Calls, len(l.Functions))
	}
}

// TestOrder: of what a frame and one that it calls write to the same word, the last counts.
func TestOrder(t *testing.T) {
	for _, last := range []bool{false, true} {
		m := newVault(t)
		seq, exec := run(wrote{values: map[uint64]uint64{totalSlot: 4}}, wrote{values: map[uint64]uint64{totalSlot: 5}}, wrote{values: map[uint64]uint64{totalSlot: 3}})
		outer, inner := &exec.Frames[1], &exec.Frames[2]
		inner.Parent = 1
		seq, exec.Calls = seq[:2], exec.Calls[:2]
		exec.Calls[1].Frames[1] = 3
		outer.Storage[0].Order, inner.Storage[0].Order = 1, 2
		if !last {
			outer.Storage[0].Order = 3
		}
		m.See(seq, exec, markBroken)
		if holds := holding(m)["Vault.total never falls"] != nil; holds == last {
			t.Errorf("the frame inside writes last: %t; the law holds: %t", last, holds)
		}
	}
}
