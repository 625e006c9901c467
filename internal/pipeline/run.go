// Package pipeline is the job: from a change to a written report. Its steps are the
// packages below it; for people it prints to the Log alone.
package pipeline

import (
	"cmp"
	"context"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/pipeline/upgrade"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// Run fuzzes what a pull request changed, and returns the report that it has written. An
// error is bad input or a failure to fuzz, see [exit.Code]; what is found is in the report.
func Run(ctx context.Context, o *Options) (*report.Report, error) {
	c, err := change.Read(ctx, o.Reading(), o.Log)
	if err != nil {
		return nil, err
	}
	defer c.StopCompiling()
	r := begin(o, c)
	if !c.HasTargets() {
		return r.finishUnfuzzed(ctx)
	}
	head, recipe, err := deploy.Head(ctx, c, &o.World, o.Log)
	if err != nil {
		return nil, err
	}
	if err := r.deployed(head, recipe); err != nil {
		return nil, err
	}
	mutants := r.plant()
	if err := r.work(ctx); err != nil {
		return nil, err
	}
	r.selfCheck(ctx, mutants)
	return r.finish(ctx)
}

// work fuzzes the head, compares what it does with the base, and describes what was found.
func (r *run) work(ctx context.Context) error {
	clashes := r.findClashes(ctx, r.head.Deployment)
	result, err := r.fuzz(ctx)
	if err != nil {
		return err
	}
	base, noBase := r.deployBase(ctx, result.Findings, clashes)
	compared := r.compare(ctx, result.Findings, base, noBase)
	r.compareEffect(ctx, result, base, noBase, &compared)
	if err := r.describe(result, compared); err != nil {
		return err
	}
	r.showClashes(clashes, base)
	r.history.Compare(r.report, r.head.Deployment, r.judge, r.o.Log)
	r.suite = result.Suite
	return nil
}

// run is a run under way, with its results so far.
type run struct {
	o         *Options
	change    *change.Change
	head      compare.Head // once deployed
	judge     evm.Machine  // on the head
	config    fuzzer.Config
	saved     []input.Sequence    // inputs that the campaign began with, before it trims them
	seeds     []string            // texts of inputs that the campaign begins with as well, as far as they fit
	suite     []input.Packed      // the campaign's, in the end
	planted   bool                // it is of a planted mistake, see selfCheck
	behaviors []*compare.Behavior // those of the report, in its order
	history   *compare.History
	oracles   oracle.Choice
	report    *report.Report
	files     replay.Files
}

// begin starts the report with what is known before anything runs.
func begin(o *Options, c *change.Change) *run {
	o.Log.Section("Campaign")
	r := &run{o: o, change: c, report: newReport(o, c.About)}
	r.report.Unread, r.report.Harnesses = c.Unread, c.Harnesses
	r.builds()
	r.tracefiles()
	r.oracles, _ = watching(o)
	if c.Audits() {
		r.report.Audit = &report.Audit{}
		for _, compared := range r.oracles.Of(oracle.Compared()) {
			if compared.Examine == nil {
				r.report.Audit.Without = append(r.report.Audit.Without, compared.ID)
			}
		}
	}
	if c.HasBase() {
		r.report.Oracles = append(r.report.Oracles, describeOracles(r.oracles.Of(oracle.Compared()))...)
	}
	r.history = compare.ReadHistory(o.Output.History, r.headName(), o.Log)
	if c.Mapping != nil {
		o.Log.Line("targets %s", c.DescribeMapping())
	}
	return r
}

// findClashes compares storage layouts.
func (r *run) findClashes(ctx context.Context, head *deploy.Deployment) []upgrade.Clash {
	if !r.oracles.Has(oracle.StorageLayout) || r.change.Audits() {
		return nil
	}
	return upgrade.Compare(ctx, r.change, head, r.report, r.o.Log)
}

// builds describes what is fuzzed, and warns where it may mean something else than what the
// project ships.
func (r *run) builds() {
	for i, b := range r.change.Outputs {
		out := report.Build{Origin: b.Origin, Compiler: b.Compiler, Debug: b.Debug, Contracts: len(b.Contracts),
			Generator: b.Generator(), EVMVersion: b.EVMVersion()}
		bytecode := r.change.BytecodeOf(b)
		out.Bytecode, out.BytecodeReason = bytecode.Is, bytecode.Why
		if i < len(r.change.Given) && r.change.Given[i] != b && !r.change.Given[i].Debug {
			out.ReleaseGenerator, out.ReleaseEVMVersion = r.change.Given[i].Generator(), r.change.Given[i].EVMVersion()
		}
		r.report.Builds = append(r.report.Builds, out)
		if different := r.change.DifferentCode(b); different != "" {
			r.o.Log.Warn("%s: %s (it gives no debug build): no line is called unreachable, and a line counts as reached only if it is reached in the project's own build too", b.Origin, different)
		}
	}
}

// tracefiles describes what the tracefiles of the project's tests say of the change.
func (r *run) tracefiles() {
	r.report.Tracefiles = r.change.Tracefiles()
	for _, t := range r.report.Tracefiles {
		r.o.Log.Line("tests   %s counts %s", human.Printable(t.File), human.Plural(t.Lines, "changed line"))
	}
}

// headName is the commit by which people know the head.
func (r *run) headName() string {
	return cmp.Or(r.o.Output.Pushed, r.report.Diff.Head)
}

// deployed keeps the World that is fuzzed, and prints it.
func (r *run) deployed(d *deploy.Deployment, recipe *deploy.Recipe) (err error) {
	r.head = compare.Head{Deployment: d, Recipe: recipe}
	r.o.Log.Line("world   %s", describeWorld(r.head))
	for _, text := range append(d.FailedTests(), d.Setup.Notes...) {
		r.o.Log.Line("        %s", human.Printable(text))
	}
	for _, text := range d.TooLarge() {
		r.o.Log.Warn("%s", text)
	}
	r.judge, err = d.NewJudge()
	return err
}

// deployBase deploys the base version, if there is one.
func (r *run) deployBase(ctx context.Context, findings []*fuzzer.Finding, clashes []upgrade.Clash) (*compare.Base, error) {
	if len(findings)+len(clashes) == 0 && !r.oracles.Compares() || r.change.Audits() {
		return nil, nil
	}
	if len(findings)+len(clashes) == 0 && r.config.Timeout > 0 && r.change.HasBase() {
		patient := func() (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, max(r.config.Timeout, basePatience), errBaseLate)
		}
		compiling, cancel := patient()
		_, _ = r.change.Base(compiling) // kept: compiling takes none of the time for deploying
		cancel()
		ctx, cancel = patient()
		defer cancel()
	}
	return compare.DeployBase(ctx, r.change, r.head, findings)
}

// compare tries findings on other versions of the code, and deploys the release build, on
// which reached lines are tried as well.
func (r *run) compare(ctx context.Context, findings []*fuzzer.Finding, base *compare.Base, noBase error) comparisons {
	with := comparisons{base: map[*fuzzer.Finding]compare.Result{}, release: compare.DeployRelease(ctx, r.change, r.head)}
	if why := with.release.Untried(); why != "" {
		r.o.Log.Warn("what was reached and found in the debug build could not be tried on the project's own: %s", why)
	}
	if len(findings) == 0 {
		return with
	}
	compare.Collisions(r.head.Deployment, r.judge, findings) // what fails without one counts
	budget := &compare.Budget{Config: r.config, Saved: r.saved}
	if r.change.Audits() {
		for _, f := range findings {
			with.base[f] = compare.Result{Is: report.NoBase}
		}
	} else {
		with.base = compare.Findings(ctx, findings, r.head.Deployment, base, noBase, r.change.IsNew, budget, r.o.Log)
	}
	with.collisions = map[*fuzzer.Finding]collision{}
	for f, found := range compare.Collisions(r.head.Deployment, r.judge, findings) {
		with.collisions[f] = collision{found, base != nil && base.Passes(r.head.Deployment, f.Sequence)}
	}
	with.forge = r.runUnderForge(ctx, findings, with.base)
	return with
}

// showClashes demonstrates storage layout clashes on go-ethereum. Where the base has no
// World, they stay as they were detected from compiler output.
func (r *run) showClashes(clashes []upgrade.Clash, base *compare.Base) {
	if len(clashes) == 0 || base == nil || base.Deployment == nil {
		return
	}
	if err := upgrade.Show(clashes, r.report, r.head.Deployment, base.Deployment, &r.files); err != nil {
		r.o.Log.Warn("storage layout clashes could not be demonstrated: %v", err)
	}
}
