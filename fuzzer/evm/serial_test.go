package evm

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestSerials: calls and frames are numbered anew before the numbers end.
func TestSerials(t *testing.T) {
	code := []byte{byte(vm.JUMPDEST), byte(vm.STOP), byte(vm.JUMPDEST), byte(vm.STOP)}
	r := new(recorder)
	r.init(bytecode.NewTable([]*bytecode.Contract{{Name: "C", Runtime: &bytecode.Code{Bytes: code}}}))
	r.renew()
	// Two calls, each of a frame that enters both blocks, the first of them twice.
	run := func() []Coverage {
		r.reset()
		for call := range 2 {
			r.begin(call)
			f := r.push(0)
			r.record(f, nil, KindTransaction, f.self, nil)
			r.run(f, r.programs.find([32]byte{1}, code))
			for _, block := range []bytecode.BlockID{0, 1, 0} {
				r.enterBlock(f, block)
			}
			r.close(f, Success, nil, 0)
			r.end(call)
		}
		return slices.Clone(r.exec.Covered)
	}
	want := run()
	if len(want) != 4 || !want[0].Kept {
		t.Fatalf("covered %v", want)
	}
	r.callSerial, r.frameSerial = maxSerial, 1
	if got := run(); !slices.Equal(got, want) {
		t.Errorf("covered %v, before %v", got, want)
	}
	if r.callSerial > 2 {
		t.Errorf("the number of the latest call is %d", r.callSerial)
	}
}
