package compare

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
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
	world := &evm.World{Accounts: map[common.Address]*evm.Account{}}
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
		got := differentBehavior(run(func(*evm.Execution) {}), run(c.change), [2]*evm.World{world, world}, nil)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
