package compare

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
	"github.com/sightline-evm/sightline/report"
)

// waysBudget is that of a head that was fuzzed with 20,000 calls.
func waysBudget() *Budget {
	return &Budget{Config: fuzzer.Config{Oracles: oracle.All(), Schedule: fuzzer.Lookahead, Workers: 1, MaxCalls: 20_000, Now: time.Now}}
}

// waysSides are the builds of testdata/ways.
func waysSides(t *testing.T) []diffmap.BaseSide {
	t.Helper()
	return []diffmap.BaseSide{{Head: compiled(t, "ways/head"), Base: compiled(t, "ways/base")}}
}

// callers are the calls of a sequence, "sender function", one a line.
func callers(h Head, seq input.Sequence) string {
	var calls []string
	for _, call := range seq {
		calls = append(calls, h.Deployment.Space.Senders[call.Sender].Name+" "+call.Function.Name)
	}
	return strings.Join(calls, "\n")
}

// TestWays: a finding that the base has is introduced if the change adds a way to it: for other senders, by other functions, by
// changed code. Its sequence is that way then.
func TestWays(t *testing.T) {
	for _, c := range []struct{ contract, calls, is, reason, sequence, log string }{
		{"Owned", "Owned.spend(uint256) args (9)", report.Introduced, "on the base only deployer can break it so", "attacker spend", "trying to reproduce 1 finding there, limit 2000 calls"},
		{"Emergency", "Emergency.spend(uint256,bool) args (9, false)", report.Introduced, "it broke before, but not in this way: not reproduced on the base", "attacker spend", "looking for a way to an old failure that any sender can take, limit 1000 calls"},
		{"Functions", "Functions.spend(uint256) args (9)", report.Introduced, "it broke before, but not in this way: not reproduced on the base", "attacker spendSome", "trying to reproduce 1 finding there, limit 1000 calls"},
		{"Branches", "Branches.spend(uint256) args (1234)", report.Introduced, "it breaks on the base as well, but in another way", "deployer spend", "trying to reproduce 1 finding there, limit 2000 calls"},
		{"Waits", "Waits.spend(uint256) args (9)", report.PreExisting, "other arguments of the same calls break it on the base", "deployer spend", ""},
		{"Steps", "Steps.unlock()\nSteps.spend(uint256) args (152)", report.PreExisting, "other arguments of the same calls break it on the base", "deployer unlock\ndeployer spend", "trying to reproduce 1 finding there, limit 2000 calls"},
		{"Edited", "Edited.spend(uint256) args (70)", report.Introduced, "the failing code changed, and these calls did not break it on the base (the last one succeeds)", "deployer spend", ""},
		{"Asserts", "Asserts.spend(uint256) args (9)", report.Introduced, "the base does not have the failing code, and these calls break nothing there (the last one succeeds)", "deployer spend", ""},
	} {
		t.Run(c.contract, func(t *testing.T) {
			sides := waysSides(t)
			h := headOf(t, sides[0].Head, c.contract)
			f := found(t, h, c.calls)
			base, err := deployBase(t.Context(), sides, diffmap.Options{}, h, []*fuzzer.Finding{f})
			if err != nil {
				t.Fatal(err)
			}
			budget := waysBudget()
			if c.contract == "Branches" {
				budget.Config.Targets = []bytecode.Target{{Entries: onlyIn(t, h, c.calls, "Branches.spend(uint256) args (5)")}}
			}
			var log bytes.Buffer
			got := Findings(t.Context(), []*fuzzer.Finding{f}, h.Deployment, base, nil, func(string) bool { return false }, budget, progress.NewLog(&log, time.Now))[f]
			if got.Is != c.is || !strings.HasPrefix(got.Reason, c.reason) || callers(h, f.Sequence) != c.sequence {
				t.Errorf("%+v by %q, want %s: %s, by %q", got, callers(h, f.Sequence), c.is, c.reason, c.sequence)
			}
			if !strings.Contains(log.String(), c.log) || (c.log == "") != (log.Len() == 0) {
				t.Errorf("%q, want %q", log.String(), c.log)
			}
			if c.contract == "Functions" && len(f.Path) == 0 {
				t.Error("the way that is shown has no path")
			}
		})
	}
}

// TestTwoOld: two old findings share what is spent on ways that any sender can take.
func TestTwoOld(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Emergency")
	findings := []*fuzzer.Finding{found(t, h, "Emergency.spend(uint256,bool) args (9, false)"), found(t, h, "Emergency.spend(uint256,bool) args (8, false)")}
	base, err := deployBase(t.Context(), sides, diffmap.Options{}, h, findings)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	known := Findings(t.Context(), findings, h.Deployment, base, nil, nil, waysBudget(), progress.NewLog(&log, time.Now))
	for _, f := range findings {
		if known[f].Is != report.Introduced || callers(h, f.Sequence) != "attacker spend" {
			t.Errorf("%+v by %q", known[f], callers(h, f.Sequence))
		}
	}
	if n := strings.Count(log.String(), "any sender can take, limit 1000 calls"); n != 2 {
		t.Errorf("%d searches of 1000 calls in all:\n%s", n, log.String())
	}
}

// onlyIn are the blocks that some calls run and others do not.
func onlyIn(t *testing.T, h Head, calls, others string) []bytecode.Location {
	t.Helper()
	judge, err := h.Deployment.NewJudge()
	if err != nil {
		t.Fatal(err)
	}
	var ran [2][]bytecode.Location
	for i, text := range []string{calls, others} {
		exec, _, err := fuzzer.Replay(judge, Judging(h.Deployment), parse(t, h, text))
		if err != nil {
			t.Fatal(err)
		}
		ran[i] = fuzzer.Entered(h.Deployment.Table, exec)
	}
	return slices.DeleteFunc(ran[0], func(at bytecode.Location) bool { return slices.Contains(ran[1], at) })
}

// TestUnprivileged: the attacker stands in for every sender that need not be who it is, in one call or in all.
func TestUnprivileged(t *testing.T) {
	sides := waysSides(t)
	for _, c := range []struct{ contract, calls, want string }{
		{"Owned", "Owned.spend(uint256) args (1)\nOwned.spend(uint256) args (9)", "attacker spend\nattacker spend"},
		{"Steps", "Steps.unlock()\nSteps.spend(uint256) args (152)", "deployer unlock\nattacker spend"},
		{"Emergency", "Emergency.spend(uint256,bool) args (9, false)", "deployer spend"},
	} {
		h := headOf(t, sides[0].Head, c.contract)
		f := found(t, h, c.calls)
		comparison := comparing(t, h, sides, f)
		seq := comparison.head.unprivileged(f, f.Sequence)
		if got := callers(h, seq); got != c.want {
			t.Errorf("%s: %q, want %q", c.contract, got, c.want)
		}
		e := &candidate{finding: f, sequence: seq}
		if got, want := comparison.head.needsSomebody(e), strings.Contains(c.want, "deployer"); got != want {
			t.Errorf("%s: needs another sender than the attacker: %t", c.contract, got)
		}
	}
}

// TestNeedsSomebody: calls of the attacker and of his contract need no one else, those of others do.
func TestNeedsSomebody(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Swapped")
	c := comparing(t, h, sides)
	const call = "Swapped.take(uint256) args (1)"
	space := h.Deployment.Space
	for _, test := range []struct {
		sender string
		want   bool
	}{{"deployer", true}, {"attacker", false}, {space.Senders[space.Outsider()].Name, false}} {
		seq, err := input.Parse(space, "sightline-sequence v1\n"+test.sender+" "+call+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.head.needsSomebody(&candidate{sequence: seq}); got != test.want {
			t.Errorf("by %s: %v", test.sender, got)
		}
	}
}

// TestByOtherFunctions: other functions are called with the arguments of the one that fails, without its ether unless they are payable. Fallbacks are left out.
func TestByOtherFunctions(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Swapped")
	f := found(t, h, "Swapped.spend(uint256) args (9) value 1")
	c := comparing(t, h, sides, f)
	var got []string
	for _, way := range c.head.byOtherFunctions(f) {
		got = append(got, strings.TrimPrefix(input.Format(h.Deployment.Space, way), "sightline-sequence v1\n"))
	}
	if want := []string{"deployer Swapped.take(uint256) args (9)\n"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBreaks: a sequence shows a finding if its last call does.
func TestBreaks(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Pair")
	f := found(t, h, "Pair.spend(uint256) args (9)")
	c := comparing(t, h, sides, f)
	for calls, want := range map[string]bool{
		"Pair.spend(uint256) args (9)":                               true,
		"Pair.spend(uint256) args (8)":                               false, // another assertion
		"Pair.spend(uint256) args (1)\nPair.spend(uint256) args (9)": true,
		"Pair.spend(uint256) args (9)\nPair.spend(uint256) args (1)": false,
	} {
		if _, got := c.head.breaks(f, parse(t, h, calls)); got != want {
			t.Errorf("%q: %t", calls, got)
		}
	}
	if _, got := c.head.breaks(f, nil); got {
		t.Error("no calls show something")
	}
}

// TestLater: calls that the base refuses until its time has come break it then, and that is no campaign's luck.
func TestLater(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Waits")
	f := found(t, h, "Waits.spend(uint256) args (9)")
	c := comparing(t, h, sides, f)
	e := c.begin(f)
	c.tryOwn(e)
	if e.same || e.outcome != "reverts: wait" {
		t.Fatalf("its own calls: same %t, %s", e.same, e.outcome)
	}
	g, err := c.newGroup(e)
	if err != nil {
		t.Fatal(err)
	}
	if c.tryLater(g); !e.others || e.otherWay {
		t.Errorf("others %t, another way %t", e.others, e.otherWay)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	c.ctx, e.others = canceled, false
	c.budget.Saved = []input.Sequence{f.Sequence}
	if c.trySaved(g); e.others {
		t.Error("a run that was canceled tries saved inputs")
	}
	if c.tryLater(g); e.others {
		t.Error("a run that was canceled tries later calls")
	}
	if c.fuzz(g, c.budget.share(c.base, g, 1)); e.fault == "" {
		t.Error("a campaign that was canceled tells of no fault")
	}
}

// TestGroups: findings whose calls are of the same functions by the same senders are tried together, with the whole share; others
// each with a part of it.
func TestGroups(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Pair")
	findings := []*fuzzer.Finding{found(t, h, "Pair.spend(uint256) args (9)"), found(t, h, "Pair.spend(uint256) args (8)"), found(t, h, "Pair.total()\nPair.spend(uint256) args (8)")}
	for _, test := range []struct {
		findings []*fuzzer.Finding
		parts    int
		line     string
		whole    bool // each gets the whole share, not a part of it
	}{
		{findings[:1], 1, "trying to reproduce 1 finding there, limit 2000 calls", true},
		{findings[:2], 1, "trying to reproduce 2 findings there, limit 2000 calls", true},
		{findings[:2], 2, "trying to reproduce 2 findings there, limit 1000 calls", false},
		{findings[1:], 1, "trying to reproduce 2 findings there, limit 2000 calls", false},
	} {
		var out bytes.Buffer
		c := comparing(t, h, sides, findings...)
		c.budget, c.log = waysBudget(), progress.NewLog(&out, time.Now)
		elsewhere := c.begin(findings[0]) // is no candidate, but those after it are
		elsewhere.there = false
		candidates := []*candidate{elsewhere}
		for _, f := range test.findings {
			e := c.begin(f)
			c.tryOwn(e)
			candidates = append(candidates, e)
		}
		c.tryOthers(candidates, test.parts)
		if strings.Count(out.String(), "trying to reproduce") != 1 || !strings.Contains(out.String(), test.line) {
			t.Errorf("%q, want once %q", out.String(), test.line)
		}
		if elsewhere.tried > 0 {
			t.Error("a contract that the base does not have was tried")
		}
		for _, e := range candidates[1:] {
			// The whole share are 640 sequences and more, a half about 330.
			if e.fault != "" || e.tried == 0 || test.whole != (e.tried > 500) {
				t.Errorf("%q: %d sequences tried: %s", test.line, e.tried, e.fault)
			}
		}
	}
}

// TestLimits: a campaign on the base gets a tenth of the head's limits, divided among those that there are, but one sequence at
// least; a search for differences half of what the head has left, too.
func TestLimits(t *testing.T) {
	for name, test := range map[string]struct {
		budget         Budget
		campaigns      int
		timeout        time.Duration
		calls          uint64
		limit          string
		searchFor      time.Duration
		searchForCalls uint64
	}{
		"time":           {Budget{Config: fuzzer.Config{Timeout: 300 * time.Second}, Spent: fuzzer.Stats{Seconds: 100}}, 1, 30 * time.Second, 0, "0:30", 130 * time.Second, 0},
		"of two":         {Budget{Config: fuzzer.Config{Timeout: 300 * time.Second}, Spent: fuzzer.Stats{Seconds: 400}}, 2, 15 * time.Second, 0, "0:30", 30 * time.Second, 0},
		"calls":          {Budget{Config: fuzzer.Config{MaxCalls: 20_000}, Spent: fuzzer.Stats{Calls: 10_000}}, 1, 0, 2_000, "2000 calls", 0, 7_000},
		"calls of two":   {Budget{Config: fuzzer.Config{MaxCalls: 20_000}, Spent: fuzzer.Stats{Calls: 20_000}}, 2, 0, 1_000, "2000 calls", 0, 2_000},
		"few calls":      {Budget{Config: fuzzer.Config{MaxCalls: 30}, Spent: fuzzer.Stats{Calls: 40}}, 1, 0, minCalls, "8 calls", 0, minCalls},
		"long sequences": {Budget{Config: fuzzer.Config{MaxCalls: 30, SeqLen: 20}}, 1, 0, 20, "20 calls", 0, 35},
		"one call":       {Budget{Config: fuzzer.Config{MaxCalls: 1}}, 1, 0, minCalls, "8 calls", 0, minCalls},
	} {
		got := test.budget.limits(test.campaigns)
		if got.Timeout != test.timeout || got.MaxCalls != test.calls || got.Ways != MaxWays {
			t.Errorf("%s: %v, %d calls, %d ways", name, got.Timeout, got.MaxCalls, got.Ways)
		}
		if limit := describeLimit(&got, test.campaigns); limit != test.limit {
			t.Errorf("%s: %q, want %q", name, limit, test.limit)
		}
		if got := test.budget.search(); got.Timeout != test.searchFor || got.MaxCalls != test.searchForCalls {
			t.Errorf("%s: a search for %v, %d calls", name, got.Timeout, got.MaxCalls)
		}
	}
}

// TestSameSenders: calls of the base break it by the senders of the finding, or they show nothing; and they may be of no function
// that the finding does not call.
func TestSameSenders(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Steps")
	f := found(t, h, "Steps.unlock()\nSteps.spend(uint256) args (152)")
	c := comparing(t, h, sides, f)
	e := c.begin(f)
	e.sequence = c.head.unprivileged(f, f.Sequence) // the attacker spends
	c.tryOwn(e)
	g, err := c.newGroup(e)
	if err != nil {
		t.Fatal(err)
	}
	onBase := func(lines ...string) input.Sequence {
		seq, err := input.Parse(g.space, "sightline-sequence v1\n"+strings.Join(lines, "\n")+"\n")
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	for _, test := range []struct {
		lines []string
		want  string
		ok    bool
	}{
		{[]string{"deployer Steps.unlock()", "attacker Steps.spend(uint256) args (77)"}, "deployer unlock\nattacker spend", true},
		{[]string{"deployer Steps.unlock()", "deployer Steps.spend(uint256) args (77)"}, "deployer unlock\nattacker spend", true},
		{[]string{"deployer Steps.unlock()", "attacker Steps.spend(uint256) args (78)"}, "deployer unlock\nattacker spend", false},
		{[]string{"deployer Steps.unlock()", "deployer Steps.spend(uint256) args (78)"}, "deployer unlock\nattacker spend", false},
	} {
		seq, ok := c.bySameSenders(g, e, onBase(test.lines...))
		calls := make([]string, 0, len(seq))
		for _, call := range seq {
			calls = append(calls, g.space.Senders[call.Sender].Name+" "+call.Function.Name)
		}
		if got := strings.Join(calls, "\n"); got != test.want || ok != test.ok {
			t.Errorf("%q: %q, %t", test.lines, got, ok)
		}
	}
	saved := parse(t, h, "Steps.unlock()\nSteps.spend(uint256) args (1)\nSteps.unlock()")
	if got := callers(h, e.bySenders(saved)); got != "deployer unlock\nattacker spend\ndeployer unlock" {
		t.Errorf("a saved input is tried by %q", got)
	}
	if callers(h, saved) != "deployer unlock\ndeployer spend\ndeployer unlock" {
		t.Error("the saved input itself has changed")
	}
	e.sequence = e.sequence[1:] // without the call of unlock
	if _, ok := c.bySameSenders(g, e, onBase("deployer Steps.unlock()", "attacker Steps.spend(uint256) args (77)")); ok {
		t.Error("a call that the finding does not make")
	}
}

// TestOldWay: another way of an old finding is old as well if other arguments of its calls break the base.
func TestOldWay(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Shades")
	f := found(t, h, "Shades.spend(uint256) args (9)")
	f.Ways = []input.Sequence{parse(t, h, "Shades.spend(uint256) args (77)")}
	if got := compareOne(t, h, sides, f); got != (Result{report.PreExisting, "the same calls break it on the base"}) {
		t.Errorf("%+v", got)
	}
	if got := input.Format(h.Deployment.Space, f.Sequence); !strings.Contains(got, "args (9)") {
		t.Errorf("the finding's sequence became %s", got)
	}
}

// TestFailsInItsFunction: calls fail on the base as the finding does only if a call of the function fails that does so on the head.
func TestFailsInItsFunction(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Crossed")
	f := found(t, h, "Crossed.first(uint256) args (9)\nCrossed.last(uint256) args (9)")
	c := comparing(t, h, sides, f)
	e := c.begin(f)
	if c.tryOwn(e); e.same || e.outcome != "succeeds" {
		t.Errorf("same %t, the last call %s", e.same, e.outcome)
	}
}

// TestFaults: where a campaign on the base fails, nothing is said of what it tried.
func TestFaults(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Pair")
	f := found(t, h, "Pair.spend(uint256) args (9)")
	c := comparing(t, h, sides, f)
	e := c.begin(f)
	c.tryOwn(e)
	g, err := c.newGroup(e)
	if err != nil {
		t.Fatal(err)
	}
	config := waysBudget().share(c.base, g, 1)
	if c.fuzz(g, config); e.fault != "" || e.tried == 0 {
		t.Errorf("%d sequences, fault %q", e.tried, e.fault)
	}
	e.tried = 0
	config.NewMachine = func() (evm.Machine, error) { return nil, errors.New("no machine") }
	if c.fuzz(g, config); !strings.Contains(e.fault, "no machine") || e.tried != 0 {
		t.Errorf("%d sequences, fault %q", e.tried, e.fault)
	}
}

// TestLearn: what a campaign on the base finds counts if it is the finding's, in its contract, by any of its ways.
func TestLearn(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Steps")
	f := found(t, h, "Steps.unlock()\nSteps.spend(uint256) args (152)")
	c := comparing(t, h, sides, f)
	at := placesOf(c.base.statements[f].same)[0]
	for name, test := range map[string]struct {
		change func(*fuzzer.Finding)
		others bool
	}{
		"its own":          {func(*fuzzer.Finding) {}, true},
		"another oracle's": {func(g *fuzzer.Finding) { g.Oracle = oracle.Panic }, false},
		"elsewhere":        {func(g *fuzzer.Finding) { g.Location.PC++ }, false},
		"of another":       {func(g *fuzzer.Finding) { g.Contract = source + ":Pair" }, false},
		"by another way":   {func(g *fuzzer.Finding) { g.Sequence, g.Ways = g.Sequence[:1], []input.Sequence{g.Sequence} }, true},
		"by no way":        {func(g *fuzzer.Finding) { g.Sequence = g.Sequence[:1] }, false},
	} {
		e := c.begin(f)
		c.tryOwn(e)
		g, err := c.newGroup(e)
		if err != nil {
			t.Fatal(err)
		}
		seq, err := input.Parse(g.space, "sightline-sequence v1\ndeployer Steps.unlock()\ndeployer Steps.spend(uint256) args (77)\n")
		if err != nil {
			t.Fatal(err)
		}
		there := &fuzzer.Finding{Oracle: f.Oracle, Location: at, Contract: f.Contract, Sequence: seq}
		test.change(there)
		if c.learn(g, e, &fuzzer.Result{Findings: []*fuzzer.Finding{there}, Stats: fuzzer.Stats{Executions: 5}}); e.others != test.others || e.tried != 5 {
			t.Errorf("%s: others %t, %d tried", name, e.others, e.tried)
		}
	}
}

// TestNeeded: of calls that break the base, those count without which they do not.
func TestNeeded(t *testing.T) {
	sides := waysSides(t)
	for _, test := range []struct{ contract, calls, onBase, want string }{
		{"Branches", "Branches.spend(uint256) args (1234)", "attacker Branches.spend(uint256) args (1234)\nattacker Branches.spend(uint256) args (5)", "attacker Branches.spend(uint256) args (5)"},
		{"Branches", "Branches.spend(uint256) args (1234)", "attacker Branches.spend(uint256) args (5)\nattacker Branches.spend(uint256) args (1)", "attacker Branches.spend(uint256) args (5)"},
		{"Branches", "Branches.spend(uint256) args (1234)", "attacker Branches.spend(uint256) args (5)", "attacker Branches.spend(uint256) args (5)"},
		{"Steps", "Steps.unlock()\nSteps.spend(uint256) args (152)", "deployer Steps.unlock()\nattacker Steps.spend(uint256) args (77)", "deployer Steps.unlock()\nattacker Steps.spend(uint256) args (77)"},
	} {
		h := headOf(t, sides[0].Head, test.contract)
		f := found(t, h, test.calls)
		c := comparing(t, h, sides, f)
		e := c.begin(f)
		e.sequence = c.head.unprivileged(f, f.Sequence)
		c.tryOwn(e)
		g, err := c.newGroup(e)
		if err != nil {
			t.Fatal(err)
		}
		seq, err := input.Parse(g.space, "sightline-sequence v1\n"+test.onBase+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := input.Format(g.space, c.needed(g, e, seq)); got != "sightline-sequence v1\n"+test.want+"\n" {
			t.Errorf("of %q\n%s", test.onBase, got)
		}
	}
}

// TestAlike: what an oracle sees on the base is the finding if it is in the code that the finding's was, in the same contract.
func TestAlike(t *testing.T) {
	base, head := compiled(t, "base"), compiled(t, "head")
	h := headOf(t, head, "Twice")
	f := found(t, h, "Twice.spend(uint256) args (3)")
	c := comparing(t, h, []diffmap.BaseSide{{Head: head, Base: base}}, f)
	b := c.base
	assertIn := func(contract, function string) bytecode.Location {
		for _, s := range statementsOf(source+":"+contract, &b.code, 0x57, "assert") {
			if s.in.Name == function {
				return s.at[0]
			}
		}
		t.Fatal("no such assertion: ", contract, function)
		return bytecode.Location{}
	}
	for name, test := range map[string]struct {
		oracle string
		at     bytecode.Location
		want   bool
	}{
		"its own":                        {f.Oracle.ID, assertIn("Twice", "spend"), true},
		"by another oracle":              {"property", assertIn("Twice", "spend"), false},
		"of another function":            {f.Oracle.ID, assertIn("Twice", "other"), false},
		"of another contract":            {f.Oracle.ID, assertIn("Shifted", "spend"), false},
		"of code that is gone":           {f.Oracle.ID, assertIn("Twice", "safe"), true},
		"of no known code":               {f.Oracle.ID, bytecode.Location{Code: 9_999}, false},
		"before any function":            {f.Oracle.ID, bytecode.Location{Code: b.code.Contract(source + ":Twice").Runtime.ID}, true},
		"before any, another contract's": {f.Oracle.ID, bytecode.Location{Code: b.code.Contract(source + ":Kept").Runtime.ID}, false},
	} {
		if got := b.alike(fuzzer.Observed{Oracle: test.oracle, Location: test.at}, f, &h.Deployment.Build); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestNamedAsHead: contracts of the base have the names that the head has for them.
func TestNamedAsHead(t *testing.T) {
	head := compiled(t, "ways/head")
	text := compiled(t, "ways/base").Sources[0].Text
	old := testbuild.Compile(t, "0.8.30", map[string]string{"src/Old.sol": string(text)}).Output.Copy()
	h := headOf(t, head, "Actual")
	f := found(t, h, "Actual.spend(uint256) args (9)")
	for name, sides := range map[string][]diffmap.BaseSide{
		"contract":          {{Head: head, Base: compiled(t, "ways/base")}},
		"contract and file": {{Head: head, Base: old, Renamed: map[string]string{"src/Old.sol": source}}},
	} {
		if got := compareOne(t, h, sides, f); got != (Result{report.PreExisting, "the same calls break it on the base"}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// In a repository of several projects, the folder is part of a name, wherever the base was built.
	folder, there := head.Copy(), compiled(t, "ways/base")
	folder.Folder, there.Folder = "packages/a", "elsewhere"
	compile.Distinguish([]*compile.Output{folder}, []*compile.Output{folder})
	inFolder := headOf(t, folder, "Actual")
	if got := compareOne(t, inFolder, []diffmap.BaseSide{{Head: folder, Base: there}}, found(t, inFolder, "Actual.spend(uint256) args (9)")); got.Is != report.PreExisting {
		t.Errorf("in a folder: %+v", got)
	}
	// What the head lacks keeps its name, in a source that the head may have renamed.
	gone := testbuild.Compile(t, "0.8.30", map[string]string{"src/Old.sol": string(compiled(t, "base").Sources[0].Text)}).Output.Copy()
	side := diffmap.BaseSide{Head: head, Base: gone, Renamed: map[string]string{"src/Old.sol": source}}
	b := &Base{sides: []diffmap.BaseSide{side}, functions: []*diffmap.Counterparts{diffmap.NewCounterparts(side)}}
	if named := b.namedAsHead()[0]; !slices.ContainsFunc(named.Contracts, func(c *compile.Contract) bool { return c.QualifiedName() == source+":Words" }) {
		t.Error("a contract that is gone has lost its name")
	}
	left := []diffmap.BaseSide{{Head: head, Base: compiled(t, "base"), LeftOut: []string{source + ":Actual"}}}
	if got := compareOne(t, h, left, f); got != (Result{report.Unknown, "the base version of " + source + ":Actual does not compile"}) {
		t.Errorf("left out: %+v", got)
	}
}

// TestDeployBaseWithout: a base that cannot be is said before anything is built.
func TestDeployBaseWithout(t *testing.T) {
	if _, err := DeployBase(t.Context(), &change.Change{}, Head{}, nil); err == nil || !strings.Contains(err.Error(), "without a diff") {
		t.Errorf("no diff: %v", err)
	}
	h := headOf(t, compiled(t, "head"), "Kept")
	side := diffmap.BaseSide{Head: compiled(t, "head"), Base: &compile.Output{}}
	if _, err := deployBase(t.Context(), []diffmap.BaseSide{side}, diffmap.Options{}, h, nil); err == nil || !strings.Contains(err.Error(), "the base has none of these contracts") {
		t.Errorf("nothing to deploy: %v", err)
	}
}

// TestWhyNoWorld: where the base has no World, only what its builds say counts.
func TestWhyNoWorld(t *testing.T) {
	sides := waysSides(t)
	h := headOf(t, sides[0].Head, "Owned")
	f := found(t, h, "Owned.spend(uint256) args (9)")
	base, err := deployBase(t.Context(), sides, diffmap.Options{}, h, []*fuzzer.Finding{f})
	if err != nil {
		t.Fatal(err)
	}
	for _, added := range []bool{false, true} {
		got := Findings(t.Context(), []*fuzzer.Finding{f}, h.Deployment, base, errors.New("no World"), func(string) bool { return added }, waysBudget(), nil)[f]
		if got != (Result{report.Unknown, "no World"}) {
			t.Errorf("added %t: %+v", added, got)
		}
	}
	base.otherWorld = "the base lacks T, whose set-up makes the World"
	other := headOf(t, sides[0].Head, "Asserts")
	g := found(t, other, "Asserts.spend(uint256) args (9)")
	if got := Findings(t.Context(), []*fuzzer.Finding{g}, other.Deployment, base, nil, nil, waysBudget(), progress.NewLog(&bytes.Buffer{}, time.Now))[g]; got.Is != report.Unknown || !strings.HasPrefix(got.Reason, base.otherWorld) {
		t.Errorf("in another World: %+v", got)
	}
	for _, added := range []bool{false, true} {
		want := Result{report.Unknown, "no build"}
		if added {
			want = Result{report.Introduced, "the change adds the file of " + f.Contract}
		}
		if got := Findings(t.Context(), []*fuzzer.Finding{f}, h.Deployment, nil, errors.New("no build"), func(string) bool { return added }, waysBudget(), nil)[f]; got != want {
			t.Errorf("added %t, no build: %+v", added, got)
		}
	}
}
