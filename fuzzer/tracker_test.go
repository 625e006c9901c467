package fuzzer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// handmade is a table with one program of three blocks, at pc 0, 3 and 5, and a
// tracker with targets at the second and the third.
func handmade() (*bytecode.Table, []bytecode.Target, *bytecode.Program) {
	//               0  PUSH1 3  2 JUMPI, 3 JUMPDEST 4 STOP, 5 JUMPDEST
	code := []byte{0x60, 0x03, 0x57, 0x5b, 0x00, 0x5b}
	contract := &bytecode.Contract{Name: "Hand", Source: "hand.sol", Runtime: &bytecode.Code{Bytes: code}}
	table := bytecode.NewTable([]*bytecode.Contract{contract})
	id := contract.Runtime.ID
	return table, []bytecode.Target{
		{Entries: []bytecode.Location{{Code: id, PC: 3}}},
		{Entries: []bytecode.Location{{Code: id, PC: 3}, {Code: id, PC: 5}}},
	}, table.Program(id)
}

// ran is an execution of one call that entered blocks of a program.
func ran(p *bytecode.Program, path byte, kept bool, blocks ...bytecode.BlockID) *evm.Execution {
	exec := &evm.Execution{
		Calls:  []evm.CallResult{{Frames: [2]int{0, 1}, ID: pidOf(path)}},
		Frames: []evm.Frame{{Program: p, Parent: -1}},
	}
	for _, b := range blocks {
		exec.Covered = append(exec.Covered, evm.Coverage{Code: p.ID, Block: b, Kept: kept})
	}
	return exec
}

// decided adds a comparison to the last frame.
func decided(exec *evm.Execution, pc uint32, taken bool, left, right uint64) *evm.Execution {
	f := &exec.Frames[len(exec.Frames)-1]
	f.Comparisons = append(f.Comparisons, evm.Comparison{PC: pc, Op: opEQ, Taken: taken, Left: *uint256.NewInt(left), Right: *uint256.NewInt(right)})
	return exec
}

func TestTrackerNews(t *testing.T) {
	table, targets, p := handmade()
	tracker := newTracker(findEntries(table, targets), len(targets))
	equal := func(step string, got, want news) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(news{}, hit{}, blockRef{}, branchSide{}, approach{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	equal("a first path", lookAt(tracker, ran(p, 1, true, 0)), news{newPath: true, newBlocks: []blockRef{{p.ID, 0}}})
	equal("the same again", lookAt(tracker, ran(p, 1, true, 0)), news{})
	equal("both targets, in a call that reverts", lookAt(tracker, ran(p, 2, false, 0, 1)), news{
		newPath: true, newBlocks: []blockRef{{p.ID, 1}}, hits: []hit{{0, 0, false}, {1, 0, false}}})
	equal("again reverting", lookAt(tracker, ran(p, 2, false, 0, 1)), news{})
	equal("the other entry of the second target", lookAt(tracker, ran(p, 3, true, 2)), news{
		newPath: true, newBlocks: []blockRef{{p.ID, 2}}, hits: []hit{{1, 0, true}}})
	equal("the first, for good; the second is done", lookAt(tracker, ran(p, 4, true, 1, 2)), news{newPath: true, hits: []hit{{0, 0, true}}})
	equal("nothing is left", lookAt(tracker, ran(p, 2, true, 0, 1, 2)), news{})
}

// TestTrackerEarlierCalls: what an earlier call covers is seen although the last call's path
// is known.
func TestTrackerEarlierCalls(t *testing.T) {
	table, targets, p := handmade()
	tracker := newTracker(findEntries(table, targets), len(targets))
	lookAt(tracker, ran(p, 1, true, 0))
	longer := ran(p, 1, true, 0, 1)
	longer.Calls = append([]evm.CallResult{{ID: pidOf(2)}}, longer.Calls...)
	if n := lookAt(tracker, longer); len(n.newBlocks) != 1 || n.newPath {
		t.Errorf("of an earlier call: %+v", n)
	}
}

func TestTrackerBranches(t *testing.T) {
	table, targets, p := handmade()
	tracker := newTracker(findEntries(table, targets), len(targets))
	side := func(taken bool) branchSide { return branchSide{code: p.ID, pc: 2, taken: taken} }
	look := func(step string, exec *evm.Execution, taken []branchSide, closer []uint64, near bool) {
		t.Helper()
		n := lookAt(tracker, exec)
		if diff := cmp.Diff(taken, n.taken, cmp.AllowUnexported(branchSide{})); diff != "" {
			t.Errorf("%s: taken (-want +got):\n%s", step, diff)
		}
		var distances []uint64
		for _, a := range n.closer {
			distances = append(distances, a.distance.Uint64())
		}
		if diff := cmp.Diff(closer, distances); diff != "" {
			t.Errorf("%s: distances (-want +got):\n%s", step, diff)
		}
		if tracker.nearUndecided != near {
			t.Errorf("%s: near an undecided branch: %v", step, tracker.nearUndecided)
		}
	}
	look("not equal, 10 apart", decided(ran(p, 1, true), 2, false, 30, 40), []branchSide{side(false)}, []uint64{10}, true)
	look("further off", decided(ran(p, 1, true), 2, false, 20, 40), nil, nil, true)
	look("as far", decided(ran(p, 1, true), 2, false, 50, 40), nil, nil, true)
	look("closer, twice in a loop", decided(decided(ran(p, 1, true), 2, false, 37, 40), 2, false, 39, 40), nil, []uint64{3, 1}, true)
	look("the other side", decided(ran(p, 1, true), 2, true, 40, 40), []branchSide{side(true)}, nil, false)
	look("closer to what has been taken", decided(ran(p, 1, true), 2, false, 40, 41), nil, nil, false)
	if first := (&evm.Comparison{PC: 2}); !tracker.decided(p.ID, first) || tracker.decided(p.ID, &evm.Comparison{PC: 4, Block: 1}) || tracker.decided(99, first) {
		t.Error("decided is wrong")
	}
}

// TestTrackerTests: a side that one test has taken is open in another where there are targets, and not elsewhere; what other calls have
// taken is open in tests.
func TestTrackerTests(t *testing.T) {
	table, targets, p := handmade()
	tracker := newTracker(findEntries(table, targets), len(targets))
	first, second := input.Callable{Function: &input.Function{}}, input.Callable{Instance: 1, Function: &input.Function{}}
	const withTarget, without = 1, 0
	at := func(block bytecode.BlockID) *evm.Comparison {
		return &evm.Comparison{PC: 2 + 4*uint32(block), Block: block, Taken: true, Op: opEQ}
	}
	for _, step := range []struct {
		test  input.Callable
		block bytecode.BlockID
		isNew bool
	}{
		{input.Callable{}, withTarget, true}, {first, withTarget, true}, {first, withTarget, false}, {second, withTarget, true},
		{input.Callable{}, without, true}, {first, without, true}, {second, without, false}, {input.Callable{}, withTarget, false},
	} {
		tracker.test, tracker.checking = step.test, step.test.Function != nil
		exec := ran(p, 1, true)
		exec.Frames[0].Comparisons = []evm.Comparison{*at(step.block)}
		if tracker.took(p.ID, at(step.block)) == step.isNew {
			t.Errorf("%+v: taken before", step)
		}
		n := lookAt(tracker, exec)
		if isNew := len(n.taken) > 0; isNew != step.isNew {
			t.Errorf("%+v: new: %v", step, isNew)
		}
		if len(n.taken) > 0 && n.taken[0] != tracker.sideIn(p.ID, at(step.block), true) {
			t.Errorf("%+v: %+v was taken", step, n.taken[0])
		}
	}
}

// TestTrackerWithin: a target counts in calls of the function that it asks for, the last ones, and what others take of its branches is open there.
func TestTrackerWithin(t *testing.T) {
	table, targets, p := handmade()
	tracker := newTracker(findEntries(table, targets), len(targets))
	wanted, other := input.Callable{Function: &input.Function{}}, input.Callable{Instance: 1, Function: &input.Function{}}
	tracker.within = []input.Callable{wanted, {}}
	w := &worker{tools: tools{tracker: tracker, space: &input.Space{}}}
	look := func(last input.Callable, exec *evm.Execution) news {
		w.enter(input.Sequence{{Instance: last.Instance, Function: last.Function}})
		return lookAt(tracker, exec)
	}
	if n := look(other, decided(ran(p, 1, true, 1), 2, true, 1, 9)); len(n.hits) != 1 || n.hits[0].target != 1 || len(n.taken) != 1 {
		t.Errorf("another function: %+v", n)
	}
	earlier := ran(p, 2, true)
	earlier.Calls = append(earlier.Calls, evm.CallResult{Frames: [2]int{1, 1}, ID: pidOf(3)})
	earlier.Covered = append(earlier.Covered, evm.Coverage{Call: 0, Code: p.ID, Block: 1, Kept: true})
	if n := look(wanted, earlier); len(n.hits) != 0 {
		t.Errorf("in an earlier call: %+v", n)
	}
	if n := look(wanted, decided(ran(p, 4, true, 1), 2, true, 1, 9)); len(n.hits) != 1 || n.hits[0].target != 0 || len(n.taken) != 1 || n.taken[0].by != wanted {
		t.Errorf("the function: %+v", n)
	}
}

// TestTrackerLooksAtTheLastCall: paths and distances are those of the last call,
// coverage is of all.
func TestTrackerLooksAtTheLastCall(t *testing.T) {
	table, targets, p := handmade()
	tracker := newTracker(findEntries(table, targets), len(targets))
	exec := decided(ran(p, 1, true, 0), 2, false, 1, 9)
	exec.Calls = append(exec.Calls, evm.CallResult{Frames: [2]int{1, 2}, ID: pidOf(2)})
	exec.Frames = append(exec.Frames, evm.Frame{Call: 1, Parent: -1}) // no code ran
	exec.Covered = append(exec.Covered, evm.Coverage{Call: 0, Code: p.ID, Block: 1, Kept: true})
	n := lookAt(tracker, exec)
	if len(n.taken) != 0 || len(n.closer) != 0 || tracker.nearUndecided {
		t.Errorf("an earlier call's branches count: %+v", n)
	}
	if len(n.hits) != 2 || n.hits[0] != (hit{0, 0, true}) {
		t.Errorf("a target in an earlier call: %+v", n.hits)
	}
	if !lookAt(tracker, ran(p, 1, true)).newPath {
		t.Error("the earlier call's path was taken for the execution's")
	}
	if n := lookAt(tracker, &evm.Execution{}); !n.newPath || len(n.newBlocks) != 0 {
		t.Errorf("an empty execution: %+v", n)
	}
}

// TestTrackerUnknownTargets: entries that are no block, or of no known code, are
// never reached, and break nothing.
func TestTrackerUnknownTargets(t *testing.T) {
	table, _, p := handmade()
	tracker := newTracker(findEntries(table, []bytecode.Target{
		{Entries: []bytecode.Location{{Code: p.ID, PC: 1}}}, {Entries: []bytecode.Location{{Code: 77, PC: 0}}}, {},
	}), 3)
	if n := lookAt(tracker, ran(p, 1, true, 0, 1, 2)); len(n.hits) != 0 {
		t.Errorf("hits %+v", n.hits)
	}
	// Code that the machine met on the way gets an id that the tracker never saw.
	late := table.Unknown([]byte{0x5b, 0x5b})
	if n := lookAt(tracker, ran(late, 9, true, 1)); len(n.newBlocks) != 1 {
		t.Errorf("blocks of code met late: %+v", n.newBlocks)
	}
}

// lookAt looks at an execution as a worker does.
func lookAt(t *tracker, exec *evm.Execution) news { return t.track(exec, t.isNew(exec.PathID()), nil) }
