package compare

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/report"
)

// Release is the build that the project releases, deployed as the head was. The build that
// was fuzzed may be a debug build, which is not deployed on any chain: findings are tried on
// the release build as well.
type Release struct {
	// Deployment is nil where the build is the one that was fuzzed, or could not be
	// deployed.
	Deployment *deploy.Deployment

	judge evm.Machine
	// all is the result for every finding without trying it: [report.ShippedSame] where
	// the fuzzed build is the release build, [report.ShippedUnknown] for a reason. Zero:
	// try it.
	all Result
}

// DeployRelease deploys the release build. Where that is not possible, the result for every
// finding says why.
func DeployRelease(ctx context.Context, c *change.Change, head Head) *Release {
	unknown := func(reason string) *Release { return &Release{all: Result{report.ShippedUnknown, reason}} }
	switch mapped := slices.ContainsFunc(c.Outputs, func(o *compile.Output) bool { return o.Debug }); {
	case !mapped:
		return &Release{all: Result{report.ShippedSame, ""}}
	case len(c.Given) == 0, slices.ContainsFunc(c.Given, func(o *compile.Output) bool { return o.Debug }):
		return unknown("the project's release build was not available")
	case slices.ContainsFunc(c.Given, func(o *compile.Output) bool { return o.Settings.Linked }):
		return unknown("the project's release build links libraries at fixed addresses, which hold no code here")
	case ctx.Err() != nil:
		return unknown("the run was canceled before that")
	}
	r := &Release{}
	var err error
	if r.Deployment, err = deploy.Make(ctx, deploy.NewBuild(deploy.Release(c), c.Paths), head.Recipe.Again(head.Deployment)); err != nil {
		return unknown(fmt.Sprintf("the project's release build could not be deployed: %v", err))
	}
	if r.judge, err = r.Deployment.NewJudge(); err != nil {
		return unknown(err.Error())
	}
	if name := elsewhere(r.Deployment.World.Instances, head.Deployment.World.Instances); name != "" {
		return unknown(fmt.Sprintf("%s could not be deployed from the project's release build as it was for the campaign", name))
	}
	return r
}

// elsewhere is the name of the first instance that is not at the same place in both Worlds,
// by which calls of one would mean another contract of the other; "" when there is none.
func elsewhere(release, head []evm.Instance) string {
	for i, want := range head {
		if i >= len(release) || release[i].Name != want.Name || release[i].Address != want.Address {
			return want.Name
		}
	}
	return ""
}

// Try says whether a finding of the head happens on the release build: the same oracle
// sees something in the same contract in the same calls.
func (r *Release) Try(f *fuzzer.Finding, head *input.Space) Result {
	if r.all.Is != "" {
		return r.all
	}
	d := r.Deployment
	seq, err := input.Parse(d.Space, input.Format(head, f.Sequence))
	if err != nil {
		return Result{report.ShippedUnknown, "its calls do not fit the project's release build: " + err.Error()}
	}
	exec, observed, err := fuzzer.Replay(r.judge, &fuzzer.Config{Space: d.Space, Oracles: oracle.Known()}, seq)
	if err != nil {
		return Result{report.ShippedUnknown, err.Error()}
	}
	if seenIn(f.Contract, f.Oracle.ID, observed, &d.Build) {
		return Result{report.ShippedConfirmed, ""}
	}
	last := exec.Calls[len(exec.Calls)-1]
	if last.Outcome == evm.Success {
		return Result{report.ShippedAbsent, "the last call succeeds there"}
	}
	return Result{report.ShippedAbsent, "the last call reverts there: " + last.Reason()}
}

// seenIn reports whether an oracle saw something in the code of a contract.
func seenIn(contract, oracleID string, observed []fuzzer.Observed, b *deploy.Build) bool {
	return slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		p := b.Table.Program(o.Location.Code)
		return o.Oracle == oracleID && p != nil && p.Contract != nil && p.Contract.QualifiedName() == contract
	})
}
