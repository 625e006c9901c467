package compile

import (
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestRename: contracts and links follow the new names, in the copy alone.
func TestRename(t *testing.T) {
	math := func() *Contract { return &Contract{Contract: bytecode.Contract{Source: "src/Math.sol", Name: "Math"}} }
	o := &Output{Contracts: []*Contract{math(), {
		Contract: bytecode.Contract{
			Source: "src/Vault.sol", Name: "Vault",
			Runtime: &bytecode.Code{Links: []bytecode.Link{{Library: "src/Math.sol:Math", Offset: 3}, {Library: "src/Other.sol:Math", Offset: 40}}},
		},
	}}}
	renamed := o.Copy()
	renamed.Rename(func(c *Contract) (source, name string) {
		if c.Name == "Math" {
			return "lib/Arithmetic.sol", "Arithmetic"
		}
		return c.Source, "Safe"
	})
	for name, c := range map[string]struct {
		output                *Output
		contract, math, other string
	}{
		"the copy": {renamed, "Safe", "lib/Arithmetic.sol:Arithmetic", "src/Other.sol:Math"},
		"itself":   {o, "Vault", "src/Math.sol:Math", "src/Other.sol:Math"},
	} {
		got := c.output.Contracts[1]
		if got.Name != c.contract || got.Runtime.Links[0].Library != c.math || got.Runtime.Links[1].Library != c.other {
			t.Errorf("%s: %s, links %v", name, got.Name, got.Runtime.Links)
		}
	}
}
