package world

import (
	"context"
	"errors"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// addTwinsAndAfter adds what comes after everything else is deployed.
func (b *builder) addTwinsAndAfter(ctx context.Context, options *Options) error {
	if err := b.twins.addTwins(options.Twins); err != nil {
		return err
	}
	return b.runAfter(ctx, options.Plan)
}

// runAfter runs the steps that come after everything else. They are not written down among
// those that make the World: the plan has them.
func (b *builder) runAfter(ctx context.Context, plan *Plan) error {
	if plan == nil {
		return nil
	}
	for i := range plan.After {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := b.step(ctx, &plan.After[i]) // what fails on the chain is in the report
		var wrong *PlanError
		if errors.As(err, &wrong) && plan.Lenient {
			b.report.Notes = append(b.report.Notes, wrong.Error())
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place creates a contract at an address of the plan's choice, where none is.
func (b *builder) place(ctx context.Context, s *Step, c, seen *bytecode.Contract, address common.Address, how *creationOf) (string, error) {
	how.at = &address
	found, code, reason, err := b.construct(ctx, s, c, how)
	if reason != "" || err != nil {
		return reason, err
	}
	i := b.keep(c, 1, code, found)
	b.deps.noteMissing(c)
	b.rename(i, s.instanceName(), seen, found.arguments)
	return "", nil
}
