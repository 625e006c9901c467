package fuzzer

import (
	"context"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestSolves: one task gets through four guards that all take several words, the first
// of them a product that is zero as long as either word is, from most seeds: which factors
// are tried first is drawn.
func TestSolves(t *testing.T) {
	found := 0
	for seed := range uint64(5) {
		w, p := solver(t, "planted/conjunction.sol")
		w.solving, w.rand = newSolving(), testRand(seed)
		start := seedOf(parse(t, p.space, "user1 Conjunction.enter(uint256,uint64,uint256,uint64) args (0, 0, 0, 0)"))
		b := w.work(context.Background(), task{seed: start, energy: 1, source: fromSolving, seqLen: 8, calls: 2000})
		for i := range b.discoveries {
			found += len(b.discoveries[i].seen)
		}
		if b.fault != nil {
			t.Errorf("seed %d: fault %v", seed, b.fault)
		}
		if len(b.movable) == 0 {
			t.Errorf("seed %d: no branch is said to move", seed)
		}
	}
	if found < 4 {
		t.Errorf("%d of 5 tasks get through", found)
	}
}

// TestSolvesLengths: lengths of arrays are numbers, and a loop over an array leads back to
// the way that passed it by.
func TestSolvesLengths(t *testing.T) {
	for seed := range uint64(5) {
		w, p := solver(t, "planted/lengths.sol")
		w.solving, w.rand = newSolving(), testRand(seed)
		start := seedOf(parse(t, p.space, "user1 Lengths.propose(address[],uint256[],bytes[]) args ([], [], [])"))
		b := w.work(context.Background(), task{seed: start, energy: 1, source: fromSolving, seqLen: 8, calls: 300})
		found := 0
		for i := range b.discoveries {
			found += len(b.discoveries[i].seen)
		}
		if found != 1 || b.fault != nil {
			t.Errorf("seed %d: %d findings in %d executions, fault %v", seed, found, b.executions, b.fault)
		}
	}
}

// TestShorten: calls that do not matter to the last one are left out of the input that is
// kept, and the others are not.
func TestShorten(t *testing.T) {
	w, p := solver(t, "planted/earlier-word.sol")
	const check = "user1 EarlierWord.check()"
	long := "user1 EarlierWord.setY(uint256) args (5); user2 EarlierWord.setY(uint256) args (10775); user1 EarlierWord.check(); user1 EarlierWord.check()"
	b := w.work(context.Background(), task{run: []input.Sequence{parse(t, p.space, check), parse(t, p.space, long)}, calls: 100})
	if len(b.discoveries) != 2 {
		t.Fatalf("%d discoveries, want both", len(b.discoveries))
	}
	want := parse(t, p.space, "user2 EarlierWord.setY(uint256) args (10775); user1 EarlierWord.check()")
	if d := &b.discoveries[1]; !d.short.Equal(want) || len(d.sequence) != 4 {
		t.Errorf("of %s is kept %s", format(p.space, d.sequence), format(p.space, d.short))
	}
}

// TestSeqLenGrows: sequences grow when a path takes as many calls, unless their length was given.
func TestSeqLenGrows(t *testing.T) {
	c := &Campaign{seqLen: 8}
	for _, step := range []struct{ needed, want int }{{7, 8}, {8, 16}, {9, 16}, {16, 32}, {32, 64}, {64, 64}} {
		if c.mergeSeqLen(&discovery{short: make(input.Sequence, step.needed)}); c.seqLen != step.want {
			t.Errorf("%d calls needed: the limit is %d, want %d", step.needed, c.seqLen, step.want)
		}
	}
	c = &Campaign{Config: Config{SeqLen: 8}, seqLen: 8}
	if c.mergeSeqLen(&discovery{short: make(input.Sequence, 8)}); c.seqLen != 8 {
		t.Errorf("a limit that was given became %d", c.seqLen)
	}
}

// TestUnsolved: each side once when it comes up, those with a target ahead first, and of
// these the one whose input's path leads on to it; then the one that was tried least.
func TestUnsolved(t *testing.T) {
	s := newSuite()
	never := func(*Seed) bool { return false }
	always := func(*Seed) bool { return true }
	far := func(pc uint32, ahead bool) (frontierSide, *Seed) {
		side, seed := frontierSide{branchSide{pc: pc}, ahead}, &Seed{}
		s.closer(side, *uint256.NewInt(9), seed)
		return side, seed
	}
	plain, first := far(1, false)
	leading, second := far(2, true)
	_, on := far(3, true)
	on.PID = pidOf(3)
	s.counts[on.PID] = pathCount{lid: &lidGroup{leads: true}}
	if got := s.nextFresh(solvingPatience-1, never, true); got != nil {
		t.Error("a side is solved for at once")
	}
	if got := s.nextFresh(solvingPatience, always, true); got != nil {
		t.Error("a skipped seed is solved from")
	}
	if got := s.nextFresh(solvingPatience, never, true); got != on {
		t.Error("the side whose input leads on is not first")
	}
	if got := s.nextFresh(solvingPatience, never, true); got != second {
		t.Error("the side with a target ahead is not first")
	}
	if got := s.nextFresh(solvingPatience, never, true); got != first {
		t.Error("the other side does not follow")
	}
	if got := s.nextFresh(solvingPatience, never, true); got != nil {
		t.Error("a side comes up twice")
	}
	if got, _, _ := s.nextResisting(false, never); got != nil {
		t.Error("a side is picked although nothing is known to move it")
	}
	s.addResisting(plain.branchSide)
	s.addResisting(leading.branchSide)
	s.addResisting(leading.branchSide)
	var got []uint32
	for _, ahead := range []bool{true, true, false, false, false} {
		_, side, _ := s.nextResisting(ahead, never)
		got = append(got, side.pc)
	}
	want := []uint32{2, 2, 1, 1, 1} // of two tried as often, the one that was there first
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("the sides are picked in the order %v, want %v", got, want)
		}
	}
	s.covered(leading.branchSide)
	if _, side, _ := s.nextResisting(true, never); side == nil || *side != plain.branchSide || len(s.resisting) != 1 {
		t.Error("a side that was taken stays")
	}
}
