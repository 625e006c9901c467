package pipeline

import (
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/report"
)

// TestUnreachable: a proof holds for the code that it is about, and for the release build only
// where that is the same in generator and EVM version.
func TestUnreachable(t *testing.T) {
	output := func(ir bool) *compile.Output {
		return &compile.Output{Compiler: "0.8.30", Settings: compile.Settings{Known: true, ViaIR: ir},
			Contracts: []*compile.Contract{{Contract: bytecode.Contract{Source: "a.sol", Name: "A"}}}}
	}
	target := &bytecode.Target{Contract: "a.sol:A"}
	for _, test := range []struct {
		release bool // via IR
		want    string
		reason  string
	}{
		{false, report.Unreachable, "no call of A reaches it, whatever"},
		{true, report.Unreached, "no call reaches it in the code that was fuzzed, but that proves nothing here: legacy code was fuzzed, but the project ships via-IR code"},
	} {
		d := &describer{change: &change.Change{Given: []*compile.Output{output(test.release)}, Outputs: []*compile.Output{output(false)}}}
		if got, reason := d.unreachable(target); got != test.want || !strings.HasPrefix(reason, test.reason) {
			t.Errorf("%t: %s: %s", test.release, got, reason)
		}
	}
}
