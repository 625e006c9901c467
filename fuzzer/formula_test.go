package fuzzer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestFormulasTell: of random calls of contracts of all kinds, formulas tell which way each
// jump went.
func TestFormulasTell(t *testing.T) {
	read := 0
	for _, source := range []string{
		"planted/computed.sol", "planted/conjunction.sol", "planted/coupled.sol", "planted/packed.sol", "planted/signed.sol",
		"planted/bytes.sol", "planted/letters.sol", "units/answered.sol", "planted/callee.sol", "planted/forwarded.sol", "planted/paid.sol", "planted/late.sol", "planted/properties.sol",
	} {
		w, p := solverAttacking(t, source)
		var b batch
		b.task.calls = 1 << 20
		seq := input.Sequence{}
		for range 300 {
			seq = w.mutator.Mutate(w.rand, seq)
			exec, ok := w.run(context.Background(), seq, &b)
			if !ok {
				t.Fatal(b.fault)
			}
			if frame := &exec.Frames[exec.Calls[len(seq)-1].Frames[0]]; frame.Program == nil {
				continue
			}
			if _, ok := p.space.Formulas(seq, w.encoded, exec, new(input.Notes)); !ok {
				t.Errorf("%s: the formulas of %s are wrong", source, format(p.space, seq))
			}
			read++
		}
	}
	if read < 1000 {
		t.Errorf("%d calls were read", read)
	}
}

// TestFormulasBound: of a call with more words than formulas have variables, they tell of the first ones, and lead on from there.
func TestFormulasBound(t *testing.T) {
	w, _ := solverAttacking(t, "units/many.sol")
	const numbers, chunks = 24, 16
	words := slices.Repeat([]string{"0"}, numbers)
	call := fmt.Sprintf("user1 Many.begin(uint256) args (7); user1 Many.sum(uint256[],bytes) args ([%s], 0x%s)", strings.Join(words, ", "), strings.Repeat("00", 32*chunks))
	var b batch
	b.task.calls = 1000
	path := w.pathfinderFrom(t, &b, call)
	if path.base.formulas == nil {
		t.Fatalf("the formulas of %s are wrong", call)
	}
	before := len(b.discoveries)
	for path.solveByFormulas(path.targets()) {
	}
	if len(b.discoveries) == before {
		t.Errorf("nothing is found in %d executions", b.executions)
	}
}

// TestSatisfy: formulas lead through guards of several words in a few runs, and what they
// propose does what it is to do.
func TestSatisfy(t *testing.T) {
	for source, start := range map[string]string{
		"planted/conjunction.sol": "user1 Conjunction.enter(uint256,uint64,uint256,uint64) args (0, 0, 0, 0)",
		"planted/factors.sol":     "user1 Factors.enter(int128,int64,uint256,uint128) args (0, 0, 0, 0)",
		"planted/root.sol":        "user1 Root.enter(uint64,uint64) args (0, 0)",
		"planted/forwarded.sol":   "user1 Router.route(uint256,uint128) args (0, 0)",
		"planted/letters.sol":     "user1 Letters.spell(bytes) args (0x000000000000000000000000)",
		"units/answered.sol":      "user1 Answered.pay(address,uint256) args (attackerContract, 0)", // what it answers has to rise as well
	} {
		w, _ := solverAttacking(t, source)
		var b batch
		b.task.calls = 1000
		path := w.pathfinderFrom(t, &b, start)
		for path.solveByFormulas(path.targets()) {
		}
		found := 0
		for i := range b.discoveries {
			found += len(b.discoveries[i].seen)
		}
		if found == 0 || b.executions > 100 {
			t.Errorf("%s: %d assertions in %d executions", source, found, b.executions)
		}
		for _, n := range w.solving.resisted {
			if n > maxResisted {
				t.Errorf("%s: a side is searched for %d times", source, n)
			}
		}
	}
}

// TestSatisfyBehind: where a called contract's checks have gone both ways in direct calls, a jump on whether a call of it succeeded leads to them.
func TestSatisfyBehind(t *testing.T) {
	w, p := solverAttacking(t, "planted/forwarded.sol")
	var b batch
	b.task.calls = 1000
	for _, direct := range []string{"(0, 0)", "(100000000000000000001, 0)", "(100000000000000018099, 0)", "(100000000000000018099, 533585662208)"} {
		if _, _, ok := w.try(context.Background(), parse(t, p.space, "user1 Guarded.check(uint256,uint256) args "+direct), &b); !ok {
			t.Fatal(b.fault)
		}
	}
	path := w.pathfinderFrom(t, &b, "user1 Catcher.tryCheck(uint256,uint256) args (0, 0)")
	for path.solveByFormulas(path.targets()) {
	}
	found := 0
	for i := range b.discoveries {
		found += len(b.discoveries[i].seen)
	}
	if found == 0 || b.executions > 20 {
		t.Errorf("%d assertions in %d executions", found, b.executions)
	}
}

// pathfinderFrom solves from a call.
func (w *worker) pathfinderFrom(t *testing.T, b *batch, call string) *pathfinder {
	t.Helper()
	seq := parse(t, w.space, call)
	exec, _, ok := w.try(context.Background(), seq, b)
	if !ok {
		t.Fatal(b.fault)
	}
	p := w.newPathfinder(context.Background(), b)
	p.rebase(p.point(seq, exec))
	p.read(p.base, exec)
	return p
}
