package gethvm

import (
	"math/rand/v2"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestTraceChangesNothing: a machine that traces yields what another one yields, for every
// instruction of every fork, and its shadow of the stack is as high as the stack.
func TestTraceChangesNothing(t *testing.T) {
	compare := func(name string, seed uint64, world *evm.World, sequences ...evm.Sequence) {
		table := bytecode.NewTable(nil)
		plain, err := New(world, table)
		if err != nil {
			t.Fatal(err)
		}
		tracing, err := New(world, table, evm.WithTrace)
		if err != nil {
			t.Fatal(err)
		}
		for _, seq := range sequences {
			if d, err := evmtest.Compare(plain, tracing, seq); d != nil || err != nil {
				t.Fatalf("%s, seed %d: %v %v", name, seed, d, err)
			}
			exec := &tracing.rec.Exec
			if exec.Trace == nil || exec.Reused() != 0 {
				t.Fatalf("%s, seed %d: trace %v, %d calls reused", name, seed, exec.Trace, exec.Reused())
			}
		}
		if n := tracing.rec.tracer.Desynced(); n != 0 {
			t.Fatalf("%s, seed %d: the shadow of the stack was %d times not as high as the stack", name, seed, n)
		}
	}
	for seed := range uint64(150) {
		c := evmtest.Programs(seed)
		compare("programs", seed, c.World, c.Sequences...)
	}
	for _, fork := range evm.Forks() {
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 7))
			compare(fork, seed, evmtest.RandomWorld(rng, fork), evmtest.RandomSequence(rng))
		}
	}
}
