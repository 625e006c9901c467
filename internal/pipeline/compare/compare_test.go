package compare

import (
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
	"github.com/sightline-evm/sightline/report"
)

const source = "src/Cases.sol"

// compiled is testdata/NAME.sol.
func compiled(t *testing.T, name string) *compile.Output {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".sol")
	if err != nil {
		t.Fatal(err)
	}
	return testbuild.Compile(t, "0.8.30", map[string]string{source: string(text)}).Output.Copy()
}

// headOf deploys one contract of an output.
func headOf(t *testing.T, o *compile.Output, contract string) Head {
	t.Helper()
	recipe := &deploy.Recipe{Only: []string{contract}}
	for _, c := range o.Contracts {
		if c.Name == contract {
			recipe.Targets = append(recipe.Targets, c.QualifiedName())
		}
	}
	d, err := deploy.Make(t.Context(), deploy.NewBuild([]*compile.Output{o.Copy()}, diffmap.Options{}), recipe)
	if err != nil {
		t.Fatal(err)
	}
	recipe.Only = nil // the base need not have it
	return Head{d, recipe}
}

// parse reads calls such as "Kept.spend(uint256) args (1234)", one a line.
func parse(t *testing.T, head Head, calls string) input.Sequence {
	t.Helper()
	text := "sightline-sequence v1\n"
	for _, call := range strings.Split(calls, "\n") {
		text += "deployer " + call + "\n"
	}
	seq, err := input.Parse(head.Deployment.Space, text)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// found is what calls break on the head.
func found(t *testing.T, head Head, calls string) *fuzzer.Finding {
	t.Helper()
	d, seq := head.Deployment, parse(t, head, calls)
	judge, err := d.NewJudge()
	if err != nil {
		t.Fatal(err)
	}
	_, observed, err := fuzzer.Replay(judge, &fuzzer.Config{Space: d.Space, Oracles: oracle.All()}, seq)
	if err != nil || len(observed) != 1 {
		t.Fatalf("%s: %v, %v", calls, observed, err)
	}
	f := &fuzzer.Finding{Location: observed[0].Location, Contract: d.Table.Program(observed[0].Location.Code).Contract.QualifiedName(), Sequence: seq}
	for _, o := range oracle.All() {
		if o.ID == observed[0].Oracle {
			f.Oracle = o
		}
	}
	return f
}

// compareOne compares one finding with the base's builds.
func compareOne(t *testing.T, head Head, sides []diffmap.BaseSide, f *fuzzer.Finding, saved ...input.Sequence) Result {
	t.Helper()
	findings := []*fuzzer.Finding{f}
	base, err := deployBase(t.Context(), sides, diffmap.Options{}, head, findings)
	budget := &Budget{Saved: saved, Config: fuzzer.Config{Oracles: oracle.All(), Schedule: fuzzer.Lookahead, Workers: 1, MaxCalls: 20_000, Now: time.Now}}
	return Findings(t.Context(), findings, head.Deployment, base, err, func(string) bool { return false }, budget, progress.NewLog(io.Discard, time.Now))[f]
}

// TestFindings runs two small versions of a contract per row.
func TestFindings(t *testing.T) {
	base, head := compiled(t, "base"), compiled(t, "head")
	for _, c := range []struct{ contract, calls, want, reason string }{
		{"Kept", "Kept.spend(uint256) args (1234)", report.PreExisting, "^the same calls break it on the base$"},
		{"Shifted", "Shifted.spend(uint256) args (152)", report.PreExisting, "^other arguments of the same calls break it on the base$"},
		{"Sealed", "Sealed.spend(uint256,uint256) args (160447833037, 152)", report.PreExisting, "^other arguments of the same calls break it on the base$"},
		{"Guarded", "Guarded.spend(uint256) args (6)", report.Introduced, `^not reproduced on the base: neither by these calls \(the last one reverts: too much\) nor by [1-9].* sequences derived from them$`},
		{"Added", "Added.spend(uint256) args (4321)", report.Introduced, `^it takes Added.spend\(uint256\), which the base does not have$`},
		{"Elsewhere", "Elsewhere.newer(uint256) args (9)", report.PreExisting, "^the same calls break it on the base$"},
		{"Unlocked", "Unlocked.unlock(uint256,bool) args (1, true)\nUnlocked.spend(uint256) args (1)", report.Introduced, `^it takes Unlocked.unlock\(uint256,bool\), which the base does not have$`},
		{"Twice", "Twice.spend(uint256) args (3)", report.Introduced, `^not reproduced on the base: neither by these calls \(the last one succeeds\)`},
		{"Fresh", "Fresh.spend(uint256) args (3)", report.Introduced, "^the base does not have the contract$"},
	} {
		t.Run(c.contract, func(t *testing.T) {
			h := headOf(t, head, c.contract)
			got := compareOne(t, h, []diffmap.BaseSide{{Head: head, Base: base}}, found(t, h, c.calls))
			if got.Is != c.want || !regexp.MustCompile(c.reason).MatchString(got.Reason) {
				t.Errorf("%s: %s, want %s: %s", got.Is, got.Reason, c.want, c.reason)
			}
		})
	}
}

// TestSavedInputs: what a saved input breaks on the base is old, without a campaign.
func TestSavedInputs(t *testing.T) {
	base, head := compiled(t, "base"), compiled(t, "head")
	h := headOf(t, head, "Guarded")
	f := found(t, h, "Guarded.spend(uint256) args (6)")
	sides := []diffmap.BaseSide{{Head: head, Base: base}}
	if got := compareOne(t, h, sides, f, parse(t, h, "Guarded.spend(uint256) args (4)")); got.Is != report.Introduced {
		t.Errorf("with a saved input that breaks nothing: %+v", got)
	}
	h = headOf(t, head, "Shifted")
	f = found(t, h, "Shifted.spend(uint256) args (152)")
	c := comparing(t, h, sides, f)
	e := c.begin(f)
	if c.tryOwn(e); e.same {
		t.Fatal("its own calls break it on the base")
	}
	saved := parse(t, h, "Shifted.spend(uint256) args (77)")
	saved[0].Sender = len(h.Deployment.Space.Senders) - 1 // whom the finding does not need
	c.budget.Saved = []input.Sequence{saved}
	c.tryOthers([]*candidate{e}, 1)
	if got := e.decide(); got.Is != report.PreExisting || e.tried > 0 {
		t.Errorf("with a saved input that breaks the base, and %d others: %+v", e.tried, got)
	}
}

// TestBegin: whether the change adds the contract is part of what is known of a finding.
func TestBegin(t *testing.T) {
	base, head := compiled(t, "base"), compiled(t, "head")
	h := headOf(t, head, "Kept")
	f := found(t, h, "Kept.spend(uint256) args (1234)")
	c := comparing(t, h, []diffmap.BaseSide{{Head: head, Base: base}}, f)
	for _, added := range []func(string) bool{nil, func(string) bool { return false }, func(name string) bool { return name == f.Contract }} {
		c.added = added
		if e := c.begin(f); e.added != (added != nil && added(f.Contract)) || !e.there || !e.project || !e.located {
			t.Errorf("%+v", e.evidence)
		}
	}
}

// comparing is the comparison of findings with the base's builds, before anything was tried.
func comparing(t *testing.T, head Head, sides []diffmap.BaseSide, findings ...*fuzzer.Finding) *comparison {
	t.Helper()
	b, err := deployBase(t.Context(), sides, diffmap.Options{}, head, findings)
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{ctx: t.Context(), base: b, budget: &Budget{}, log: progress.NewLog(io.Discard, time.Now)}
	if err := c.takeHead(head.Deployment); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOtherProject: a build of another project says nothing of a contract.
func TestOtherProject(t *testing.T) {
	head, other := compiled(t, "head"), compiled(t, "head")
	other.Contracts = other.Contracts[:1]
	h := headOf(t, head, "Fresh")
	got := compareOne(t, h, []diffmap.BaseSide{{Head: other, Base: other}}, found(t, h, "Fresh.spend(uint256) args (3)"))
	if got.Is != report.Unknown || !strings.Contains(got.Reason, "no build of the base holds the project of src/Cases.sol:Fresh") {
		t.Errorf("%+v", got)
	}
}

// TestWithoutTexts: a base whose build holds no source texts proves nothing of code that
// cannot be found in it. What the same calls break is old all the same, and what is not
// there at all is introduced.
func TestWithoutTexts(t *testing.T) {
	base, head := compiled(t, "base"), compiled(t, "head")
	for _, s := range base.Sources {
		s.Text = nil
	}
	sides := []diffmap.BaseSide{{Head: head, Base: base}}
	for calls, want := range map[string]string{"Kept.spend(uint256) args (1234)": report.PreExisting, "Guarded.spend(uint256) args (6)": report.Unknown, "Added.spend(uint256) args (4321)": report.Unknown, "Fresh.spend(uint256) args (3)": report.Introduced} {
		contract, _, _ := strings.Cut(calls, ".")
		h := headOf(t, head, contract)
		if got := compareOne(t, h, sides, found(t, h, calls)); got.Is != want {
			t.Errorf("%s: %+v, want %s", calls, got, want)
		}
	}
}

// TestCounterparts: the code that breaks is that of the function that its own was on the
// base, whatever other functions have the same text.
func TestCounterparts(t *testing.T) {
	base, head := compiled(t, "base"), compiled(t, "head")
	for calls, want := range map[string]string{"Kept.spend(uint256) args (1234)": "spend", "Twice.spend(uint256) args (3)": "spend", "Twice.other(uint256) args (3)": "other", "Elsewhere.newer(uint256) args (9)": "older", "Added.spend(uint256) args (4321)": ""} {
		contract, _, _ := strings.Cut(calls, ".")
		h := headOf(t, head, contract)
		f := found(t, h, calls)
		op := h.Deployment.Table.Program(f.Location.Code).Bytes[f.Location.PC]
		b, err := deployBase(t.Context(), []diffmap.BaseSide{{Head: head, Base: base}}, diffmap.Options{}, h, []*fuzzer.Finding{f})
		if err != nil {
			t.Fatal(err)
		}
		places := placesOf(b.statements[f].same)
		if (len(places) == 0) != (want == "") || len(b.statements[f].edited) > 0 {
			t.Errorf("%s: %d places, %d edited", calls, len(places), len(b.statements[f].edited))
		}
		for _, at := range places {
			if _, ok := b.code.Table.Program(at.Code).StartsAt(uint64(at.PC)); !ok {
				t.Errorf("%s: no block starts at %v, so that a campaign cannot aim at it", calls, at)
			}
			if got := b.code.Table.Program(at.Code).Bytes[at.PC]; got != op {
				t.Errorf("%s: opcode %#x at %v, want %#x", calls, got, at, op)
			}
			if name, _ := b.code.Positions.FunctionAt(at); name != want {
				t.Errorf("%s: in function %q, want %q", calls, name, want)
			}
		}
	}
}

// TestRenamed: a statement is the same if only names differ that the other function lacks.
func TestRenamed(t *testing.T) {
	for _, c := range []struct {
		head, base, headRest, baseRest string
		want                           bool
	}{
		{"assert(x != 3)", "assert( x!=3 )", "", "", true},
		{"assert(amount != 3)", "assert(x != 3)", "", "", true},
		{"assert(amount != 3)", "assert(x != 3)", "x = amount", "", false},
		{"assert(amount != 3)", "assert(x != 3)", "", "amount = x", false},
		{"assert(a < b)", "assert(b < a)", "", "", false},
		{"assert(a < a)", "assert(x < y)", "", "", false},
		{"assert(x != 4)", "assert(x != 3)", "", "", false},
		{"assert(x != 3 && y)", "assert(x != 3)", "", "", false},
	} {
		head, base := wordsOf([]byte(c.head)), wordsOf([]byte(c.base))
		if got := renamed(head, base, []byte(c.head+"; "+c.headRest), []byte(c.base+"; "+c.baseRest)); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestNoBase: without a base's World nothing is claimed.
func TestNoBase(t *testing.T) {
	f := &fuzzer.Finding{}
	got := Findings(context.Background(), []*fuzzer.Finding{f}, nil, nil, errors.New("the base has no build: it does not compile"), func(string) bool { return false }, nil, nil)[f]
	if got != (Result{report.Unknown, "the base has no build: it does not compile"}) {
		t.Errorf("%+v", got)
	}
}

// TestRules: the first rule that fits decides.
func TestRules(t *testing.T) {
	all := evidence{contract: "a.sol:A", project: true, there: true, located: true, textual: true, places: 1, outcome: "succeeds", tried: 12_345}
	for name, c := range map[string]struct {
		change func(*evidence)
		is     string
		reason string
	}{
		"nothing breaks it":             {func(*evidence) {}, report.Introduced, "not reproduced on the base: neither by these calls (the last one succeeds) nor by 12.3k sequences derived from them"},
		"the same calls":                {func(e *evidence) { e.same = true }, report.PreExisting, "the same calls break it on the base"},
		"the same calls, as they fit":   {func(e *evidence) { e.same, e.takes = true, []string{"A.f()"} }, report.PreExisting, "the same calls break it on the base"},
		"the same calls, texts missing": {func(e *evidence) { e.same, e.places, e.textual = true, 0, false }, report.PreExisting, "the same calls break it on the base"},
		"other arguments":               {func(e *evidence) { e.others = true }, report.PreExisting, "other arguments of the same calls break it on the base"},
		"other arguments, and a fault":  {func(e *evidence) { e.others, e.fault = true, "out of memory" }, report.PreExisting, "other arguments of the same calls break it on the base"},
		"a fault":                       {func(e *evidence) { e.fault = "out of memory" }, report.Unknown, "out of memory"},
		"another World":                 {func(e *evidence) { e.otherWorld = "the base lacks T" }, report.Unknown, "the base lacks T; in another World, neither these calls nor 12.3k sequences derived from them break it"},
		"a new function":                {func(e *evidence) { e.takes = []string{"A.f()"} }, report.Introduced, "it takes A.f(), which the base does not have"},
		"a new function, texts missing": {func(e *evidence) { e.takes, e.places, e.textual = []string{"A.f()"}, 0, false }, report.Unknown, "the base's build lacks source texts, so the failing code cannot be found there"},
		"a call that does not fit":      {func(e *evidence) { e.missing = "its World has no sender a" }, report.Unknown, "not all of its calls can be made on the base: its World has no sender a; 12.3k sequences derived from the others break nothing"},
		"a test contract of the head":   {func(e *evidence) { e.absent = "T" }, report.Unknown, "the base lacks T, which sets up what it calls with; without that, neither these calls nor 12.3k sequences derived from them break it"},
		"new code by such a contract":   {func(e *evidence) { e.absent, e.places = "T", 0 }, report.Introduced, "the base does not have the failing code, and these calls break nothing there (the last one succeeds)"},
		"a privileged sender":           {func(e *evidence) { e.by = []string{"deployer", "user1"} }, report.Introduced, "on the base only deployer and user1 can break it so"},
		"another way":                   {func(e *evidence) { e.otherWay = true }, report.Introduced, "it breaks on the base as well, but in another way: without what changed in the code that these calls run (there, the last one succeeds)"},
		"other code":                    {func(e *evidence) { e.edited = true }, report.Introduced, "the failing code changed, and these calls did not break it on the base (the last one succeeds)"},
		"no such code":                  {func(e *evidence) { e.places = 0 }, report.Introduced, "the base does not have the failing code, and these calls break nothing there (the last one succeeds)"},
		"no such code, texts missing":   {func(e *evidence) { e.places, e.textual = 0, false }, report.Unknown, "the base's build lacks source texts, so the failing code cannot be found there"},
		"code without a source":         {func(e *evidence) { e.places, e.located = 0, false }, report.Unknown, "the failing code has no source text by which to find it on the base"},
		"no such contract":              {func(e *evidence) { e.there = false }, report.Introduced, "the base does not have the contract"},
		"no such contract, no World":    {func(e *evidence) { e.there, e.noWorld = false, "nothing to deploy" }, report.Introduced, "the base does not have the contract"},
		"no World":                      {func(e *evidence) { e.noWorld = "nothing to deploy" }, report.Unknown, "nothing to deploy"},
		"added, no build":               {func(e *evidence) { e.added, e.there, e.project, e.noWorld = true, false, false, "no build" }, report.Introduced, "the change adds the file of a.sol:A"},
		"added, in a project":           {func(e *evidence) { e.added, e.there = true, false }, report.Introduced, "the base does not have the contract"},
		"added, in a project, no World": {func(e *evidence) { e.added, e.there, e.noWorld = true, false, "no World" }, report.Introduced, "the change adds the file of a.sol:A"},
		"added, yet there, no World":    {func(e *evidence) { e.added, e.noWorld = true, "no World" }, report.Unknown, "no World"},
		"added, yet the same calls":     {func(e *evidence) { e.added, e.same = true, true }, report.PreExisting, "the same calls break it on the base"},
		"left out":                      {func(e *evidence) { e.leftOut, e.same = true, true }, report.Unknown, "the base version of a.sol:A does not compile"},
		"one privileged sender":         {func(e *evidence) { e.by = []string{"deployer"} }, report.Introduced, "on the base only deployer can break it so"},
		"two new functions":             {func(e *evidence) { e.takes = []string{"A.f()", "A.g()"} }, report.Introduced, "it takes A.f() and A.g(), which the base does not have"},
		"no such project":               {func(e *evidence) { e.there, e.project = false, false }, report.Unknown, "no build of the base holds the project of a.sol:A"},
		"the contract, of any project":  {func(e *evidence) { e.project = false }, report.Introduced, "not reproduced on the base: neither by these calls (the last one succeeds) nor by 12.3k sequences derived from them"},
	} {
		e := all
		c.change(&e)
		if got := e.decide(); got != (Result{c.is, c.reason}) {
			t.Errorf("%s: %+v, want %s: %s", name, got, c.is, c.reason)
		}
	}
}

// TestShows: a finding is what its oracle sees at one of its places.
func TestShows(t *testing.T) {
	at, other := bytecode.Location{Code: 1, PC: 7}, bytecode.Location{Code: 1, PC: 8}
	f := &fuzzer.Finding{Oracle: oracle.All()[0]}
	c := &comparison{base: &Base{statements: map[*fuzzer.Finding]counterparts{f: {same: []*statement{{at: []bytecode.Location{at}}}}}}}
	own, others := oracle.All()[0].ID, oracle.All()[1].ID
	for _, seen := range []struct {
		oracle string
		at     bytecode.Location
		want   bool
	}{{own, at, true}, {own, other, false}, {others, at, false}} {
		if got := c.shows(&candidate{finding: f}, seen.oracle, seen.at); got != seen.want {
			t.Errorf("%+v: %v", seen, got)
		}
	}
}

// TestShare: the campaign on the base has a tenth of the head's limits, begins with the
// findings' calls and aims at their places.
func TestShare(t *testing.T) {
	base, head := compiled(t, "base"), compiled(t, "head")
	h := headOf(t, head, "Kept")
	f := found(t, h, "Kept.spend(uint256) args (1234)")
	comparison := comparing(t, h, []diffmap.BaseSide{{Head: head, Base: base}}, f)
	c := comparison.begin(f)
	comparison.tryOwn(c)
	g, err := comparison.newGroup(c)
	if err != nil {
		t.Fatal(err)
	}
	b := comparison.base
	seq, at := inSpace(b.Deployment.Space, g.space, c.carried.sequence), placesOf(b.statements[f].same)
	if len(g.world.Senders) != 1 || len(g.space.Callables) != 1 || len(seq) != 1 {
		t.Errorf("%d senders, %d functions, %d calls: want those of the finding", len(g.world.Senders), len(g.space.Callables), len(seq))
	}
	for name, test := range map[string]struct {
		head, want fuzzer.Config
	}{
		"time":           {fuzzer.Config{Timeout: 300 * time.Second}, fuzzer.Config{Timeout: 30 * time.Second}},
		"calls":          {fuzzer.Config{MaxCalls: 20_000}, fuzzer.Config{MaxCalls: 2_000}},
		"few calls":      {fuzzer.Config{MaxCalls: 30}, fuzzer.Config{MaxCalls: minCalls}},
		"long sequences": {fuzzer.Config{MaxCalls: 30, SeqLen: 20}, fuzzer.Config{MaxCalls: 20, SeqLen: 20}},
		"the rest": {
			fuzzer.Config{Schedule: fuzzer.Cutoff, Without: fuzzer.Techniques{Frontier: true}, Seed: 7, Workers: 2, Targets: []bytecode.Target{{}}, Seeds: []input.Sequence{nil}},
			fuzzer.Config{Schedule: fuzzer.Cutoff, Without: fuzzer.Techniques{Frontier: true}, Seed: 7, Workers: 2},
		},
	} {
		test.head.Oracles = oracle.All()
		got := (&Budget{Config: test.head}).share(b, g, 1)
		if got.World != g.world || got.NewMachine == nil || got.NewJudge == nil || len(got.Oracles) == 0 {
			t.Errorf("%s: not a campaign on the deployment", name)
		}
		if len(got.Seeds) != 1 || !reflect.DeepEqual(got.Seeds[0], seq) ||
			len(got.Targets) != 1 || !slices.Equal(got.Targets[0].Entries, at) || got.Targets[0].Contract != c.finding.Contract {
			t.Errorf("%s: seeds %v, targets %v", name, got.Seeds, got.Targets)
		}
		test.want.Ways = MaxWays
		test.want.World, test.want.Space, test.want.Table, test.want.Oracles = got.World, got.Space, got.Table, got.Oracles
		test.want.NewMachine, test.want.NewJudge, test.want.Seeds, test.want.Targets = nil, nil, got.Seeds, got.Targets
		got.NewMachine, got.NewJudge = nil, nil
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
