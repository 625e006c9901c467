package gethvm

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

func referenceAt(t testing.TB, code []byte, opts ...evm.Option) *Reference {
	t.Helper()
	r, err := New(evmtest.WorldOf(code), nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustRunOn(t testing.TB, r *Reference, seq ...evm.Call) *evm.Execution {
	t.Helper()
	e, err := r.Run(seq)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRetained: buffers that have grown beyond the bound are let go, and a run
// that shares its calls with the one before does not build on what is gone.
func TestRetained(t *testing.T) {
	r := referenceAt(t, evmtest.Loop(func(p *asm.Program) { p.Push(0).Push(0).Op(vm.LOG0) }))
	one := mustRunOn(t, r, evmtest.CallWith()).Clone()
	mustRunOn(t, r, evmtest.CallWith(), evmtest.CallWith(1), evmtest.CallWith(2))
	if !r.rec.Overgrown() {
		t.Fatal("the room for events does not exceed the bound")
	}
	if again := mustRunOn(t, r, evmtest.CallWith()); !slices.EqualFunc(again.Frames, one.Frames, func(a, b evm.Frame) bool { return reflect.DeepEqual(a, b) }) {
		t.Error("the first call does something else after it was let go")
	}
	r.rewind(0)
	if r.rec.Overgrown() {
		t.Error("the room is kept")
	}
}

// TestPanic: what goes wrong inside the EVM is an error that names the call.
func TestPanic(t *testing.T) {
	r := referenceAt(t, asm.New().Push(0).Push(0).Op(vm.LOG0).Bytes())
	want := mustRunOn(t, r, evmtest.CallWith(), evmtest.CallWith()).PathID()
	r.state.onLog = func(*types.Log) { panic("broken") }
	_, err := r.Run(evm.Sequence{{From: evmtest.RandomSender, To: evmtest.Nobody}, evmtest.CallWith()})
	if err == nil || !strings.Contains(err.Error(), "call 1 of 2: panic: broken") {
		t.Fatalf("error %v", err)
	}
	if got := mustRunOn(t, r, evmtest.CallWith(), evmtest.CallWith()).PathID(); got != want {
		t.Error("the machine is not usable after a panic")
	}
}

// TestReferenceIdle: what a run of hostile code has grown is let go by the next.
func TestReferenceIdle(t *testing.T) {
	r := referenceAt(t, asm.New().Call(nil, evmtest.RandomContracts[0].Bytes(), 0, 0, 0, 0, 0).Bytes())
	mustRunOn(t, r, evmtest.CallWith())
	if len(r.rec.Open) < 100 {
		t.Fatalf("%d frames: the call was not deep", len(r.rec.Open))
	}
	mustRunOn(t, r, evm.Call{From: evmtest.RandomSender, To: evmtest.Nobody})
	if len(r.rec.Open) > record.MaxIdleFrames || cap(r.rec.Exec.Frames) > record.MaxIdleRecorded {
		t.Errorf("%d frames are kept, and %d of the execution", len(r.rec.Open), cap(r.rec.Exec.Frames))
	}
}

// TestOversize: no code that is too long for go-ethereum is left behind where it
// was returned, whether it was installed or not.
func TestOversize(t *testing.T) {
	for _, head := range []byte{0, 0xef} {
		for _, size := range []int{params.MaxCodeSize, 30_000, 90_000} {
			init := asm.New().Push(head).Push(0).Op(vm.MSTORE8).Push(size).Push(0).Op(vm.RETURN).Bytes()
			code := asm.New().Mstore(init, 0).Push(len(init)).Push(0).Push(0).Op(vm.CREATE).Bytes()
			r := referenceAt(t, code, evm.LiftCodeSizeLimits)
			e := mustRunOn(t, r, evmtest.CallWith())
			if len(e.Frames) != 2 || len(r.state.oversize) != 0 {
				t.Errorf("%d bytes behind 0x%x: %d frames, and %d codes are left behind", size, head, len(e.Frames), len(r.state.oversize))
			}
		}
	}
}
