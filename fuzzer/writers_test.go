package fuzzer

import (
	"context"
	"slices"
	"testing"
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
		seed.reads, seed.writes, seed.wants = f.reads, f.writes, f.wants
		for _, key := range f.decides {
			s.deciding[key] = true
		}
		s.addWriter(seed)
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
		t.Errorf("a chain of %d calls before one that reads nothing", len(chain))
	}
	if found := s.accumulator(seeds["check"], r); found != nil {
		t.Errorf("%s accumulates", found.Calls.Last().Function.Name)
	}
}
