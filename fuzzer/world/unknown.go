package world

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Unknown lists the contracts and functions that a plan names and a build does not have, each an error of
// type *[PlanError]: a run ends with the first of them. Functions of instances that no step makes are left
// to the run.
func (p *Plan) Unknown(contracts []*bytecode.Contract) []error {
	b := &build{contracts: contracts, byRole: contracts}
	made := map[string]*bytecode.Contract{} // by the instance's name; nil: of a contract that is not known
	var found []error
	for _, s := range slices.Concat(p.Steps, p.After) {
		if s.Contract == "" {
			instance, function, _ := strings.Cut(s.Message.Function, ".")
			if c := made[instance]; c != nil {
				if _, err := functionNamed(c, function, s.Place); err != nil {
					found = append(found, err)
				}
			}
			continue
		}
		c, err := b.plannedContract(s.Contract, s.Place)
		if err == nil {
			c, err = b.seenAs(&s, c)
		}
		if err != nil {
			found = append(found, err)
		}
		made[s.instanceName()] = c
	}
	return found
}
