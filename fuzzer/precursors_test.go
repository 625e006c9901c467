package fuzzer

import (
	"context"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestPrecursors: a plan with a target behind waits for functions that have read its variable and failed, until they succeed; where nothing has written the
// variable, for all that have not succeeded; and for none while a writer is left to try.
func TestPrecursors(t *testing.T) {
	w, p := solver(t, "units/deals.sol")
	c := &Campaign{Config: p.config(1, 10_000)}
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	seed := func(path byte, text string) *Seed {
		b := batch{task: task{calls: 1000}}
		exec, _, ok := w.try(context.Background(), parse(t, p.space, text), &b)
		if !ok {
			t.Fatal(text)
		}
		s, f := seedOf(parse(t, p.space, text)), footprint(exec)
		s.PID[0], s.reads, s.writes, s.Changes = path, f.reads, f.writes, changedState(exec)
		return s
	}
	const create, far = "deployer Deals.create(address,uint128,uint64) args (user1, 5, ", "1750000100)"
	dispute, deliver := seed(1, "user1 Deals.dispute(uint256) args (1)"), seed(2, "user2 Deals.deliver(uint256) args (1)")
	bad, good := seed(3, create+"7)"), seed(4, create+far)
	delivered := seed(5, create+far+"; user1 Deals.deliver(uint256) args (1)")
	if bad.Changes || !good.Changes || !delivered.Changes || len(dispute.reads) != 1 {
		t.Fatalf("%v %v %v, %d variables are read", bad.Changes, good.Changes, delivered.Changes, len(dispute.reads))
	}
	wanted := func(text string, functions ...*Seed) {
		t.Helper()
		c.choosePrecursors()
		got := c.suite.precursors.wanted
		for _, s := range functions {
			if !got[s.Calls.Last()] {
				t.Errorf("%s: %s is not waited for", text, s.Calls.Last().Function.Name)
			}
		}
		if len(got) != len(functions) {
			t.Errorf("%s: %d functions are waited for, want %d", text, len(got), len(functions))
		}
	}
	for _, s := range []*Seed{dispute, deliver, bad} {
		c.suite.add(s, maxPerLID)
	}
	wanted("without a plan")
	side := branchSide{code: 7, pc: 8}
	c.plan(demandedSide{dispute.Calls.Last(), side, dispute.reads[0], dispute})
	wanted("no target is behind it")
	c.suite.frontier[frontierSide{side, true}] = &frontierEntry{seed: dispute}
	c.suite.precursors.stale = true
	wanted("nothing has written", deliver, bad)
	c.suite.add(good, maxPerLID)
	wanted("a writer is left")
	if _, ok := c.planningTask(); !ok {
		t.Fatal("the writer is not tried")
	}
	wanted("it was tried", deliver)
	c.suite.add(delivered, maxPerLID)
	if _, ok := c.planningTask(); !ok {
		t.Fatal("the precursor is not tried")
	}
	wanted("it has succeeded")

	own := side
	own.by, own.barrier = dispute.Calls.Last(), true
	c.suite.frontier = map[frontierSide]*frontierEntry{{own, true}: {seed: dispute}}
	if !c.suite.leadsToTarget(c.suite.plans.list[0]) {
		t.Error("a side of the function's own leads nowhere")
	}
}

// TestPlanOfSpare: a plan for an instance that another one stands for makes room for one of that.
func TestPlanOfSpare(t *testing.T) {
	c := &Campaign{suite: newSuite()}
	c.Space = &input.Space{Instances: make([]input.Instance, 2)}
	c.Space.Instances[0].Spare = true
	side, used := branchSide{pc: 1}, input.Callable{Instance: 1}
	for range maxPlansOf {
		c.plan(demandedSide{side: side, key: 5})
	}
	c.plan(demandedSide{function: used, side: side, key: 6})
	c.plan(demandedSide{side: side, key: 7})
	list := c.suite.plans.list
	if len(list) != maxPlansOf || list[0].function != used || list[0].key != 6 || list[1].key != 5 {
		t.Errorf("%d plans, of %d and %d", len(list), list[0].key, list[1].key)
	}
}
