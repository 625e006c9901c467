package fuzzer

import (
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestRunningExample: lookahead finds the one value among thousands of paths, from
// every seed, with mutants of one word and nothing else to help. The baseline
// finds it from none in twice as many calls.
func TestRunningExample(t *testing.T) {
	p := open(t, "units/maze.sol")
	const calls = 8000
	for seed := range uint64(3) {
		for schedule, budget := range map[*Schedule]uint64{Lookahead: calls, Cutoff: 2 * calls} {
			config := p.config(seed, budget)
			config.Oracles, config.SeqLen, config.Schedule = nil, 1, schedule
			config.Without = Techniques{Prediction: true, Frontier: true, Sequences: true}
			r := mustRun(t, config)
			if want := schedule == Lookahead; r.Targets[0].Reached != want {
				t.Errorf("%s, seed %d: reached: %v; %d paths", schedule.Name, seed, !want, r.Stats.Paths)
			}
		}
	}
}

// called is an execution of one call with a selector, whose dispatcher compares it
// in the blocks 0 and 1 and finds it in 1.
func called(path ...bytecode.BlockID) *evm.Execution {
	word := func(n uint64) uint256.Int { return *uint256.NewInt(n) }
	return &evm.Execution{
		Calls: []evm.CallResult{{Frames: [2]int{0, 1}}},
		Frames: []evm.Frame{{
			Parent: -1, Path: path, Input: []byte{0, 0, 0, 7, 0, 0, 0, 7},
			Comparisons: []evm.Comparison{
				{Block: 0, Op: opEQ, Left: word(7), Right: word(5)},
				{Block: 1, Op: opEQ, Left: word(7), Right: word(7), Taken: true},
				{Block: 9, Op: opEQ, Left: word(7), Right: word(1)},
			},
		}},
	}
}

// TestLeads: a prefix leads on if it goes beyond the first block of the function.
func TestLeads(t *testing.T) {
	exec := called(0, 1, 8, 9, 10)
	for prefix, want := range map[int]bool{1: false, 2: false, 3: false, 4: true, 5: true} {
		if got := leads(exec, &lookahead.Result{Prefix: prefix, Proved: true}); got != want {
			t.Errorf("a prefix of %d blocks leads on: %v", prefix, got)
		}
	}
	if !leads(exec, &lookahead.Result{Prefix: 5}) {
		t.Error("a path after which a target may be ahead leads nowhere")
	}
}

// TestSplitByWrites: by the places that were written, whatever their order; a call
// that failed changed nothing.
func TestSplitByWrites(t *testing.T) {
	program := &bytecode.Program{Key: 1}
	file := func(outcome evm.Outcome, pcs ...uint32) lookahead.ID {
		exec := called(0)
		exec.Calls[0].Outcome = outcome
		exec.Frames[0].Program = program
		for _, pc := range pcs {
			exec.Frames[0].Storage = append(exec.Frames[0].Storage, evm.StorageAccess{PC: pc, Write: true})
		}
		r := lookahead.Result{ID: lookahead.ID{1}}
		splitByWrites(exec, &r)
		return r.ID
	}
	if file(evm.Success) != (lookahead.ID{1}) || file(evm.Reverted, 5) != (lookahead.ID{1}) {
		t.Error("a path that changes nothing has another LID")
	}
	if file(evm.Success, 5, 9, 5) != file(evm.Success, 9, 5) {
		t.Error("the order of writes changes the LID")
	}
	if a := file(evm.Success, 5); a == file(evm.Success, 9) || a == (lookahead.ID{1}) {
		t.Error("what was written does not tell LIDs apart")
	}
}

// TestGroupBySplitPoints: the number of iterations of a loop does not change the LID; where it
// came by, and what is ahead there, does.
func TestGroupBySplitPoints(t *testing.T) {
	at := func(blocks ...bytecode.BlockID) (points []lookahead.SplitPoint) {
		for _, b := range blocks {
			points = append(points, lookahead.SplitPoint{Code: 1, Block: b})
		}
		return points
	}
	file := func(id byte, points, ahead []lookahead.SplitPoint) lookahead.ID {
		r := lookahead.Result{ID: lookahead.ID{id}, SplitPoints: points, Ahead: ahead}
		groupBySplitPoints(&r)
		return r.ID
	}
	once := file(1, at(0, 3, 4), at(0, 3))
	if file(2, at(0, 3, 4), at(0, 3)) != once {
		t.Error("prefixes with the same split points have LIDs of their own")
	}
	for _, other := range []lookahead.ID{
		file(1, at(0, 3), at(0, 3)), file(1, at(0, 4, 3), at(0, 3)), file(1, at(0, 3, 4), at(0)), file(1, at(0, 3), at(4, 0, 3)),
	} {
		if other == once {
			t.Error("prefixes with other split points share a LID")
		}
	}
}
