package compare

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// Release is the build that the project releases, deployed as the head was. The build that
// was fuzzed may be a debug build, which is not deployed on any chain: findings are tried on
// the release build as well.
type Release struct {
	// Deployment is nil where the build is the one that was fuzzed, or could not be
	// deployed.
	Deployment *deploy.Deployment

	judge   evm.Machine
	targets map[targetKey]*bytecode.Target // of the change, in this build's code
	moved   movedAddresses                 // of instances, since their code differs
	tried   map[string]*replayed           // by the sequence's text
	order   []*replayed                    // likewise, as they were tried

	// all is the result for every finding without trying it: [report.ReleaseSame] where
	// the fuzzed build is the release build, [report.ReleaseUnknown] for a reason. Zero:
	// try it.
	all Result
}

// DeployRelease deploys the release build. Where that is not possible, the result for every
// finding says why.
func DeployRelease(ctx context.Context, c *change.Change, head Head) *Release {
	unknown := func(reason string) *Release { return &Release{all: Result{report.ReleaseUnknown, reason}} }
	switch mapped := slices.ContainsFunc(c.Outputs, func(o *compile.Output) bool { return o.Debug }); {
	case !mapped:
		return &Release{all: Result{report.ReleaseSame, ""}}
	case len(c.Given) == 0, slices.ContainsFunc(c.Given, func(o *compile.Output) bool { return o.Debug }):
		return unknown(noRelease)
	case slices.ContainsFunc(c.Given, func(o *compile.Output) bool { return o.Settings.Linked }):
		return unknown("the project's release build links libraries at fixed addresses, which hold no code here")
	case ctx.Err() != nil:
		return unknown("the run was canceled before that")
	}
	r := &Release{targets: map[targetKey]*bytecode.Target{}, tried: map[string]*replayed{}}
	var build deploy.Build
	if s := c.Release; s != nil {
		build = deploy.Build{Outputs: s.Outputs, Table: s.Table, Positions: diffmap.NewPositions(s.Outputs, s.Table, c.Paths)}
		for i := range s.Targets {
			r.targets[keyOf(&s.Targets[i])] = &s.Targets[i]
		}
	} else {
		build = deploy.NewBuild(deploy.Release(c), c.Paths)
	}
	var err error
	if r.Deployment, err = deploy.Make(ctx, build, head.Recipe.Again(head.Deployment)); err != nil {
		return unknown(fmt.Sprintf("the project's release build could not be deployed: %v", err))
	}
	if r.judge, err = r.Deployment.NewJudge(); err != nil {
		return unknown(err.Error())
	}
	var name string
	if r.moved, name = pairInstances(r.Deployment.World.Instances, head.Deployment.World.Instances); name != "" {
		return unknown(fmt.Sprintf("%s could not be deployed from the project's release build as it was for the campaign", name))
	}
	return r
}

// Untried says why nothing can be tried on the release build; empty where it can, or there
// is none but what was fuzzed.
func (r *Release) Untried() string {
	if r.all.Is != report.ReleaseUnknown || r.all.Reason == noRelease {
		return ""
	}
	return r.all.Reason
}

// noRelease is the reason of projects that have no build of their own.
const noRelease = "the project's release build was not available"

// pairInstances pairs the instances of two Worlds, which calls name: those that CREATE2 put
// elsewhere, since their code differs, have the other World's address. lacking is the name of
// the first that the release build lacks or has under another name; empty when it has all.
func pairInstances(release, head []evm.Instance) (moved movedAddresses, lacking string) {
	moved = movedAddresses{}
	for i, want := range head {
		if i >= len(release) || release[i].Name != want.Name {
			return nil, want.Name
		}
		if release[i].Address != want.Address {
			moved[release[i].Address] = want.Address
		}
	}
	return moved, ""
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
		return Result{report.ReleaseUnknown, "its calls do not fit the project's release build: " + err.Error()}
	}
	if f.Oracle.Check == nil && f.Oracle.Examine == nil || f.Oracle == oracle.ThirdPartyLoss && !d.LooksAlone(f.Contract) {
		return r.ends(seq, f.Oracle != oracle.LivenessLost)
	}
	exec, observed, err := fuzzer.Replay(r.judge, Judging(d), seq)
	if err != nil {
		return Result{report.ReleaseUnknown, err.Error()}
	}
	if seenIn(f.Contract, f.Oracle.ID, observed, &d.Build) {
		return Result{report.ReleaseConfirmed, ""}
	}
	last := exec.Calls[len(exec.Calls)-1]
	if last.Outcome == evm.Success {
		return Result{report.ReleaseAbsent, "the last call succeeds there"}
	}
	return Result{report.ReleaseAbsent, "the last call reverts there: " + last.Reason()}
}

// ends is [Release.Try] for what is wrong since a call succeeds, or since it fails.
func (r *Release) ends(seq input.Sequence, succeeds bool) Result {
	exec, err := r.judge.Run(r.Deployment.Space.Encode(seq, nil))
	if err != nil {
		return Result{report.ReleaseUnknown, err.Error()}
	}
	switch last := exec.Calls[len(exec.Calls)-1]; {
	case (last.Outcome == evm.Success) == succeeds:
		return Result{report.ReleaseConfirmed, ""}
	case succeeds:
		return Result{report.ReleaseAbsent, "the last call reverts there: " + last.Reason()}
	}
	return Result{report.ReleaseAbsent, "the last call succeeds there"}
}

// targetKey is what a target is called in every build.
type targetKey struct {
	at       bytecode.Position
	contract string
}

func keyOf(t *bytecode.Target) targetKey { return targetKey{t.Position, t.Contract} }

// replayed is what came of a sequence on the release build.
type replayed struct {
	steps     []report.Step
	covered   []evm.Coverage
	different string // from what the head does
	elsewhere bool   // does the same, but writes to other words what they hold already
	err       error
}

// TryTarget says whether a sequence that reaches a target in the head, by this execution,
// reaches it in the release build as well; kept, in a call whose effects last. It does where
// the calls do the same, and write to the same words. Where they do not, code that stands for the target has to
// run: of lines that ran in optimized code by its source map, 1 in 10 had not, and as many had
// that it does not tell (0.8.30, legacy and via IR, measured on bench/linemap's contracts), so
// it does not decide alone.
func (r *Release) TryTarget(t *bytecode.Target, seq input.Sequence, exec *evm.Execution, kept bool, head *deploy.Deployment) Result {
	if r.all.Is != "" {
		return r.all
	}
	done := r.replay(seq, exec, head)
	switch {
	case done.err != nil:
		return Result{report.ReleaseUnknown, human.OneLine(done.err)}
	case done.different == "" && !done.elsewhere, r.enters(t, done, kept):
		return Result{report.ReleaseConfirmed, ""}
	case done.different == "":
		return Result{report.ReleaseAbsent, "the same calls do not run it there, as far as the source map of optimized code tells"}
	}
	return Result{report.ReleaseAbsent, "the same calls do something else there: " + done.different}
}

// enters reports whether code that stands for a target ran; kept, in a call whose effects
// last.
func (r *Release) enters(t *bytecode.Target, done *replayed, kept bool) bool {
	same := r.targets[keyOf(t)]
	if same == nil {
		return false
	}
	entered, lasts := fuzzer.Enters(r.Deployment.Table, same, &evm.Execution{Covered: done.covered})
	return lasts || entered && !kept
}

// Elsewhere finds calls among those that were tried that do something else in the release
// build than in the head, in the contract of a target that the head cannot reach: a proof of
// that is none for the release build then. nil where there are none.
func (r *Release) Elsewhere(t *bytecode.Target) []report.Step {
	for _, done := range r.order {
		if done.different != "" && slices.ContainsFunc(done.covered, func(c evm.Coverage) bool {
			p := r.Deployment.Table.Program(c.Code)
			return p != nil && p.Contract != nil && p.Contract.QualifiedName() == t.Contract
		}) {
			return done.steps
		}
	}
	return nil
}

// Note tries a sequence of the head's, whose execution this is, for [Release.Elsewhere].
func (r *Release) Note(seq input.Sequence, exec *evm.Execution, head *deploy.Deployment) {
	if r.all.Is == "" {
		r.replay(seq, exec, head)
	}
}

// replay runs a sequence on the release build, once.
func (r *Release) replay(seq input.Sequence, exec *evm.Execution, head *deploy.Deployment) *replayed {
	text := input.Format(head.Space, seq)
	if done := r.tried[text]; done != nil {
		return done
	}
	done := &replayed{}
	r.tried[text] = done
	r.order = append(r.order, done)
	d := r.Deployment
	own, err := input.Parse(d.Space, text)
	if err != nil {
		done.err = fmt.Errorf("its calls do not fit the project's release build: %w", err)
		return done
	}
	there, err := r.judge.Run(d.Space.Encode(own, nil))
	if err != nil {
		done.err = err
		return done
	}
	done.covered, done.steps = slices.Clone(there.Covered), replay.Steps(d.Space, own, there)
	done.different = differentBehavior(exec, there, [2]*evm.World{head.World, d.World}, r.moved)
	done.elsewhere = done.different == "" && !sameWrites(exec, there, r.moved)
	return done
}

// seenIn reports whether an oracle saw something in the code of a contract.
func seenIn(contract, oracleID string, observed []fuzzer.Observed, b *deploy.Build) bool {
	return slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		p := b.Table.Program(o.Location.Code)
		return o.Oracle == oracleID && p != nil && p.Contract != nil && p.Contract.QualifiedName() == contract
	})
}
