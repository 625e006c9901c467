package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/internal/worldfile"
	"github.com/sightline-evm/sightline/report"
)

// newReport starts a report.
func newReport(o *Options, diff report.Diff) *report.Report {
	r := &report.Report{Version: report.FormatVersion, Tool: o.Tool, FailOn: o.Gate.FailOn, Gate: o.Gate.Condition, MinReached: o.Gate.MinReached, Diff: diff}
	choice, panics := watching(o)
	r.Oracles = describeOracles(choice.Of(oracle.With(panics)))
	return r
}

// watching are the oracles that the options choose. What is wrong with them was said when they were read.
func watching(o *Options) (oracle.Choice, []byte) {
	choice, _ := oracle.Choose(o.Campaign.Oracles)
	panics, _ := oracle.PanicCodes(o.Campaign.Panics)
	return choice, panics
}

func describeOracles(all []*oracle.Oracle) []report.Oracle {
	var list []report.Oracle
	for _, o := range all {
		list = append(list, report.Oracle{ID: o.ID, Title: o.Title, SWC: o.SWC, CWE: o.CWE, Severity: o.Severity.String(), Doc: o.Doc, Remedy: o.Remedy})
	}
	return list
}

// finishUnfuzzed ends a run without targets. Storage layouts may clash all the same.
func (r *run) finishUnfuzzed(ctx context.Context) (*report.Report, error) {
	r.report.Lines = r.change.Lines()
	r.findClashes(ctx, nil)
	r.history.LeaveUntried(r.o.Log)
	return r.finish(ctx)
}

// finish decides the verdict, and writes the report with what may be disclosed.
func (r *run) finish(ctx context.Context) (*report.Report, error) {
	r.closeWorld()
	r.findSizes(ctx)
	if ctx.Err() != nil {
		r.o.Log.Warn("%s", cutShort(ctx))
	}
	report.Waive(r.report, r.o.Gate.Waivers, r.o.Now(), r.o.Change.Strangers)
	r.report.UnusedPermissions(r.unusedPermission)
	report.Decide(r.report)
	r.foundryTests()
	if r.o.Output.OnlyIntroduced {
		r.report.Withhold(r.change.Whole())
	}
	r.history.Write(r.report, r.sequence, r.o.Log)
	r.report.Warnings = slices.Concat(r.o.Log.Warnings(), r.report.Warnings)
	render := r.o.Output.Render
	render.Source, render.Canceled = r.change.Source, errors.Is(ctx.Err(), context.Canceled)
	if err := write(r.o, r.report, render, &r.files); err != nil {
		return nil, exit.BadInput("%w", err)
	}
	return r.report, nil
}

// unusedPermission warns of a waiver of a permission that accepts no finding, if the change has the contract
// that it names: it is misspelled, or not needed any more.
func (r *run) unusedPermission(w *report.Waiver, contract, function string) {
	if r.change.Mapping == nil || !r.change.HasBase() {
		return
	}
	is := func(c string) bool { return c == contract || bytecode.ShortName(c) == contract }
	at := slices.IndexFunc(r.change.Mapping.Targets, func(t bytecode.Target) bool { return is(t.Contract) })
	if at < 0 {
		return // whether it is needed is for changes of the contract to say
	}
	name, _, _ := strings.Cut(function, "(")
	for _, c := range r.change.Table.Contracts() {
		if !is(c.QualifiedName()) {
			continue
		}
		for _, m := range c.ABI.Methods {
			if m.Sig == function || m.RawName == function {
				r.o.Log.Warn("the waiver `allow: %s` accepted nothing: no finding says that anyone can call %s since this change; remove it once the change that needs it is merged", human.Printable(w.Allow), m.RawName)
				return
			}
		}
	}
	r.o.Log.Warn("the waiver `allow: %s` names a function that %s does not have: %s; correct it, or remove it", human.Printable(w.Allow), human.Printable(contract), human.Printable(name))
}

// closeWorld reports where the World came from, and keeps the files that make it again.
func (r *run) closeWorld() {
	d, recipe := r.head.Deployment, r.head.Recipe
	if d == nil {
		return
	}
	if c := recipe.Chain; c != nil {
		r.report.World.Chain = &report.Chain{ID: c.ID(), Block: c.Block().Number, Hash: c.Hash().Hex()}
		if err := c.Save(); err != nil {
			r.o.Log.Warn("the chain's answers could not be cached: %v", err)
		}
	}
	r.report.World.File = replay.WorldFile
	r.files.World = worldfile.Write(d, recipe, &r.o.World)
	r.files.Snapshot = &replay.Snapshot{World: d.World, Contracts: d.Contracts(), Lines: d.Positions.At,
		Deployable: d.Space.Options.Constructors, Variables: variables(d.Outputs), Harnesses: map[string]string{},
		Told: d.Setup.Told, Setups: replay.UsedSetups(d.Setup.TestSetups), Tester: d.Setup.Tester, Made: d.Setup.Made}
	for _, h := range r.change.Harnesses {
		r.files.Snapshot.Harnesses[h.File] = h.Source
	}
}

// foundryTests writes the findings as Foundry tests.
func (r *run) foundryTests() {
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		reproducer := r.files.Reproducers[f.Reproducer]
		if r.files.Snapshot == nil || reproducer == nil {
			continue
		}
		if f.Release == report.ReleaseAbsent {
			f.Test = &report.FoundryTest{Reason: "it does not happen in the project's own build, which forge runs"}
			continue
		}
		if r.head.Recipe.Chain != nil && f.UnderForge == nil {
			f.Test = &report.FoundryTest{Reason: "the World goes on from a live chain, whose state no test of this kind can name"}
			continue
		}
		test, err := r.files.Snapshot.FoundryTest(r.head.Deployment.Table, f.Reproducer, reproducer)
		if err != nil {
			f.Test = &report.FoundryTest{Reason: strings.TrimPrefix(err.Error(), f.Reproducer+": ")}
			continue
		}
		f.Test = &report.FoundryTest{Text: test.Text, Fails: test.Fails}
	}
}

// sequence is the text of a reproducer's calls.
func (r *run) sequence(path string) ([]string, bool) {
	reproducer := r.files.Reproducers[path]
	if reproducer == nil {
		return nil, false
	}
	return reproducer.Sequence, true
}

// cutShort says why a run ended before its limit.
func cutShort(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the run's time limit passed before its end: these are its results up to then"
	}
	return "the run was canceled before its limit: these are its results up to then"
}

// write writes all results to the output folder, and to a bundle if one was asked for.
func write(o *Options, r *report.Report, render report.Options, files *replay.Files) error {
	rendered, err := report.Render(r, render)
	if err != nil {
		return err
	}
	bundle, err := replay.Pack(r, rendered, files)
	if err != nil {
		return err
	}
	if o.Output.Keep != nil {
		o.Output.Keep(bundle)
	}
	if o.Output.Dir == "" {
		return nil
	}
	if err := bundle.WriteFolder(o.Output.Dir); err != nil || o.Output.Bundle == "" {
		return err
	}
	if r.BundleSHA256, err = bundle.WriteTar(o.Output.Bundle); err == nil {
		o.Log.Line("bundle  %s, SHA-256 %s", human.Printable(o.Output.Bundle), r.BundleSHA256)
	}
	return err
}

// Failed writes the report of a run that ended with an error, and returns it.
func Failed(o *Options, diff report.Diff, reason string, trouble *report.Trouble) (*report.Report, error) {
	r := newReport(o, diff)
	r.Trouble = trouble
	r.Verdict, r.Reason, r.Warnings = report.Error, reason, o.Log.Warnings()
	return r, write(o, r, o.Output.Render, &replay.Files{})
}
