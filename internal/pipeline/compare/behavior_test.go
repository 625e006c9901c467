package compare

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestDifferentBehavior: which differences between executions count.
func TestDifferentBehavior(t *testing.T) {
	one, two := common.Address{1}, common.Address{2}
	slot := func(n, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Write: true, Address: one, Slot: *uint256.NewInt(n), Value: *uint256.NewInt(value)}
	}
	run := func(change func(e *evm.Execution)) *evm.Execution {
		e := &evm.Execution{
			Calls: []evm.CallResult{{Frames: [2]int{0, 2}, Output: []byte{1}}},
			Frames: []evm.Frame{
				{Parent: -1, Kind: evm.KindTransaction, Self: one, Storage: []evm.StorageAccess{slot(1, 5)}},
				{Parent: 0, Kind: evm.KindCreate2, Self: two, Logs: []evm.Log{{Address: two, Data: []byte{7}}}},
			},
		}
		change(e)
		return e
	}
	moved := common.Address{3}
	empty := &evm.World{Accounts: map[common.Address]*evm.Account{}}
	for name, c := range map[string]struct {
		change func(e *evm.Execution)
		want   string
	}{
		"the same":    {func(*evm.Execution) {}, ""},
		"gas":         {func(e *evm.Execution) { e.Frames[0].GasUsed, e.Calls[0].GasUsed = 9, 9 }, ""},
		"no change":   {func(e *evm.Execution) { e.Frames[0].Storage = append(e.Frames[0].Storage, slot(2, 0)) }, ""},
		"return data": {func(e *evm.Execution) { e.Calls[0].Output = []byte{2} }, "returns something else"},
		"storage":     {func(e *evm.Execution) { e.Frames[0].Storage[0] = slot(1, 6) }, "they leave something else in storage"},
		"not written": {func(e *evm.Execution) { e.Frames[0].Storage = nil }, "they leave something else in storage"},
		"an event":    {func(e *evm.Execution) { e.Frames[1].Logs[0].Data = nil }, "emits other events"},
		"undone call": {func(e *evm.Execution) { e.Frames[1].Outcome = evm.Reverted }, "makes other calls"},
		"ether":       {func(e *evm.Execution) { e.Frames[1].Value = *uint256.NewInt(1) }, "makes other calls"},
		"fewer calls": {func(e *evm.Execution) { e.Calls = nil }, "they are too long to compare"},
		"elsewhere": {func(e *evm.Execution) {
			e.Frames[1].Self, e.Frames[1].Logs[0].Address = moved, moved
		}, ""},
	} {
		got := differentBehavior(run(func(*evm.Execution) {}), run(c.change), [2]*evm.World{empty, empty}, nil)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOrderOfBehaviors: who reads them first learns what the changed functions do, and not what proxies make of that.
func TestOrderOfBehaviors(t *testing.T) {
	behavior := func(kind Kind, tests ...string) *Behavior {
		return &Behavior{Difference: Difference{Kind: kind}, Tests: tests}
	}
	upgrade, meant, reverts, succeeds := behavior(Succeeds), behavior(Costs, "a test"), behavior(Reverts), behavior(Succeeds)
	got := []*Behavior{upgrade, reverts, meant, succeeds}
	inOrder(got, func(b *Behavior) bool { return b == upgrade })
	if want := []*Behavior{meant, succeeds, reverts, upgrade}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	wrote := func(slot common.Hash, write bool) *evm.Execution {
		access := evm.StorageAccess{Slot: *new(uint256.Int).SetBytes32(slot[:]), Write: write}
		return &evm.Execution{Frames: []evm.Frame{{}, {Outcome: evm.Reverted, Storage: []evm.StorageAccess{access}}}}
	}
	if !upgrades(wrote(world.ImplementationSlot, true)) || upgrades(wrote(world.ImplementationSlot, false)) || upgrades(wrote(common.Hash{1}, true)) {
		t.Error("an upgrade is one that writes the slot of a proxy's code")
	}
}

// TestPartsOfWords: variables that share a word are told apart by what changes in it.
func TestPartsOfWords(t *testing.T) {
	vault := common.Address{1}
	contract := &bytecode.Contract{Name: "Vault", Variables: []bytecode.Variable{
		{Name: "owner", Slots: *uint256.NewInt(1), Bytes: 20}, {Name: "paused", Slots: *uint256.NewInt(1), Offset: 20, Bytes: 1}, {Name: "state", Slots: *uint256.NewInt(1), Offset: 21, Bytes: 1},
	}}
	s := &Sides{storage: map[common.Address]*storagePair{vault: {contract, contract, true}}}
	wrote := func(value uint64) *compared {
		held := *new(uint256.Int).Lsh(uint256.NewInt(value), 160)
		exec := &evm.Execution{Calls: []evm.CallResult{{Frames: [2]int{0, 1}}}, Frames: []evm.Frame{{Parent: -1, Self: vault, Storage: []evm.StorageAccess{{Write: true, Address: vault, Value: held}}}}}
		return &compared{exec: exec, world: &evm.World{}, lasts: []bool{true}, state: map[word]uint256.Int{}}
	}
	if got := s.changes(wrote(0x0100), 0); !slices.Equal(got, []string{"Vault.state"}) {
		t.Errorf("%q", got)
	}
	if got := s.changes(wrote(0x0101), 0); !slices.Equal(got, []string{"Vault.paused", "Vault.state"}) {
		t.Errorf("%q", got)
	}
	if got := s.names(s.stored(wrote(0x0101), wrote(0x0201), 0, nil)); !slices.Equal(got, []string{"Vault.state"}) {
		t.Errorf("%q", got)
	}
}

// TestMovedInAChain: where each contract has come to the place that another one left, each address stands
// for one contract, whatever the order in which they are looked at.
func TestMovedInAChain(t *testing.T) {
	at := func(n byte) common.Address { return common.Address{0xaa, n} }
	moved := movedAddresses{}
	for n := range byte(8) {
		moved[at(n)] = at(n + 1) // the head has one contract more, in front
	}
	var base, head []byte
	for n := range byte(8) {
		a, b := at(n), at(n+1)
		base, head = append(append(base, n), a[:]...), append(append(head, n), b[:]...)
	}
	before := bytes.Clone(base)
	if got := moved.in(base); !bytes.Equal(got, head) || !bytes.Equal(base, before) {
		t.Errorf("%x, want %x; the data are %x, and were %x", got, head, base, before)
	}
	address := abi.Type{Kind: abi.Address}
	var values []abi.Value
	var types []abi.Type
	for n := range byte(8) {
		a := at(n + 1)
		values, types = append(values, abi.Value{Word: *new(uint256.Int).SetBytes20(a[:])}), append(types, address)
	}
	for n, v := range abi.MapAddresses(values, types, moved.back) {
		if got := v.Address(); got != at(byte(n)) {
			t.Errorf("%s, want %s", got, at(byte(n)))
		}
	}
}
