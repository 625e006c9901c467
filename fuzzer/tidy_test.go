package fuzzer

import (
	"context"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// countedJudge counts what a judge runs.
type countedJudge struct {
	evm.Machine
	runs *int
}

func (m countedJudge) Run(seq evm.Sequence) (*evm.Execution, error) {
	*m.runs++
	return m.Machine.Run(seq)
}

// TestTargetsAreMinimizedLast: while the search goes on, the judge runs what reaches targets once or twice; in the end it is
// minimized, within the budget.
func TestTargetsAreMinimizedLast(t *testing.T) {
	p := open(t, "units/counter.sol")
	config := p.config(1, 4_000)
	config.Oracles = nil
	runs, before, reached := 0, 0, 0
	config.NewJudge = func() (evm.Machine, error) {
		m, err := p.newMachine()
		return countedJudge{m, &runs}, err
	}
	config.Checkpoint = func(e Event, _ func() *Result) {
		if e.Target >= 0 {
			reached, before = reached+1, runs
		}
	}
	r := mustRun(t, config)
	if reached != 2 || before > 2*len(p.targets) {
		t.Errorf("the judge ran %d times for %d targets", before, reached)
	}
	if runs < before+len(p.targets) || r.Stats.Calls > config.MaxCalls {
		t.Errorf("the judge ran %d times in all, with %d calls", runs, r.Stats.Calls)
	}
	for i, want := range []string{"deployer Counter.add(uint256) args (0)", "deployer Counter.add(uint256) args (0)", "deployer Counter.fail(uint256) args (0)"} {
		if got := format(p.space, r.Targets[i].Sequence); got != want {
			t.Errorf("target %d: %s, want %s", i, got, want)
		}
	}
}

// TestAdopt: a target takes the place of another one's sequence if it has no more calls, and what it reaches lasts.
func TestAdopt(t *testing.T) {
	p := open(t, "units/counter.sol")
	judge, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	plain := parse(t, p.space, "user1 Counter.add(uint256) args (0)")
	long := parse(t, p.space, "user1 Counter.reset(); user1 Counter.add(uint256) args (977)")
	failing := parse(t, p.space, "user1 Counter.fail(uint256) args (3)")
	for name, test := range map[string]struct {
		seq, own input.Sequence
		reached  bool
		want     bool
	}{
		"of fewer calls":         {plain, long, true, true},
		"of as many calls":       {plain, parse(t, p.space, "user1 Counter.add(uint256) args (977)"), true, true},
		"of more calls":          {long, plain, true, false},
		"of a call that fails":   {failing, long, true, false},
		"where it failed before": {failing, parse(t, p.space, "user1 Counter.fail(uint256) args (7)"), false, true},
	} {
		c := &Campaign{Config: p.config(1, 1_000)}
		if err := c.prepare(); err != nil {
			t.Fatal(err)
		}
		exec, err := judge.Run(p.space.Encode(test.seq, nil))
		if err != nil {
			t.Fatal(err)
		}
		drafts := map[int]*draft{}
		adopted := false
		for i := range p.targets {
			drafts[i] = &draft{target: i}
			c.result.Targets[i] = TargetResult{Entered: true, Reached: test.reached, Sequence: test.own}
		}
		c.adopt(drafts, findEntries(p.table, p.targets), test.seq, exec)
		for i := range p.targets {
			if entered, _ := enters(p.table, &p.targets[i], exec); !entered && drafts[i].adopted {
				t.Errorf("%s: target %d is not entered", name, i)
			}
			adopted = adopted || drafts[i].adopted
		}
		if adopted != test.want {
			t.Errorf("%s: %v", name, adopted)
		}
	}
}

// TestFindingsWait: findings are minimized at once as long as that costs little, and otherwise in the end.
func TestFindingsWait(t *testing.T) {
	p := openExample(t, "vault")
	c := &Campaign{Config: p.config(1, 10_000)}
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	if !c.affordsPrompt() {
		t.Error("the first finding waits")
	}
	c.drafts.spent = promptGrant + 1
	if c.affordsPrompt() {
		t.Error("whatever findings cost, none waits")
	}
	seq := parse(t, p.space, "user1 Vault.deposit() value 977; user1 Vault.turnFirst(uint64) args (48271)")
	f := &Finding{Sequence: seq}
	c.result.Findings = []*Finding{f}
	seen := func(_ input.Sequence, exec *evm.Execution) bool { return changedState(exec) }
	c.drafts.addFinding(findingDraft{finding: f})
	if c.owes() == 0 || c.owes() > c.MaxCalls/tidyShare {
		t.Errorf("%d calls are left for it", c.owes())
	}
	short, _, ok := c.minimized(context.Background(), seq, findingProbes, seen)
	if !ok || len(short) != 1 {
		t.Errorf("%s is left", format(p.space, short))
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, _, ok := c.minimized(ctx, seq, findingProbes, seen); ok {
		t.Error("a campaign that was canceled goes on minimizing")
	}
}
