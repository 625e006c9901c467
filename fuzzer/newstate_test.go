package fuzzer

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

func TestStateOf(t *testing.T) {
	write := func(account byte, slot, value uint64) evm.StorageAccess {
		return evm.StorageAccess{Write: true, Address: common.Address{account}, Slot: *uint256.NewInt(slot), Value: *uint256.NewInt(value)}
	}
	read := write(1, 9, 9)
	read.Write = false
	frame := func(parent int, outcome evm.Outcome, accesses ...evm.StorageAccess) evm.Frame {
		return evm.Frame{Parent: parent, Outcome: outcome, Storage: accesses}
	}
	ok := func(accesses ...evm.StorageAccess) evm.Frame { return frame(-1, evm.Success, accesses...) }
	id := func(frames ...evm.Frame) stateID { return stateOf(&evm.Execution{Frames: frames}) }
	want := id(ok(write(1, 1, 5), write(1, 2, 6)))
	for name, same := range map[string]stateID{
		"in another order":             id(ok(write(1, 2, 6), write(1, 1, 5))),
		"by two calls":                 id(ok(write(1, 2, 6)), ok(write(1, 1, 5))),
		"overwritten":                  id(ok(write(1, 2, 7)), ok(write(1, 1, 5), write(1, 2, 6))),
		"beside a read":                id(ok(write(1, 2, 6), read, write(1, 1, 5))),
		"beside a call that fails":     id(ok(write(1, 2, 6)), frame(-1, evm.Reverted, write(1, 1, 8)), ok(write(1, 1, 5))),
		"beside what a caller undoes":  id(frame(-1, evm.Reverted), frame(0, evm.Success, write(1, 2, 8)), ok(write(1, 2, 6), write(1, 1, 5))),
		"beside what calls deeply do":  id(ok(write(1, 2, 6)), frame(0, evm.Success, write(1, 1, 5))),
		"after a frame of it failed":   id(ok(write(1, 1, 5), write(1, 2, 6)), frame(0, evm.Reverted, write(1, 3, 3))),
		"with the same value repeated": id(ok(write(1, 1, 5), write(1, 1, 5), write(1, 2, 6))),
	} {
		if same != want {
			t.Errorf("%s: another state", name)
		}
	}
	created := frame(-1, evm.Success, write(1, 1, 5), write(1, 2, 6))
	created.Kind = evm.KindCreate
	for name, other := range map[string]stateID{
		"nothing":          id(ok()),
		"another value":    id(ok(write(1, 1, 4), write(1, 2, 6))),
		"another slot":     id(ok(write(1, 1, 5), write(1, 3, 6))),
		"another account":  id(ok(write(1, 1, 5), write(2, 2, 6))),
		"values exchanged": id(ok(write(1, 1, 6), write(1, 2, 5))),
		"less":             id(ok(write(1, 1, 5))),
		"and an account":   id(created),
	} {
		if other == want {
			t.Errorf("%s: the same state", name)
		}
	}
}
