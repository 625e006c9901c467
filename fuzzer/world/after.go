package world

import (
	"context"
	"errors"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

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

// place creates a contract at an address of the plan's choice, where none is.
func (p *planner) place(ctx context.Context, s *Step, c, seen *bytecode.Contract, address common.Address, how *creationOf) (string, error) {
	how.at = &address
	found, code, reason, err := p.construct(ctx, s, c, how)
	if reason != "" || err != nil {
		return reason, err
	}
	i := p.keep(c, 1, code, found)
	p.deps.noteMissing(c)
	p.rename(i, s.instanceName(), seen, found.arguments)
	return "", nil
}
