package compile

import (
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestRenameSources: contracts and links follow the names of their files, in the copy alone.
func TestRenameSources(t *testing.T) {
	o := &Output{Contracts: []*Contract{{
		Contract: bytecode.Contract{
			Source: "src/Vault.sol", Name: "Vault",
			Runtime: &bytecode.Code{Links: []bytecode.Link{{Library: "src/Math.sol:Math", Offset: 3}, {Library: "src/Other.sol:Math", Offset: 40}}},
		},
	}}}
	renamed := o.Copy()
	renamed.RenameSources(map[string]string{"src/Vault.sol": "src/Safe.sol", "src/Math.sol": "lib/Math.sol"})
	for name, c := range map[string]struct {
		output              *Output
		source, math, other string
	}{
		"the copy": {renamed, "src/Safe.sol", "lib/Math.sol:Math", "src/Other.sol:Math"},
		"itself":   {o, "src/Vault.sol", "src/Math.sol:Math", "src/Other.sol:Math"},
	} {
		got := c.output.Contracts[0]
		if got.Source != c.source || got.Runtime.Links[0].Library != c.math || got.Runtime.Links[1].Library != c.other {
			t.Errorf("%s: %s, links %v", name, got.Source, got.Runtime.Links)
		}
	}
}
