package pipeline

import (
	"context"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/report"
)

// ownTests are the project's own Foundry tests, which are run on planted mistakes as well; nil: they are not.
type ownTests struct {
	r *run
	// tests are those of one project: where mistakes are planted in several, of the first mistake's.
	tests *change.OwnTests
}

// openOwnTests has the tests run once without a mistake, if they are asked for, and says in the result why they cannot be.
func (r *run) openOwnTests(ctx context.Context, list []change.Planted, result *report.SelfCheck) *ownTests {
	if !r.o.SelfCheck.Tests || len(list) == 0 {
		return nil
	}
	result.Tests = &report.OwnTests{}
	tests, err := r.change.OpenOwnTests(ctx, list[0].File, func(command string) {
		r.o.Log.Line("forge   running your own tests, for the mistakes that are planted: %s", human.Printable(command))
	})
	if err != nil {
		result.Tests.Reason = human.OneLine(err)
		return nil
	}
	result.Tests.Failing = tests.Failing()
	return &ownTests{r, tests}
}

func (t *ownTests) close() {
	if t != nil {
		t.tests.Close()
	}
}

// try says which tests fail with a mistake.
func (t *ownTests) try(ctx context.Context, p *change.Planted, m *report.Mutant) {
	if t == nil || m.Result == report.Invalid || m.Result == report.Equivalent {
		return
	}
	failed, compiles, err := t.tests.Run(ctx, t.r.change.OnDisk(p.File), p.Text)
	if err != nil {
		t.r.o.Log.Warn("your own tests could not be run on a planted mistake: %s", human.OneLine(err))
		return
	}
	m.TestsFail, m.TestsBroken = failed, !compiles
}
