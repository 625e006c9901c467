package evm

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/params"
)

func referenceAt(t testing.TB, code []byte, opts ...Option) *Reference {
	t.Helper()
	r, err := NewReference(worldOf(code), nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustRunOn(t testing.TB, r *Reference, seq ...Call) *Execution {
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
	r := referenceAt(t, loop(func(p *asm.Program) { p.Push(1).Op(vm.SLOAD, vm.POP) }))
	one := mustRunOn(t, r, callWith()).Clone()
	mustRunOn(t, r, callWith(), callWith(1), callWith(2))
	if !r.rec.overgrown() {
		t.Fatal("the room for accesses does not exceed the bound")
	}
	if again := mustRunOn(t, r, callWith()); !slices.EqualFunc(again.Frames, one.Frames, func(a, b Frame) bool { return reflect.DeepEqual(a, b) }) {
		t.Error("the first call does something else after it was let go")
	}
	r.rewind(0)
	if r.rec.overgrown() {
		t.Error("the room is kept")
	}
}

// TestPanic: what goes wrong inside the EVM is an error that names the call.
func TestPanic(t *testing.T) {
	r := referenceAt(t, asm.New().Push(0).Push(0).Op(vm.LOG0).Bytes())
	want := mustRunOn(t, r, callWith(), callWith()).PathID()
	r.state.onLog = func(*types.Log) { panic("broken") }
	_, err := r.Run(Sequence{{From: randomSender, To: nobody}, callWith()})
	if err == nil || !strings.Contains(err.Error(), "call 1 of 2: panic: broken") {
		t.Fatalf("error %v", err)
	}
	if got := mustRunOn(t, r, callWith(), callWith()).PathID(); got != want {
		t.Error("the machine is not usable after a panic")
	}
}

// TestReferenceIdle: what a run of hostile code has grown is let go by the next.
func TestReferenceIdle(t *testing.T) {
	r := referenceAt(t, asm.New().Call(nil, randomContracts[0].Bytes(), 0, 0, 0, 0, 0).Bytes())
	mustRunOn(t, r, callWith())
	if len(r.rec.watched) < 100 {
		t.Fatalf("%d frames: the call was not deep", len(r.rec.watched))
	}
	mustRunOn(t, r, Call{From: randomSender, To: nobody})
	if len(r.rec.watched) > maxIdleFrames || len(r.rec.open) != len(r.rec.watched) || cap(r.rec.exec.Frames) > maxIdleRecorded {
		t.Errorf("%d and %d frames are kept, and %d of the execution", len(r.rec.open), len(r.rec.watched), cap(r.rec.exec.Frames))
	}
}

// TestOversize: no code that is too long for go-ethereum is left behind where it
// was returned, whether it was installed or not.
func TestOversize(t *testing.T) {
	for _, head := range []byte{0, 0xef} {
		for _, size := range []int{params.MaxCodeSize, 30_000, 90_000} {
			init := asm.New().Push(head).Push(0).Op(vm.MSTORE8).Push(size).Push(0).Op(vm.RETURN).Bytes()
			code := asm.New().Mstore(init, 0).Push(len(init)).Push(0).Push(0).Op(vm.CREATE).Bytes()
			r := referenceAt(t, code, LiftCodeSizeLimits)
			e := mustRunOn(t, r, callWith())
			if len(e.Frames) != 2 || len(r.state.oversize) != 0 {
				t.Errorf("%d bytes behind 0x%x: %d frames, and %d codes are left behind", size, head, len(e.Frames), len(r.state.oversize))
			}
		}
	}
}
