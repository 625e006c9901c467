package fuzzer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestPredictCopies: from two numbers of copies to the third, with which the branch goes the
// other way.
func TestPredictCopies(t *testing.T) {
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
	next, ok := w.mutation.repeatCall(&task{sequence: check, sequenceContext: sequenceContext{repeated: found.Calls}})
	if !ok {
		t.Fatal("nothing is repeated")
	}
	next.from = base
	exec, _, _ = w.try(context.Background(), next.sequence, &b)
	leads := copiesOf(w, next, exec)
	if len(leads) != 1 || len(leads[0].sequence) != 43 {
		t.Fatalf("%d leads from %d copies", len(leads), next.repetition.copies)
	}
	exec, _, _ = w.try(context.Background(), leads[0].sequence, &b)
	if seen := w.observer.observe(leads[0].sequence, exec); len(seen) != 1 {
		t.Errorf("the assertion holds after %s", format(p.space, leads[0].sequence))
	}
	w.maxSeqLen = 20
	if leads := copiesOf(w, next, exec); len(leads) > 0 {
		t.Errorf("a lead of %d calls, at most 20 are wanted", len(leads[0].sequence))
	}
}

// TestRepeat: copies of a call of the sequence are put next to it, others before the last;
// nothing else changes.
func TestRepeat(t *testing.T) {
	w, p := solver(t, "planted/counted.sol")
	step, both := parse(t, p.space, "user1 Counted.step()"), parse(t, p.space, "user2 Counted.step(); user1 Counted.check()")
	for range 50 {
		next, ok := w.mutation.repeatCall(&task{sequence: both, sequenceContext: sequenceContext{repeated: input.Pack(step, nil)}})
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
	if _, ok := w.mutation.repeatCall(&task{sequence: full, sequenceContext: sequenceContext{repeated: input.Pack(step, nil)}}); ok {
		t.Error("a sequence without room takes copies")
	}
}

// TestRepeatSequenceCounts: copies of the whole sequence have one more of a number each, wherever it
// has the same name, or two, and keep to the most calls. The number of copies is predicted, too.
func TestRepeatSequenceCounts(t *testing.T) {
	w, p := solver(t, "units/rounds.sol")
	seq := parse(t, p.space, "user1 Rounds.open(uint256) args (70); user1 Rounds.use(uint256) args (0); user2 Rounds.close(uint256) args (0)")
	w.mutator.SetSeqLen(11)
	var byOne lead
	for range 50 {
		next, ok := w.mutation.repeatSequence(&task{sequence: seq})
		if !ok || len(next.sequence) != 3*(1+next.repetition.copies) || len(next.sequence) > 11 {
			t.Fatalf("%v: %d calls, %+v", ok, len(next.sequence), next.repetition)
		}
		if next.repetition.step == 1 {
			byOne = next
		}
		for i := range next.sequence {
			want := "args (70)"
			if i%3 > 0 {
				want = fmt.Sprintf("args (%d)", i/3*next.repetition.step)
			}
			if text := format(p.space, next.sequence[i:i+1]); !strings.Contains(text, want) {
				t.Fatalf("call %d of %s, want %s", i+1, format(p.space, next.sequence), want)
			}
		}
	}
	b := batch{task: task{calls: 10_000}}
	exec, _, _ := w.try(context.Background(), seq, &b)
	byOne.from = w.newPoint(seq, exec)
	exec, _, _ = w.try(context.Background(), byOne.sequence, &b)
	leads := copiesOf(w, byOne, exec)
	if len(leads) != 1 || len(leads[0].sequence) != 18 {
		t.Fatalf("%d leads from %d copies, want one of six rounds", len(leads), byOne.repetition.copies)
	}
	exec, _, _ = w.try(context.Background(), leads[0].sequence, &b)
	if seen := w.observer.observe(leads[0].sequence, exec); len(seen) != 1 {
		t.Errorf("the assertion holds after %s", format(p.space, leads[0].sequence))
	}
	if _, ok := w.mutation.repeatSequence(&task{sequence: seq[:1]}); ok {
		t.Error("a single call is copied as a whole")
	}
	w.mutator.SetSeqLen(5)
	if _, ok := w.mutation.repeatSequence(&task{sequence: seq}); ok {
		t.Error("a sequence without room takes copies")
	}
}

// copiesOf are the leads of a run with copies, in other numbers.
func copiesOf(w *worker, ran lead, exec *evm.Execution) []lead {
	s := &step{tools: &w.tools, lead: ran, exec: exec}
	w.copyCounts.follow(s)
	return s.few
}
