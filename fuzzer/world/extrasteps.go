package world

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// extras runs the steps of a plan that come after whatever else makes the World.
type extras struct {
	*deployer
	planner *planner
}

// The configuration of another fuzzer was not written for Sightline: the steps that it
// describes are extra ones, after those that make the World otherwise, and run as far as
// they can.

// runExtraSteps runs a plan's ExtraSteps, and returns the contracts that a search is left to
// deploy: the wanted ones that no step deployed, and those that steps name without
// arguments.
func (e *extras) runExtraSteps(ctx context.Context, plan *Plan, wanted []*bytecode.Contract) ([]*bytecode.Contract, error) {
	if plan == nil {
		return wanted, nil
	}
	there := slices.Clone(e.instances) // they are set up, and not to be initialized again
	for i := range plan.ExtraSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := plan.ExtraSteps[i]
		instance, _, _ := strings.Cut(s.Message.Function, ".")
		if slices.ContainsFunc(there, func(in evm.Instance) bool { return in.Name == instance }) {
			continue
		}
		c, err := e.runExtraStep(ctx, &s)
		var wrong *PlanError
		switch {
		case errors.As(err, &wrong):
			e.report.Notes = append(e.report.Notes, wrong.Error())
		case err != nil:
			return nil, err
		case c == nil:
		case e.hasInstance(c):
			wanted = slices.DeleteFunc(slices.Clone(wanted), func(d *bytecode.Contract) bool { return c == d })
		case !slices.Contains(wanted, c) && !e.tried[c]:
			wanted = append(slices.Clip(wanted), c)
		}
	}
	return wanted, nil
}

// runExtraStep runs one step. It may return a contract that the World has to have in the
// end.
func (e *extras) runExtraStep(ctx context.Context, s *Step) (*bytecode.Contract, error) {
	if s.Contract == "" {
		return nil, e.callExtraStep(ctx, s)
	}
	c, err := e.build.plannedContract(s.Contract, s.Place)
	if err != nil || e.hasInstance(c) {
		return nil, err
	}
	inputs := c.ABI.Constructor.Inputs
	if s.Message.Named == nil && len(inputs) > 0 {
		return c, nil
	}
	if err := s.Message.order(inputs, "the constructor of "+c.Name); err != nil {
		return nil, err
	}
	_, err = e.planner.stepAndWrite(ctx, s) // a failure is in the report
	return c, err
}

func (e *extras) callExtraStep(ctx context.Context, s *Step) error {
	in, m, err := e.planner.plannedFunction(s)
	if err != nil {
		return err
	}
	if err := s.Message.order(m.Inputs, in.Name+"."+m.RawName); err != nil {
		return err
	}
	_, err = e.planner.stepAndWrite(ctx, s) // likewise
	return err
}

// order puts arguments that are given by name in the order of the parameters.
func (m *PlannedMessage) order(inputs abi.Arguments, of string) error {
	if m.Named == nil {
		return nil
	}
	for _, in := range inputs {
		i := slices.IndexFunc(m.Named, func(v NamedValue) bool { return v.Name == in.Name })
		if i < 0 {
			return planError(m.Place, "the argument %s of %s is missing", in.Name, of)
		}
		m.Arguments = append(m.Arguments, m.Named[i].Value)
	}
	if len(m.Named) > len(inputs) {
		return planError(m.Place, "%s has no %s that are given", of, count(len(m.Named)-len(inputs), "more argument"))
	}
	m.Named = nil
	return nil
}

// runAfter runs the steps that come after everything else. They are not written down among
// those that make the World: the plan has them.
func (e *extras) runAfter(ctx context.Context, plan *Plan) error {
	if plan == nil {
		return nil
	}
	for i := range plan.After {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := e.planner.step(ctx, &plan.After[i]) // what fails on the chain is in the report
		var wrong *PlanError
		if errors.As(err, &wrong) && plan.Lenient {
			e.report.Notes = append(e.report.Notes, wrong.Error())
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
