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
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/report"
)

// TestRelease tries findings of the head on a release build, for which the base's sources
// stand in: what the two do differently is known.
func TestRelease(t *testing.T) {
	for _, c := range []struct{ contract, calls, want, reason string }{
		{"Kept", "Kept.spend(uint256) args (1234)", report.ShippedConfirmed, ""},
		{"Shifted", "Shifted.spend(uint256) args (152)", report.ShippedAbsent, "the last call succeeds there"},
		{"Guarded", "Guarded.spend(uint256) args (6)", report.ShippedAbsent, "the last call reverts there: too much"},
		{"Elsewhere", "Elsewhere.newer(uint256) args (9)", report.ShippedUnknown, "its calls do not fit the project's release build: "},
		{"Fresh", "Fresh.spend(uint256) args (3)", report.ShippedUnknown, "the project's release build could not be deployed: "},
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
		"what is fuzzed":      {t.Context(), given, given, report.ShippedSame, ""},
		"not at hand":         {t.Context(), debug, debug, report.ShippedUnknown, "the project's release build was not available"},
		"at fixed addresses":  {t.Context(), linked, debug, report.ShippedUnknown, "the project's release build links libraries at fixed addresses"},
		"the run was stopped": {canceled, given, debug, report.ShippedUnknown, "the run was canceled"},
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
