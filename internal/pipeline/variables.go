package pipeline

import (
	"encoding/json"
	"strconv"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/replay"
)

// storageLayout is what solc says of a contract's state variables (Solidity
// documentation, "JSON Output" of storage).
type storageLayout struct {
	Storage []struct {
		Label  string `json:"label"`
		Slot   string `json:"slot"` // decimal
		Offset uint   `json:"offset"`
		Type   string `json:"type"`
	} `json:"storage"`
	Types map[string]struct {
		Label string `json:"label"`
		Bytes string `json:"numberOfBytes"` // decimal
	} `json:"types"`
}

// wordBytes is the length of a slot.
const wordBytes = 32

// maxVariables bounds the variables that are kept of one contract. Arbitrary; only generated
// contracts have a thousand.
const maxVariables = 1 << 10

// variables are the state variables of all contracts whose build has a layout. Layouts that
// cannot be read are left out: they only serve to name storage in traces.
func variables(outputs []*compile.Output) map[string][]replay.Variable {
	all := map[string][]replay.Variable{}
	for _, o := range outputs {
		for _, c := range o.Contracts {
			var l storageLayout
			if json.Unmarshal(c.StorageLayout, &l) != nil || len(l.Storage) > maxVariables {
				continue
			}
			for _, s := range l.Storage {
				slot, err := uint256.FromDecimal(s.Slot)
				if err != nil || s.Offset >= wordBytes {
					continue
				}
				v := replay.Variable{Name: s.Label, Slot: *slot, Offset: s.Offset, Type: l.Types[s.Type].Label}
				if n, err := strconv.ParseUint(l.Types[s.Type].Bytes, 10, 8); err == nil && uint(n)+s.Offset <= wordBytes {
					v.Bytes = uint(n)
				}
				all[c.QualifiedName()] = append(all[c.QualifiedName()], v)
			}
		}
	}
	return all
}
