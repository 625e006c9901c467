package lookahead_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// around is the path of the running example for an even y that goes around the loops
// so many times, up to where the third assertion has passed.
func (r *running) around(t *testing.T, first, second int) bytecode.Path {
	t.Helper()
	block := func(label int) bytecode.BlockID { return blockAt(t, r.program, r.assembler, label) }
	path := bytecode.Path{0, 1, block(r.join), block(r.loop1)}
	for range first {
		path = append(path, block(r.loop1)+1, block(r.loop1))
	}
	path = append(path, block(r.after1), block(r.after1)+1, block(r.loop2))
	for range second {
		path = append(path, block(r.loop2)+1, block(r.loop2))
	}
	return append(path, block(r.after2), block(r.after2)+1, block(r.afterThird))
}

// TestSharedPrefixesAreNotAskedAgain: of a path that goes along known ones only what is
// new is asked, until goals change in a way that matters, and what is said of it is
// what an Analyzer says that knows none.
func TestSharedPrefixesAreNotAskedAgain(t *testing.T) {
	r := newRunning()
	block := func(label int) bytecode.BlockID { return blockAt(t, r.program, r.assembler, label) }
	used := lookahead.New(r.program, lookahead.Options{})
	asked := func(path bytecode.Path, calls ...lookahead.Call) int {
		before := used.Stats().Questions
		got := used.Analyze(lookahead.Frame{Path: path, Calls: calls})
		if diff := cmp.Diff(used.Fresh().Analyze(lookahead.Frame{Path: path, Calls: calls}), got); diff != "" {
			t.Fatalf("%v (-fresh +used):\n%s", path, diff)
		}
		return used.Stats().Questions - before
	}
	want := func(what string, most, got int) {
		t.Helper()
		if got > most {
			t.Errorf("%s: %d questions, want at most %d", what, got, most)
		}
	}
	used.SetTargets([]bytecode.BlockID{block(r.t2), block(r.third)})
	path := r.around(t, 2, 3)
	if asked(path) == 0 {
		t.Fatal("the first path was not asked about")
	}
	want("the same path", 0, asked(path))
	want("another end", 0, asked(append(slices.Clone(path), 0, 1)))
	want("a call along the prefix", 0, asked(path, lookahead.Call{At: 1, Result: lookahead.Result{ID: lookahead.ID{7}}}))
	want("the same path without the call", 0, asked(path))
	want("more rounds in the second loop, which has been entered", 4, asked(r.around(t, 2, 5)))
	want("one of the targets has fallen, the other one was seen", 0, func() int {
		used.SetTargets([]bytecode.BlockID{block(r.third)})
		return asked(path)
	}())
	if used.SetTargets([]bytecode.BlockID{block(r.t2), block(r.third), block(r.afterThird)}); asked(path) == 0 {
		t.Error("there is a target more, and nothing is asked")
	}
	if used.SetTargets([]bytecode.BlockID{block(r.t2)}); asked(path) == 0 {
		t.Error("no target is left that had been seen, and nothing is asked")
	}
}

// TestTreesAreBounded: an Analyzer that is asked about paths without end forgets some,
// and knows the others.
func TestTreesAreBounded(t *testing.T) {
	r := newRunning()
	used := lookahead.New(r.program, lookahead.Options{})
	used.SetTargets([]bytecode.BlockID{blockAt(t, r.program, r.assembler, r.third)})
	most, forgot := 0, false
	for i := range 20_000 {
		path := r.around(t, i%150, i/150)
		got := used.Analyze(lookahead.Frame{Path: path})
		if got.Prefix != len(path) || !got.Proved || len(got.SplitPoints) == 0 {
			t.Fatalf("%v: a prefix of %d", path, got.Prefix)
		}
		n := used.TreeBytes()
		forgot = forgot || n < most
		most = max(most, n)
	}
	if !forgot || most > lookahead.MaxTreeBytes {
		t.Errorf("%d bytes were kept at most, want at most %d; forgotten: %t", most, lookahead.MaxTreeBytes, forgot)
	}
}

// TestProofsHold: a proof of one split point, or of more, is taken again as long as the goals are the same, and no longer.
func TestProofsHold(t *testing.T) {
	// 0: to 2 if there is a value, else 1; 1: STOP; 2: to 4 if there is input, else 3; 3, 4: STOP
	p1 := byte(vm.PUSH1)
	a := lookahead.New(program([]byte{byte(vm.CALLVALUE), p1, 5, byte(vm.JUMPI), byte(vm.STOP), byte(vm.JUMPDEST), byte(vm.CALLDATASIZE), p1, 11, byte(vm.JUMPI), byte(vm.STOP), byte(vm.JUMPDEST), byte(vm.STOP)}), lookahead.Options{})
	for _, targets := range [][]bytecode.BlockID{{}, {1}, {1, 4}, {4}, {3, 4}, {3}, {}, {3, 1}, {1}, {}, {4}} {
		a.SetTargets(targets)
		for _, path := range []bytecode.Path{{0, 1}, {0, 2, 3}, {0, 2, 4}, {0, 1}, {0, 2, 4}} {
			for range 2 {
				if diff := cmp.Diff(a.Fresh().Analyze(lookahead.Frame{Path: path}), a.Analyze(lookahead.Frame{Path: path})); diff != "" {
					t.Fatalf("targets %v, %v (-fresh +used):\n%s", targets, path, diff)
				}
			}
		}
	}
}
