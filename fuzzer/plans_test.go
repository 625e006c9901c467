package fuzzer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestPlans: where a call takes another side of a branch once one word of the state is another, those who write it are put
// before the call, each once, and no more is tried when the side was taken.
func TestPlans(t *testing.T) {
	w, p := solver(t, "planted/fee.sol")
	funded := parse(t, p.space, "deployer Fee.mint(address,uint256) args (user1, 9); user1 Fee.transfer(address,uint256) args (user2, 9)")
	b := batch{task: task{calls: 100_000}}
	exec, _, ok := w.try(context.Background(), funded, &b)
	for range 40 {
		if !ok || !w.stateFuzzing.fuzz(context.Background(), funded, exec, newStateWords, &b) {
			t.Fatal("the task is over")
		}
		exec, _, ok = w.try(context.Background(), funded, &b)
	}
	setFee, _, _ := w.try(context.Background(), parse(t, p.space, "deployer Fee.setFee(uint256) args (5)"), &b)
	writes := footprint(setFee).writes
	var sidesOfFee []demandedSide
	for _, d := range b.demandedSides {
		if len(writes) == 1 && d.key == writes[0] {
			sidesOfFee = append(sidesOfFee, d)
		}
	}
	if len(sidesOfFee) == 0 {
		t.Fatalf("of %d sides, none is demanded by the variable that setFee writes", len(b.demandedSides))
	}
	fee := &sidesOfFee[0]

	config := p.config(1, 10_000)
	c := &Campaign{Config: config}
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	c.plan(*fee)
	if _, ok := c.planningTask(); ok {
		t.Error("a plan without writers is tried")
	}
	for i := range maxTried + 2 {
		writer := seedOf(parse(t, p.space, "deployer Fee.setFee(uint256) args (5)"))
		writer.PID[0], writer.writes = byte(i+1), writes
		c.suite.addWriter(writer)
	}
	tried := 0
	for {
		planned, ok := c.planningTask()
		if !ok {
			break
		}
		tried += len(planned.mappingWriters)
		if len(planned.mappingWriters) > writersAtOnce {
			t.Errorf("%d writers at once", len(planned.mappingWriters))
		}
		planned.calls = 100_000
		w.work(context.Background(), planned)
		if calls := format(p.space, planned.seed.Calls.Unpack()); !strings.HasSuffix(calls, "user1 Fee.transfer(address,uint256) args (user2, 9)") {
			t.Errorf("the plan is of %s", calls)
		}
	}
	if tried != maxTried {
		t.Errorf("%d writers were tried, want %d", tried, maxTried)
	}
	if !slices.ContainsFunc(sidesOfFee, func(d demandedSide) bool {
		block, _ := p.table.Program(d.side.code).BlockOf(d.side.pc)
		side, _ := sides(&evm.Comparison{Taken: d.side.taken})
		return w.tracker.sides[0][d.side.code].at(block).taken[side]
	}) {
		t.Error("the plans took none of the sides")
	}
	c.suite.plans = plans{}
	c.plan(*fee)
	c.taken[fee.side] = true
	if _, ok := c.planningTask(); ok || len(c.suite.plans.list) > 0 {
		t.Error("a side that was taken is still planned for")
	}
}
