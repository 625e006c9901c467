package world

import (
	"context"
	"fmt"
)

// Many tests deploy what they test themselves, and not in setUp(). Where no set-up has made
// a contract with targets, a test function that does becomes part of the set-up: so the
// contract's arguments, and what was done to it first, are those of the tests.

// maxMakers bounds such functions of one World. Arbitrary; as for set-ups.
const maxMakers = 16

// runAlso runs test functions as long as they deploy what holds lines that no instance does;
// or those that options name.
func (fo *foundry) runAlso(ctx context.Context) error {
	s := fo.setups
	if s.strict() {
		return fo.runNamed(ctx)
	}
	used := 0
	for _, u := range s.used {
		if u.survey == nil {
			continue
		}
		for _, m := range u.survey.makes {
			if used == maxMakers {
				return nil
			}
			if s.gain(m.contracts) == 0 {
				continue
			}
			failure, err := fo.also(ctx, &s.tried[u.setUp], m.TestCall)
			if err != nil {
				return err
			}
			if failure == "" {
				used++
				s.hold(fo.instances)
			}
		}
	}
	return nil
}

// runNamed runs the test functions that options name.
func (fo *foundry) runNamed(ctx context.Context) error {
	s := fo.setups
	for i := range s.tried {
		up := &s.tried[i]
		for _, data := range s.Also[up.Contract.QualifiedName()] {
			m, err := up.Contract.ABI.MethodById(data)
			if err != nil || up.Failure != "" {
				continue
			}
			failure, err := fo.also(ctx, up, TestCall{Function: m.Sig, Data: data})
			if err != nil {
				return err
			}
			if failure != "" && s.Strict {
				return fmt.Errorf("%s cannot be set up: %s", up.Contract.QualifiedName(), failure)
			}
			if failure != "" {
				fo.report.Notes = append(fo.report.Notes, fmt.Sprintf("nothing of %s.%s is in the World: %s", up.Contract.QualifiedName(), m.Sig, failure))
			}
		}
	}
	return nil
}
