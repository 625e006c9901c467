package fuzzer

import (
	"context"
	"testing"
)

// TestUnfollowed: a check that a call fails the second time is passed by the leads of that run alone. Where they were not made then, the
// input is followed later; mutants of it seldom get there.
func TestUnfollowed(t *testing.T) {
	const half = "user1 Letters.both(bytes,bytes) args (0x0000000000, 0x)"
	for _, from := range []source{fromUnfollowed, fromSuite} {
		w, p := solver(t, "planted/letters.sol")
		b := batch{task: task{calls: 10_000}}
		for _, calls := range []string{"user1 Letters.both(bytes,bytes) args (0x, 0x)", half} {
			if _, isNew, ok := w.try(context.Background(), parse(t, p.space, calls), &b); !ok || !isNew {
				t.Fatalf("%s shows nothing new", calls)
			}
		}
		b = w.work(context.Background(), task{seed: seedOf(parse(t, p.space, half)), source: from, energy: 1, calls: 100})
		found := 0
		for i := range b.discoveries {
			found += len(b.discoveries[i].seen)
		}
		if followed := from == fromUnfollowed; found > 0 != followed {
			t.Errorf("source %d: %d findings in %d executions", from, found, b.executions)
		}
	}
}

// TestLeft: an input whose task had no room for its leads is left to be followed, and others are not.
func TestLeft(t *testing.T) {
	for _, room := range []int{0, minLeads} {
		w, p := solver(t, "planted/letters.sol")
		b := batch{task: task{calls: 10_000}}
		exec, isNew, ok := w.try(context.Background(), parse(t, p.space, "user1 Letters.both(bytes,bytes) args (0x0000000000, 0x)"), &b)
		if !ok || !isNew {
			t.Fatal("it shows nothing new")
		}
		next := lead{sequence: b.discoveries[0].sequence}
		w.stages.begin(1, nil)
		w.noteUnfollowed(w.follow(&b.task, next, exec, isNew, room), room, &b)
		if left := b.discoveries[0].unfollowed; left != (room == 0) {
			t.Errorf("room for %d leads: left: %t", room, left)
		}
	}
}

// TestFollowingTask: inputs that were left are followed once each, for a small part of the executions.
func TestFollowingTask(t *testing.T) {
	_, p := solver(t, "planted/letters.sol")
	c := &Campaign{Config: p.config(1, 0), suite: newSuite(), rand: testRand(1)}
	followed := map[*Seed]bool{}
	for range 3 {
		c.suite.leave(&Seed{})
	}
	for range 3 {
		task, ok := c.followingTask()
		if !ok || followed[task.seed] {
			t.Fatal("an input is not followed, or again")
		}
		followed[task.seed] = true
	}
	if _, ok := c.followingTask(); ok {
		t.Error("there is nothing left to follow")
	}
	c.suite.leave(&Seed{})
	c.suite.spent[fromUnfollowed], c.result.Stats.Executions = 100, 100*unfollowedShare-1
	if _, ok := c.followingTask(); ok {
		t.Error("its share is used up")
	}
	if c.result.Stats.Executions++; len(c.suite.unfollowed) != 1 {
		t.Fatal("what was not followed is gone")
	}
	if _, ok := c.followingTask(); !ok {
		t.Error("its turn has come")
	}
}
