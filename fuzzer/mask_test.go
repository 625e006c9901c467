package fuzzer

import (
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestMask: of a seed that stops before a nested guard, the words that brought it there are
// not to be changed, and those that nothing depends on are.
func TestMask(t *testing.T) {
	w, p := solver(t, "units/nested.sol")
	seq := parse(t, p.space, "user1 Nested.f(uint256,uint256,uint256,uint8[]) args (100, 7, 3, [1, 2])")
	exec, err := w.machine.Run(p.space.Encode(seq, nil))
	if err != nil {
		t.Fatal(err)
	}
	w.tracker.track(exec, true, nil)
	base := w.newPoint(seq, exec)
	seed := seedOf(seq)
	if w.masks.of(&task{seed: seed, energy: maskEnergy - 1}, base) != nil {
		t.Error("a mask for a seed with little energy")
	}
	m := w.masks.of(&task{seed: seed, energy: maskEnergy}, base)
	if m == nil {
		t.Fatal("no mask")
	}
	for len(m.probes) > 0 {
		probe := w.mutation.mutateWithin(&task{seed: seed, sequence: seq}, m)
		if exec, err = w.machine.Run(p.space.Encode(probe.sequence, nil)); err != nil {
			t.Fatal(err)
		}
		m.recordProbe(exec)
	}
	words := input.AppendCallWords(nil, seq, 0)
	if len(words) < 6 || words[3].Kind != input.LengthWord {
		t.Fatalf("words %v", words)
	}
	// a must stay above 90 and be even, b is exactly 7, c is free, the list has at least two.
	for i, want := range []ways{0, 0, overwrite | replace, enlarge} {
		if got := m.ways[words[i]]; got&^overwrite != want&^overwrite {
			t.Errorf("%s may be changed in the ways %04b, want %04b", words[i], got, want)
		}
	}
	arriving := func(mutate func() input.Sequence) (n int) {
		for range 400 {
			exec, err := w.machine.Run(p.space.Encode(mutate(), nil))
			if err != nil {
				t.Fatal(err)
			}
			if m.branch.in(exec) {
				n++
			}
		}
		return n
	}
	kept := arriving(func() input.Sequence { return w.mutation.mutateWithin(&task{seed: seed, sequence: seq}, m).sequence })
	plain := arriving(func() input.Sequence { return w.mutation.mutate(&task{seed: seed, sequence: seq}).sequence })
	if kept < plain*5/4 {
		t.Errorf("%d of 400 mutants come to the guard with a mask, %d without", kept, plain)
	}
	if again := w.masks.of(&task{seed: seed, energy: maskEnergy}, base); again != m {
		t.Error("the mask was made anew")
	}
}

// TestWayOf: small steps overwrite, others replace; lengths grow or shrink.
func TestWayOf(t *testing.T) {
	leaf, length, sender := input.Word{Kind: input.LeafWord}, input.Word{Kind: input.LengthWord}, input.Word{Kind: input.SenderWord}
	for _, c := range []struct {
		word input.Word
		x, y uint64
		want ways
	}{
		{leaf, 100, 101, overwrite}, {leaf, 100, 100 - smallStep, overwrite}, {leaf, 100, 100 + smallStep + 1, replace},
		{length, 1, 2, enlarge}, {length, 2, 1, shorten}, {sender, 1, 2, replace},
	} {
		if got := wayOf(c.word, uint256.NewInt(c.x), uint256.NewInt(c.y)); got != c.want {
			t.Errorf("%v from %d to %d is %04b, want %04b", c.word.Kind, c.x, c.y, got, c.want)
		}
	}
}
