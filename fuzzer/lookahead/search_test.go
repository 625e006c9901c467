package lookahead_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestSearch: what the graph reaches is proved unreachable by a search, once, and by none
// without a budget for it.
func TestSearch(t *testing.T) {
	r := newAssembler()
	less, dead, alive := r.label(), r.label(), r.label()
	// if (q < p) { if (p < q) dead; alive }
	r.push(0).op(vm.CALLDATALOAD).push(32).op(vm.CALLDATALOAD)
	r.op(vm.DUP2, vm.DUP2, vm.LT).pushLabel(less).op(vm.JUMPI, vm.STOP)
	r.place(less).op(vm.GT).pushLabel(dead).op(vm.JUMPI)
	r.pushLabel(alive).op(vm.JUMP)
	r.place(dead).op(vm.INVALID)
	r.place(alive).op(vm.STOP)
	p := program(r.bytes())
	at := func(label int) bytecode.BlockID { return blockAt(t, p, r, label) }

	const budget = 10_000
	facts := lookahead.NewFacts(p, budget)
	if !facts.Unreachable(at(dead)) || facts.Unreachable(at(alive)) {
		t.Errorf("dead %v, alive %v", facts.Unreachable(at(dead)), facts.Unreachable(at(alive)))
	}
	steps := facts.SearchSteps(budget)
	if facts.Unreachable(at(dead)); steps == 0 || facts.SearchSteps(budget) != steps {
		t.Errorf("%d steps, and %d when asked again", steps, facts.SearchSteps(budget))
	}
	alone := lookahead.NewFacts(p, budget)
	alone.Unreachable(at(dead))
	steps = alone.SearchSteps(budget)
	provedSoFar, unproved := false, 0
	for left := range steps + 1 { // where the budget ends, nothing is proved, then or later
		short := lookahead.NewFacts(p, budget)
		short.Unreachable(0) // makes the graph
		short.LeaveSearch(left)
		proved := short.Unreachable(at(dead))
		short.LeaveSearch(budget)
		if again := short.Unreachable(at(dead)); left > 0 && again != proved || left == 0 && !again {
			t.Errorf("with %d steps of %d, it is proved: %t; and when asked again %t", left, steps, proved, again)
		}
		if provedSoFar = provedSoFar || proved; proved != provedSoFar || proved && left == 0 {
			t.Errorf("with %d steps of %d, it is proved: %t", left, steps, proved)
		}
		if !proved {
			unproved++
		}
	}
	if !provedSoFar || unproved < steps/2 {
		t.Errorf("a search of %d steps is proved in the end: %t, and not with up to %d", steps, provedSoFar, unproved)
	}
	graph := facts.GraphSteps()
	for n := graph; n < graph+steps; n++ { // the graph is whole, the search is not
		if short := lookahead.NewFacts(p, n); short.Unreachable(at(alive)) || short.SearchSteps(n) > n {
			t.Errorf("budget %d: alive is called unreachable, or %d steps are taken", n, short.SearchSteps(n))
		}
	}
}
