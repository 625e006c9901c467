package compile

import (
	"encoding/json"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxVariables bounds the variables that are kept of one contract. Arbitrary; only generated
// contracts have a thousand.
const maxVariables = 1 << 10

// readVariables fills in where the contract's state variables are, as far as the build has a
// layout that can be read: without it, less is known of what a write means.
func (c *Contract) readVariables() {
	var layout struct {
		Storage []struct {
			Label  string `json:"label"`
			Slot   string `json:"slot"` // decimal
			Offset uint   `json:"offset"`
			Type   string `json:"type"`
		} `json:"storage"`
		Types map[string]struct {
			Bytes string `json:"numberOfBytes"` // decimal
		} `json:"types"`
	}
	c.Variables = nil
	if isNull(c.StorageLayout) || json.Unmarshal(c.StorageLayout, &layout) != nil || len(layout.Storage) > maxVariables {
		return
	}
	for _, s := range layout.Storage {
		const word = 32 // bytes of a slot
		slot, err := uint256.FromDecimal(s.Slot)
		if err != nil || s.Offset >= word {
			continue
		}
		v := bytecode.Variable{Name: s.Label, Slot: *slot, Slots: *uint256.NewInt(1), Offset: s.Offset}
		switch n, err := uint256.FromDecimal(layout.Types[s.Type].Bytes); {
		case err != nil:
		case n.GtUint64(word):
			v.Slots.AddUint64(n, word-1)
			v.Slots.Rsh(&v.Slots, 5) // of which a slot is 2^5
		case uint(n.Uint64())+s.Offset <= word:
			v.Bytes = uint(n.Uint64())
		}
		c.Variables = append(c.Variables, v)
	}
}
