package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/report"
)

// shipped is the World again, made of the build that the project ships. What was
// fuzzed may be a mapping build (design §2), which nobody deploys: findings are
// tried here as well.
type shipped struct {
	*campaign
	machine evm.Machine
	// standing is what can be said of every finding without trying it:
	// [report.ShippedSame] where the fuzzed build is the shipped one,
	// [report.ShippedUnknown] for a reason. Empty: try it.
	standing, reason string
}

// ship makes the shipped World. That it cannot be made is no error: the report
// says so.
func (c *campaign) ship(ctx context.Context) *shipped {
	s := &shipped{}
	switch mapped := slices.ContainsFunc(c.outputs, func(o *build.Output) bool { return o.Mapping }); {
	case !mapped:
		s.standing = report.ShippedSame
	case slices.ContainsFunc(c.given, func(o *build.Output) bool { return o.Mapping }):
		s.unknown("the project's own build was not at hand")
	case slices.ContainsFunc(c.given, func(o *build.Output) bool { return o.Settings.Linked }):
		s.unknown("the project's own build has libraries at fixed addresses, where nothing is here")
	case ctx.Err() != nil:
		s.unknown("the run was canceled before that")
	default:
		if err := s.deploy(ctx, c); err != nil {
			s.unknown(err.Error())
		}
	}
	return s
}

func (s *shipped) unknown(reason string) { s.standing, s.reason = report.ShippedUnknown, reason }

// deploy makes the World as the campaign's was made, with the shipped code.
func (s *shipped) deploy(ctx context.Context, fuzzed *campaign) error {
	var contracts []*bytecode.Contract
	for _, c := range build.Contracts(fuzzed.given) {
		contracts = append(contracts, copyContract(c)) // the fuzzed table may hold the same ones
	}
	table := bytecode.NewTable(contracts)
	pr := *fuzzed.project
	pr.table, pr.outputs = table, fuzzed.given
	var err error
	if s.campaign, err = deployWorld(ctx, &pr, fuzzed.again(), fuzzed.positions); err != nil {
		return fmt.Errorf("the project's own build could not be deployed: %w", err)
	}
	if s.machine, err = s.newJudge(); err != nil {
		return err
	}
	mine, theirs := s.world.Instances, fuzzed.world.Instances
	for i := range theirs {
		if i >= len(mine) || mine[i].Name != theirs[i].Name || mine[i].Address != theirs[i].Address {
			return fmt.Errorf("%s could not be deployed from the project's own build as it was for the campaign", theirs[i].Name)
		}
	}
	return nil
}

func copyContract(c *bytecode.Contract) *bytecode.Contract {
	clone := *c
	for _, code := range []**bytecode.Code{&clone.Creation, &clone.Runtime} {
		if *code != nil {
			own := **code
			*code = &own
		}
	}
	return &clone
}

// try reports whether a finding of the campaign happens on the shipped build: the
// same oracle sees something in the same contract in the same calls.
func (s *shipped) try(f *fuzzer.Finding, fuzzed *input.Space) (standing, reason string) {
	if s.standing != "" {
		return s.standing, s.reason
	}
	seq, err := input.Parse(s.space, input.Format(fuzzed, f.Sequence))
	if err != nil {
		return report.ShippedUnknown, "its calls do not fit the project's own build: " + err.Error()
	}
	exec, observed, err := fuzzer.Replay(s.machine, &fuzzer.Config{Space: s.space, Oracles: oracle.All()}, seq)
	if err != nil {
		return report.ShippedUnknown, err.Error()
	}
	if slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		p := s.table.Program(o.Location.Code)
		return o.Oracle == f.Oracle.ID && p != nil && p.Contract != nil && p.Contract.QualifiedName() == f.Contract
	}) {
		return report.ShippedConfirmed, ""
	}
	last := exec.Calls[len(exec.Calls)-1]
	if last.Outcome == evm.Success {
		return report.ShippedAbsent, "the last call succeeds there"
	}
	return report.ShippedAbsent, "the last call reverts there: " + last.Reason()
}
