package world

import (
	"context"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// FuzzAuto: no ABI makes deployment panic, hang or loop, however large or odd the
// types of its constructor and initializers are.
func FuzzAuto(f *testing.F) {
	f.Add([]byte(parameterABI))
	f.Add([]byte(`[{"type":"constructor","stateMutability":"payable","inputs":[{"name":"a","type":"uint8[3][][2]"},{"name":"b","type":"function"}]}]`))
	f.Add([]byte(`[{"type":"function","name":"init","inputs":[{"name":"x","type":"tuple[]","components":[{"name":"y","type":"bytes32[]"}]}]},{"type":"fallback"}]`))
	f.Add([]byte(`[{"type":"constructor","inputs":[{"name":"","type":"fixed128x18"},{"name":"_","type":"int24"}]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		parsed, err := bytecode.ParseABI(raw)
		if err != nil {
			return
		}
		c := artefact(t, "A")
		c.ABI, c.RawABI = parsed, raw
		table := bytecode.NewTable([]*bytecode.Contract{c, artefact(t, "B", "address")})
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if _, _, err := Auto(ctx, table, Options{Uninitialized: []string{"A"}}); err != nil {
			t.Fatal(err)
		}
	})
}
