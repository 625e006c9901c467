package world

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// FuzzAuto: no ABI makes deployment panic, hang or loop, however large or odd the
// types of its constructor and initializers are, and what was done makes the same World
// again.
func FuzzAuto(f *testing.F) {
	f.Add([]byte(parameterABI))
	f.Add([]byte(`[{"type":"constructor","stateMutability":"payable","inputs":[{"name":"a","type":"uint8[3][][2]"},{"name":"b","type":"function"}]}]`))
	f.Add([]byte(`[{"type":"function","name":"init","inputs":[{"name":"x","type":"tuple[]","components":[{"name":"y","type":"bytes32[]"}]}]},{"type":"fallback"}]`))
	f.Add([]byte(`[{"type":"constructor","inputs":[{"name":"","type":"fixed128x18"},{"name":"_","type":"int24"}]}]`))
	f.Add([]byte(`[{"type":"function","name":"transfer","inputs":[{"name":"","type":"address"},{"name":"","type":"uint256"}]},
		{"type":"function","name":"balanceOf","stateMutability":"view","inputs":[{"name":"","type":"address"}],"outputs":[{"name":"","type":"uint256"}]},
		{"type":"function","name":"approve","inputs":[{"name":"","type":"address"},{"name":"","type":"uint256"}]},
		{"type":"function","name":"X_ROLE","stateMutability":"view","inputs":[],"outputs":[{"name":"","type":"bytes32"}]},
		{"type":"function","name":"grantRole","inputs":[{"name":"","type":"bytes32"},{"name":"","type":"address"}]},
		{"type":"function","name":"hasRole","stateMutability":"view","inputs":[{"name":"","type":"bytes32"},{"name":"","type":"address"}]},
		{"type":"function","name":"createVault","inputs":[{"name":"token","type":"address"}]},
		{"type":"constructor","inputs":[{"name":"token","type":"address"},{"name":"x","type":"tuple","components":[{"name":"call","type":"int8"},{"name":"y","type":"function[]"}]}]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		parsed, err := bytecode.ParseABI(raw)
		if err != nil {
			return
		}
		c := artifact(t, "A")
		c.ABI, c.RawABI = parsed, raw
		table := bytecode.NewTable([]*bytecode.Contract{c, artifact(t, "B", "address")})
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		w, report, err := Auto(ctx, table, Options{Uninitialized: []string{"A"}})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := Auto(ctx, table, Options{Plan: &Plan{Steps: report.Steps}})
		if err != nil {
			t.Fatalf("%v, in %+v", err, report.Steps)
		}
		if diff := cmp.Diff(w.Accounts, again.Accounts, cmpopts.EquateEmpty()); diff != "" && len(report.Steps) > 0 {
			t.Errorf("the steps make another World (-first +again):\n%s\n%+v", diff, report.Steps)
		}
	})
}
