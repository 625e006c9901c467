package compare

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/report"
)

// TestRelease tries findings of the head on a release build, for which the base's sources
// stand in: what the two do differently is known.
func TestRelease(t *testing.T) {
	for _, c := range []struct{ contract, calls, want, reason string }{
		{"Kept", "Kept.spend(uint256) args (1234)", report.ReleaseConfirmed, ""},
		{"Shifted", "Shifted.spend(uint256) args (152)", report.ReleaseAbsent, "the last call succeeds there"},
		{"Guarded", "Guarded.spend(uint256) args (6)", report.ReleaseAbsent, "the last call reverts there: too much"},
		{"Elsewhere", "Elsewhere.newer(uint256) args (9)", report.ReleaseUnknown, "its calls do not fit the project's release build: "},
		{"Fresh", "Fresh.spend(uint256) args (3)", report.ReleaseUnknown, "the project's release build could not be deployed: "},
	} {
		t.Run(c.contract, func(t *testing.T) {
			debug, release := compiled(t, "head"), compiled(t, "base")
			debug.Debug = true
			only := func(o *compile.Output) {
				o.Contracts = slices.DeleteFunc(o.Contracts, func(d *compile.Contract) bool { return d.Name != c.contract })
			}
			only(debug)
			only(release)
			h := headOf(t, debug, c.contract)
			r := DeployRelease(t.Context(), &change.Change{Given: []*compile.Output{release}, Outputs: []*compile.Output{debug}}, h)
			got := r.Try(found(t, h, c.calls), h.Deployment.Space)
			if got.Is != c.want || !strings.HasPrefix(got.Reason, c.reason) || c.reason == "" && got.Reason != "" {
				t.Errorf("%+v, want %s: %s", got, c.want, c.reason)
			}
		})
	}
}

// TestReleaseUntried: what is known, or cannot be known, without a deployment.
func TestReleaseUntried(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	debug, given, linked := &compile.Output{Debug: true}, &compile.Output{}, &compile.Output{}
	linked.Settings.Linked = true
	for name, c := range map[string]struct {
		ctx            context.Context
		given, outputs *compile.Output
		want           string
		reason         string
	}{
		"what is fuzzed":      {t.Context(), given, given, report.ReleaseSame, ""},
		"not at hand":         {t.Context(), debug, debug, report.ReleaseUnknown, "the project's release build was not available"},
		"at fixed addresses":  {t.Context(), linked, debug, report.ReleaseUnknown, "the project's release build links libraries at fixed addresses"},
		"the run was stopped": {canceled, given, debug, report.ReleaseUnknown, "the run was canceled"},
	} {
		r := DeployRelease(c.ctx, &change.Change{Given: []*compile.Output{c.given}, Outputs: []*compile.Output{c.outputs}}, Head{})
		if got := r.Try(nil, nil); got.Is != c.want || !strings.HasPrefix(got.Reason, c.reason) {
			t.Errorf("%s: %+v, want %s: %s", name, got, c.want, c.reason)
		}
	}
}

// TestSeenIn: what an oracle saw belongs to the contract whose code it is in.
func TestSeenIn(t *testing.T) {
	o := compiled(t, "base")
	b := deploy.NewBuild([]*compile.Output{o}, diffmap.Options{})
	at := func(name string) bytecode.Location {
		return bytecode.Location{Code: b.Contract(source + ":" + name).Runtime.ID}
	}
	for _, c := range []struct {
		observed fuzzer.Observed
		want     bool
	}{
		{fuzzer.Observed{Oracle: "assertion", Location: at("Kept")}, true},
		{fuzzer.Observed{Oracle: "property", Location: at("Kept")}, false},
		{fuzzer.Observed{Oracle: "assertion", Location: at("Twice")}, false},
		{fuzzer.Observed{Oracle: "assertion", Location: bytecode.Location{Code: 9_999}}, false},
	} {
		if got := seenIn(source+":Kept", "assertion", []fuzzer.Observed{c.observed}, &b); got != c.want {
			t.Errorf("%+v: %v", c.observed, got)
		}
	}
}

// TestPairInstances: calls may be made of the release build when it has the head's instances.
func TestPairInstances(t *testing.T) {
	token, vault := evm.Instance{Name: "token", Address: common.Address{1}}, evm.Instance{Name: "vault", Address: common.Address{2}}
	moved, renamed := vault, vault
	moved.Address, renamed.Name = common.Address{3}, "safe"
	for name, c := range map[string]struct {
		release []evm.Instance
		want    string
		moved   int
	}{
		"the same":   {[]evm.Instance{token, vault}, "", 0},
		"one more":   {[]evm.Instance{token, vault, moved}, "", 0},
		"one less":   {[]evm.Instance{token}, "vault", 0},
		"moved":      {[]evm.Instance{token, moved}, "", 1},
		"other name": {[]evm.Instance{token, renamed}, "vault", 0},
	} {
		if pairs, got := pairInstances(c.release, []evm.Instance{token, vault}); got != c.want || len(pairs) != c.moved {
			t.Errorf("%s: %q with %d moved, want %q", name, got, len(pairs), c.want)
		}
	}
}

// released are the head's deployment of a contract of testdata/release, and its release build, in which the target's code (nil:
// there is none) is what some calls run and others do not.
func released(t *testing.T, contract string, target *bytecode.Target, calls, without string) (Head, *Release) {
	t.Helper()
	debug, release := compiled(t, "release/debug"), compiled(t, "release/release")
	debug.Debug = true
	h := headOf(t, debug, contract)
	c := &change.Change{Given: []*compile.Output{release}, Outputs: []*compile.Output{debug}}
	if target != nil {
		outputs := deploy.Release(c)
		there := *target
		there.Entries = onlyIn(t, headOf(t, release, contract), calls, without)
		c.Release = &change.Release{Outputs: outputs, Table: bytecode.NewTable(compile.Contracts(outputs)), Targets: []bytecode.Target{there}}
	}
	r := DeployRelease(t.Context(), c, h)
	if r.all.Is != "" {
		t.Fatal(r.all)
	}
	return h, r
}

// runOn is what calls do on a deployment.
func runOn(t *testing.T, d *deploy.Deployment, seq input.Sequence) *evm.Execution {
	t.Helper()
	judge, err := d.NewJudge()
	if err != nil {
		t.Fatal(err)
	}
	exec, _, err := fuzzer.Replay(judge, Judging(d), seq)
	if err != nil {
		t.Fatal(err)
	}
	return exec
}

// TestTryTarget: calls reach a target on the release build if they do the same there, and write to the same words. Otherwise its
// code has to run, and in a call whose effects last if the head's did.
func TestTryTarget(t *testing.T) {
	for name, c := range map[string]struct {
		contract, calls string
		without         string // the target's code in the release build runs in calls, and not in these; empty: it has none
		kept            bool
		want            Result
	}{
		"same":                        {"Same", "Same.set(uint256) args (1)", "", true, Result{report.ReleaseConfirmed, ""}},
		"both revert":                 {"Same", "Same.set(uint256) args (99)", "", false, Result{report.ReleaseConfirmed, ""}},
		"other words":                 {"Writes", "Writes.set(uint256) args (1)", "", true, Result{report.ReleaseAbsent, "the same calls do not run it there, as far as the source map of optimized code tells"}},
		"other words, code runs":      {"Writes", "Writes.set(uint256) args (1)", "Writes.total()", true, Result{report.ReleaseConfirmed, ""}},
		"other words, code is undone": {"Writes", "Writes.set(uint256) args (1)\nWrites.fail(uint256) args (9)", "Writes.set(uint256) args (1)\nWrites.total()", true, Result{report.ReleaseAbsent, "the same calls do not run it there, as far as the source map of optimized code tells"}},
		"other words, both undone":    {"Writes", "Writes.set(uint256) args (1)\nWrites.fail(uint256) args (9)", "Writes.set(uint256) args (1)\nWrites.total()", false, Result{report.ReleaseConfirmed, ""}},
		"something else, code runs":   {"Returns", "Returns.set(uint256) args (1)", "Returns.total()", true, Result{report.ReleaseConfirmed, ""}},
		"something else":              {"Returns", "Returns.set(uint256) args (1)", "", true, Result{report.ReleaseAbsent, "the same calls do something else there: returns something else"}},
	} {
		t.Run(name, func(t *testing.T) {
			target := &bytecode.Target{Position: bytecode.Position{File: source, Line: 1}, Contract: source + ":" + c.contract}
			there := target
			if c.without == "" {
				there = nil
			}
			h, r := released(t, c.contract, there, c.calls, c.without)
			seq := parse(t, h, c.calls)
			exec := runOn(t, h.Deployment, seq)
			for range 2 {
				if got := r.TryTarget(target, seq, exec, c.kept, h.Deployment); got != c.want {
					t.Errorf("%+v, want %+v", got, c.want)
				}
			}
			if len(r.order) != 1 {
				t.Errorf("the calls ran %d times", len(r.order))
			}
			other := *target
			other.Position.Line++
			if got := r.TryTarget(&other, seq, exec, c.kept, h.Deployment); c.contract == "Writes" && got.Is != report.ReleaseAbsent {
				t.Errorf("a target without code there: %+v", got)
			}
		})
	}
	h, r := released(t, "Named", nil, "", "")
	seq := parse(t, h, "Named.set(uint256) args (1)")
	if got := r.TryTarget(&bytecode.Target{}, seq, runOn(t, h.Deployment, seq), true, h.Deployment); got.Is != report.ReleaseUnknown || !strings.HasPrefix(got.Reason, "its calls do not fit the project's release build: ") {
		t.Errorf("a function that the release build lacks: %+v", got)
	}
	known := &Release{all: Result{report.ReleaseSame, ""}}
	if got := known.TryTarget(nil, nil, nil, true, nil); got != known.all {
		t.Errorf("what was fuzzed: %+v", got)
	}
	if known.Note(nil, nil, nil); len(known.order) > 0 {
		t.Error("what was fuzzed is run again")
	}
}

// TestElsewhere: calls that do something else on the release build say that what is proved of the head is not proved of that, in
// the contract that they run.
func TestElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		contract, calls, target string
		want                    int
	}{
		"same":           {"Same", "Same.set(uint256) args (1)", "Same", 0},
		"something else": {"Returns", "Returns.set(uint256) args (1)", "Returns", 1},
		"elsewhere":      {"Returns", "Returns.set(uint256) args (1)", "Same", 0},
	} {
		h, r := released(t, c.contract, nil, "", "")
		seq := parse(t, h, c.calls)
		r.Note(seq, runOn(t, h.Deployment, seq), h.Deployment)
		if got := r.Elsewhere(&bytecode.Target{Contract: source + ":" + c.target}); len(got) != c.want {
			t.Errorf("%s: %d calls, want %d", name, len(got), c.want)
		}
	}
}

// TestReleaseEnds: what is wrong since a call succeeds, or since it fails, happens on the release build if it ends so there.
func TestReleaseEnds(t *testing.T) {
	h, r := released(t, "Same", nil, "", "")
	for _, c := range []struct {
		oracle *oracle.Oracle
		calls  string
		want   Result
	}{
		{oracle.LivenessLost, "Same.set(uint256) args (99)", Result{report.ReleaseConfirmed, ""}},
		{oracle.LivenessLost, "Same.set(uint256) args (1)", Result{report.ReleaseAbsent, "the last call succeeds there"}},
		{oracle.GuardLost, "Same.set(uint256) args (1)", Result{report.ReleaseConfirmed, ""}},
		{oracle.GuardLost, "Same.set(uint256) args (99)", Result{report.ReleaseAbsent, "the last call reverts there: too much"}},
		{oracle.GuardLost, "Same.set(uint256) args (99)\nSame.set(uint256) args (1)", Result{report.ReleaseConfirmed, ""}},
	} {
		f := &fuzzer.Finding{Oracle: c.oracle, Sequence: parse(t, h, c.calls)}
		if got := r.Try(f, h.Deployment.Space); got != c.want {
			t.Errorf("%s, %q: %+v, want %+v", c.oracle.ID, c.calls, got, c.want)
		}
	}
}

// TestReleaseSays: that nothing could be tried is said, unless there was nothing to try.
func TestReleaseSays(t *testing.T) {
	for _, c := range []struct {
		all  Result
		want string
	}{
		{Result{}, ""},
		{Result{report.ReleaseSame, ""}, ""},
		{Result{report.ReleaseUnknown, noRelease}, ""},
		{Result{report.ReleaseUnknown, "it could not be deployed"}, "it could not be deployed"},
	} {
		if got := (&Release{all: c.all}).Untried(); got != c.want {
			t.Errorf("%+v: %q", c.all, got)
		}
	}
	// A release build that has other instances is not the deployment that calls are of.
	debug, release := compiled(t, "release/debug"), compiled(t, "release/release")
	debug.Debug = true
	h := headOf(t, debug, "Same")
	h.Deployment.World.Instances = slices.Clone(h.Deployment.World.Instances)
	for i := range h.Deployment.World.Instances {
		h.Deployment.World.Instances[i].Name += "#2"
	}
	r := DeployRelease(t.Context(), &change.Change{Given: []*compile.Output{release}, Outputs: []*compile.Output{debug}}, h)
	if want := "Same#2 could not be deployed from the project's release build as it was for the campaign"; r.Untried() != want {
		t.Errorf("%q, want %q", r.Untried(), want)
	}
	fuzzed := &change.Change{Given: []*compile.Output{release, debug}, Outputs: []*compile.Output{debug}}
	if r := DeployRelease(t.Context(), fuzzed, h); r.all.Reason != noRelease {
		t.Errorf("one of the given builds is a debug build: %+v", r.all)
	}
	if r := DeployRelease(t.Context(), &change.Change{Outputs: []*compile.Output{debug}}, h); r.all.Reason != noRelease {
		t.Errorf("no build is given: %+v", r.all)
	}
}
