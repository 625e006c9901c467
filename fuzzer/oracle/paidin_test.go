package oracle

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestRisesIn: what a word is behind a call counts, not what it was in the middle of it, nor in what was undone; where it was written before it was read, what it was before the call.
func TestRisesIn(t *testing.T) {
	at := func(order uint32, write bool, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Address: token, Order: order, Write: write, Slot: number(slot), Value: number(value)}
	}
	l := &lossAlone{Scene: &Scene{Exec: &evm.Execution{
		Calls: []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 3}}},
		Frames: []evm.Frame{
			{Parent: -1, Storage: []evm.StorageAccess{at(0, true, 1, 9), at(1, true, 3, 4)}},
			{Parent: -1, Call: 1, Storage: []evm.StorageAccess{
				at(2, false, 1, 9), at(3, true, 1, 2), at(4, false, 1, 2), at(5, true, 1, 9), // pays itself
				at(6, false, 2, 5), at(7, true, 2, 6), // is paid
				at(8, true, 3, 5), // is paid, and was not read
				at(9, false, 4, 5), at(10, true, 4, 1),
			}},
			{Parent: 1, Call: 1, Outcome: evm.Reverted, Storage: []evm.StorageAccess{at(11, true, 1, 20), at(12, true, 4, 20)}},
		},
	}}}
	storage := l.Exec.Frames[1].Storage
	for i, want := range map[int]bool{1: false, 3: false, 5: true, 6: true, 8: false} {
		if got := l.risesIn(1, &storage[i]); got != want {
			t.Errorf("access %d rises: %t", i, got)
		}
	}
}

// TestIsPaidIn: others pay a contract in where they send it ether in a call in which it writes something down; what it sends itself does not count, nor what is sent in the attack.
func TestIsPaidIn(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.STOP))
	payment := func(from common.Address, value uint64) evm.Frame {
		return evm.Frame{Parent: -1, Program: p, Self: vault, Caller: from, Value: *uint256.NewInt(value), Storage: []evm.StorageAccess{{Address: vault, Write: true}}}
	}
	for name, test := range map[string]struct {
		frame evm.Frame
		from  int
		want  bool
	}{
		"by another account": {payment(token, 5), 1, true},
		"by itself":          {payment(vault, 5), 1, false},
		"of nothing":         {payment(token, 0), 1, false},
		"in the attack":      {payment(token, 5), 0, false},
	} {
		exec := &evm.Execution{Frames: []evm.Frame{test.frame}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}}}}
		l := &lossAlone{from: test.from, Scene: &Scene{Exec: exec}}
		if got := l.isPaidIn("C.sol:C", 0); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
