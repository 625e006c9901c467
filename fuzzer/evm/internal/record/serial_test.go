package record

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestSerials: calls and frames are numbered anew before the numbers end.
func TestSerials(t *testing.T) {
	code := []byte{byte(vm.JUMPDEST), byte(vm.STOP), byte(vm.JUMPDEST), byte(vm.STOP)}
	r := new(Recorder)
	r.Init(bytecode.NewTable([]*bytecode.Contract{{Name: "C", Runtime: &bytecode.Code{Bytes: code}}}), &evm.World{})
	r.Renew()
	// Two calls, each of a frame that enters both blocks, the first of them twice.
	run := func() []evm.Coverage {
		r.Reset()
		for call := range 2 {
			r.Begin(call)
			f := r.Push(0)
			r.Record(f, nil, evm.KindTransaction, f.Self, nil)
			r.SetProgram(f, r.Programs.Find([32]byte{1}, code))
			for _, block := range []bytecode.BlockID{0, 1, 0} {
				r.EnterBlock(f, block)
			}
			r.Close(f, evm.Success, nil, 0)
			r.End(call)
		}
		return slices.Clone(r.Exec.Covered)
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
