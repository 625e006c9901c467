package main

import (
	"encoding/json"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/report"
)

// layout is what solc says of a contract's state variables (Solidity
// documentation, "JSON Output" of storage).
type layout struct {
	Storage []struct {
		Label string `json:"label"`
		Slot  string `json:"slot"` // decimal
		Type  string `json:"type"`
	} `json:"storage"`
	Types map[string]struct {
		Label string `json:"label"`
	} `json:"types"`
}

// maxVariables bounds what is kept of one contract; a contract of a thousand state
// variables is generated.
const maxVariables = 1 << 10

// variables are the state variables of all contracts whose build has a layout. A
// layout that cannot be read is as good as none: it only names what a trace shows.
func variables(outputs []*build.Output) map[string][]report.Variable {
	all := map[string][]report.Variable{}
	for _, o := range outputs {
		for _, c := range o.Contracts {
			var l layout
			if json.Unmarshal(c.StorageLayout, &l) != nil || len(l.Storage) > maxVariables {
				continue
			}
			for _, s := range l.Storage {
				slot, err := uint256.FromDecimal(s.Slot)
				if err != nil {
					continue
				}
				all[c.QualifiedName()] = append(all[c.QualifiedName()], report.Variable{Name: s.Label, Slot: *slot, Type: l.Types[s.Type].Label})
			}
		}
	}
	return all
}
