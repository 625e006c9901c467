package fuzzer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// seedsOf runs sequences of one call each and files them as seeds.
func seedsOf(t *testing.T, w *worker, p *project, calls ...string) (*Suite, map[string]*Seed) {
	t.Helper()
	s, seeds := newSuite(), map[string]*Seed{}
	for _, call := range calls {
		seq := parse(t, p.space, call)
		b := batch{task: task{calls: 10}}
		exec, ok := w.run(context.Background(), seq, &b)
		if !ok {
			t.Fatalf("%s was not run", call)
		}
		f := footprint(exec)
		seed := seedOf(seq)
		seed.reads, seed.writes = f.reads, f.writes
		for _, key := range f.decides {
			s.deciding[key] = true
		}
		s.noteWriter(seed)
		seeds[seq[0].Function.Name] = seed
	}
	return s, seeds
}

// TestClosure: a chain hands a value on, from the call that sets it to the one that
// checks it, in this order and in no other.
func TestClosure(t *testing.T) {
	w, p := solver(t, "planted/handed-on.sol")
	s, seeds := seedsOf(t, w, p, "user1 HandedOn.first()", "user1 HandedOn.enter(uint256) args (0)",
		"user1 HandedOn.third()", "user1 HandedOn.check()", "user1 HandedOn.second()")
	r := testRand(1)
	whole := []string{"enter", "first", "second", "third"}
	met := map[int]bool{}
	for range 100 {
		var names []string
		for _, call := range s.closure(seeds["check"], r, 8).Unpack() {
			names = append(names, call.Function.Name)
		}
		if len(names) == 0 || !slices.Equal(names, whole[len(whole)-len(names):]) {
			t.Fatalf("a chain %q", names)
		}
		met[len(names)] = true
	}
	if len(met) != len(whole) {
		t.Errorf("chains of %d lengths, want %d", len(met), len(whole))
	}
	if chain := s.closure(seeds["check"], r, 2); len(chain) > 2 {
		t.Errorf("a chain of %d calls, at most 2 are wanted", len(chain))
	}
	if chain := s.closure(seeds["enter"], r, 8); len(chain) > 0 {
		t.Errorf("a chain of %d calls in front of one that reads nothing", len(chain))
	}
	if found := s.accumulator(seeds["check"], r); found != nil {
		t.Errorf("%s accumulates", found.Calls.Last().Function.Name)
	}
}

// TestRecount: from two numbers of copies to the third, with which the branch goes the
// other way.
func TestRecount(t *testing.T) {
	w, p := solver(t, "planted/counted.sol")
	s, seeds := seedsOf(t, w, p, "user1 Counted.step()", "user1 Counted.check()")
	found := s.accumulator(seeds["check"], testRand(1))
	if found != seeds["step"] {
		t.Fatal("nothing accumulates")
	}
	b := batch{task: task{calls: 10_000}}
	check := seeds["check"].Calls.Unpack()
	exec, _, _ := w.try(context.Background(), check, &b)
	base := w.newPoint(check, exec)
	next, ok := w.repeat(&task{sequence: check, surroundings: surroundings{repeated: found.Calls}})
	if !ok {
		t.Fatal("nothing is repeated")
	}
	next.from = base
	exec, _, _ = w.try(context.Background(), next.sequence, &b)
	leads := w.recount(&next, exec)
	if len(leads) != 1 || len(leads[0].sequence) != 43 {
		t.Fatalf("%d leads from %d copies", len(leads), next.repetition.copies)
	}
	exec, _, _ = w.try(context.Background(), leads[0].sequence, &b)
	if seen := w.observer.observe(leads[0].sequence, exec); len(seen) != 1 {
		t.Errorf("the assertion holds after %s", format(p.space, leads[0].sequence))
	}
	w.maxSeqLen = 20
	if leads := w.recount(&next, exec); len(leads) > 0 {
		t.Errorf("a lead of %d calls, at most 20 are wanted", len(leads[0].sequence))
	}
}

// TestRepeat: copies of a call that is there come beside it, others in front of the last;
// nothing else changes.
func TestRepeat(t *testing.T) {
	w, p := solver(t, "planted/counted.sol")
	step, both := parse(t, p.space, "user1 Counted.step()"), parse(t, p.space, "user2 Counted.step(); user1 Counted.check()")
	for range 50 {
		next, ok := w.repeat(&task{sequence: both, surroundings: surroundings{repeated: input.Pack(step, nil)}})
		text := format(p.space, next.sequence)
		if !ok || len(next.sequence) != 2+next.repetition.copies || len(next.sequence) > input.DefaultSeqLen ||
			!strings.HasSuffix(text, "user1 Counted.check()") || strings.Count(text, ".step(") != len(next.sequence)-1 {
			t.Fatalf("%v %s", ok, text)
		}
	}
	if len(both) != 2 {
		t.Errorf("the seed has %d calls now", len(both))
	}
	full := slices.Repeat(step, input.DefaultSeqLen)
	if _, ok := w.repeat(&task{sequence: full, surroundings: surroundings{repeated: input.Pack(step, nil)}}); ok {
		t.Error("a sequence without room takes copies")
	}
}

// TestShows: what a comparison shows of a word, whole or packed with others.
func TestShows(t *testing.T) {
	word := uint256.NewInt(0x11_22_33_00_55)
	for operand, want := range map[uint64]bool{0x1122330055: true, 0x22: true, 0x2233: true, 0x33: true, 0x23: false, 0x55: true, 0x66: false, 0: false} {
		if got := shows(word, uint256.NewInt(operand)); got != want {
			t.Errorf("%#x: %v", operand, got)
		}
	}
	if !shows(new(uint256.Int), new(uint256.Int)) {
		t.Error("zero does not show zero")
	}
}
