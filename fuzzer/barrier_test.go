package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestBarriers: a function that fails at a check with a target ahead has a side of its own there once others have come past it, until it succeeds itself;
// at a check behind a target it has one from the first time on.
func TestBarriers(t *testing.T) {
	table, targets, p := handmade()
	held, other := input.Callable{Function: &input.Function{}}, input.Callable{Instance: 1, Function: &input.Function{}}
	ahead := targetsAhead{{p.ID, blockSet{1}}}
	const jump = 2
	// ends is a call that ends in a way after a decision: for the jump, or not.
	ends := func(path byte, outcome evm.Outcome, taken bool, blocks ...bytecode.BlockID) *evm.Execution {
		exec := decided(ran(p, path, outcome == evm.Success, blocks...), jump, taken, 3, 5)
		exec.Calls[0].Outcome = outcome
		f := &exec.Frames[0]
		f.Outcome, f.Decision, f.Path = outcome, jump, []bytecode.BlockID{0}
		return exec
	}
	// sees is how many sides of its own a call came close to.
	var tr *tracker
	sees := func(by input.Callable, exec *evm.Execution, ahead targetsAhead) (own int) {
		tr.callee = by
		for _, a := range tr.track(exec, tr.isNew(exec.PathID()), ahead).closer {
			if a.side.by.Function != nil {
				own++
				if a.side.by != by || !a.ahead || a.side.taken == exec.Frames[0].Comparisons[0].Taken {
					t.Errorf("came close to %+v", a)
				}
			}
		}
		return own
	}
	open := func(exec *evm.Execution) bool {
		c := exec.Frames[len(exec.Frames)-1].Comparisons[0]
		return tr.isOpen(&input.Branch{Code: p.ID, Comparison: c})
	}
	begin := func() {
		tr = newTracker(findEntries(table, targets), len(targets))
		tr.bars = true
	}

	begin()
	fails := ends(1, evm.Reverted, false)
	if sees(held, fails, ahead) != 0 || !open(fails) {
		t.Error("nothing has come past it: it is open as such")
	}
	passes := ends(2, evm.Success, true)
	if sees(held, passes, nil); open(passes) || open(fails) {
		t.Error("the function has come past it itself")
	}

	begin()
	sees(held, fails, ahead)
	sees(other, passes, nil)
	if tr.callee = held; !open(fails) || open(passes) {
		t.Error("it is open to the function that another one has come past it, and nothing else is")
	}
	if sees(held, fails, nil) != 1 {
		t.Error("the function does not come close to it")
	}
	if tr.callee = other; open(fails) {
		t.Error("it is open to the other one")
	}
	if sees(held, ends(3, evm.Reverted, true), nil); !open(fails) {
		t.Error("it counts that a call came past it that failed further on")
	}
	if sees(held, passes, nil); open(fails) {
		t.Error("it is open to the function after it has succeeded")
	}

	begin()
	if sees(held, ends(1, evm.Reverted, false, 1), nil) != 1 {
		t.Error("the function has no side of its own behind a target")
	}

	begin()
	tr.precursors = map[input.Callable]bool{held: true}
	tr.isNew(fails.PathID())
	if sees(held, fails, nil) != 1 {
		t.Error("what plans wait for has no side of its own where no target is")
	}
	if sees(other, ends(4, evm.Reverted, false), nil) != 0 {
		t.Error("what nothing waits for has one")
	}

	begin()
	inner := ends(1, evm.Reverted, false)
	inner.Frames = append([]evm.Frame{{Program: p, Parent: -1, Outcome: evm.Reverted, Path: []bytecode.BlockID{0}}}, inner.Frames...)
	inner.Frames[1].Parent, inner.Frames[1].Caller, inner.Calls[0].Frames[1] = 0, attacker.Address, 2
	sees(held, inner, ahead)
	sees(other, passes, nil)
	if tr.callee = held; open(inner) {
		t.Error("what the attacker's contract calls meanwhile is held against the function")
	}
}
