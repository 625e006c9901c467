package fuzzer

import (
	"context"
	"testing"
)

// TestStateFuzzingFeedsNothing: a state that no call leads to shows that a function has more
// paths, and nothing else comes of it.
func TestStateFuzzingFeedsNothing(t *testing.T) {
	w, p := solver(t, "planted/impossible.sol")
	seq := parse(t, p.space, "user1 Impossible.check()")
	b := batch{task: task{calls: 10_000}}
	for range 40 {
		exec, _, ok := w.try(context.Background(), seq, &b)
		if !ok || !w.stateFuzzing.fuzz(context.Background(), seq, exec, 1, &b) {
			t.Fatal("the task is over")
		}
	}
	if len(b.demandedSides) < 2 { // the assertion fails, and the stage is 78
		t.Errorf("%d sides are demanded, want two at least", len(b.demandedSides))
	}
	for _, p := range b.demandedSides {
		if p.function != lastOf(seq) {
			t.Errorf("demanded of %s", p.function.Function.Name)
		}
	}
	if len(b.paths) != 40 || len(b.discoveries) != 1 || b.executions <= 40 {
		t.Errorf("%d paths counted, %d discoveries, %d executions", len(b.paths), len(b.discoveries), b.executions)
	}
	if len(b.discoveries[0].seen) > 0 {
		t.Errorf("the oracles saw %+v", b.discoveries[0].seen)
	}
	for _, pid := range b.paths {
		if pid != b.paths[0] {
			t.Error("the state that was made up is still there")
		}
	}
	seq = parse(t, p.space, "user1 Impossible.advance(uint256) args (3)")
	exec, _, _ := w.try(context.Background(), seq, &b)
	if readsState(exec) || w.stateFuzzing.wants(seq, exec) {
		t.Error("a call that reads nothing may have its state fuzzed")
	}
}
