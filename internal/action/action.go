// Package action runs Sightline as a GitHub Action: it turns the workflow's inputs and the
// event into the options of a run, and publishes the run's result on GitHub.
package action

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/github"
)

// Options are the parameters of [Run].
type Options struct {
	Stdout io.Writer
	Getenv func(string) string
	Now    func() time.Time
	Sleep  github.Sleep // between calls of an API
	Tool   report.Tool
}

// Run runs the action and returns the program's exit code. Everything that is printed may
// contain names and messages from the pull request, so it is written such that the runner
// cannot read it as a command.
func Run(ctx context.Context, o *Options) (int, error) {
	runner := github.NewRunner(o.Stdout, rand.Reader, o.Getenv)
	a := &action{o: o, runner: runner, out: runner.Log(), flags: pflag.NewFlagSet("action", pflag.ContinueOnError)}
	a.settings = config.New(a.flags)
	a.settings.RegisterAll()
	if a.step = runner.Input("step"); a.step == stepShard {
		a.settings.RegisterShard()
	}
	a.log = progress.NewLog(a.out, o.Now)
	a.log.OnSection = a.group
	code := a.main(ctx)
	if err := runner.Close(); err != nil {
		return exit.Failure, exit.CannotFuzz("the step's log cannot be written: %w", err)
	}
	return code, nil
}

// reportTime is the part of max-minutes reserved for judging findings, writing reports
// and calling GitHub: usually several seconds, and up to three minutes with retries and
// the wait for code scanning. A short run reserves a fifth of its time.
const reportTime = 3 * time.Minute

// action is one run of the action.
type action struct {
	o        *Options
	run      *github.Run
	runner   *github.Runner
	client   *github.Client // nil without a token
	out      io.Writer      // the step's log, safe to write to
	log      *progress.Log
	flags    *pflag.FlagSet
	settings *config.Settings
	inputs

	known *change.Known // what is compared; nil until it is known
	head  string        // the commit that is checked out; empty: unknown

	step string // of a campaign on several machines; empty: all of it

	files     map[string][]byte // of the run, as they were made, by name
	unwritten bool              // they are not in the output folder

	grouped bool // a group of the log is open
}

// group starts a foldable group of the log with a title; an empty title only ends the
// current one.
func (a *action) group(title string) {
	if a.grouped {
		a.runner.EndGroup()
	}
	if a.grouped = title != ""; a.grouped {
		a.runner.Group(title)
	}
}

// main runs the action and returns the exit code.
func (a *action) main(ctx context.Context) int {
	if a.step == stepShard {
		return a.shard(ctx)
	}
	r, err := a.fuzz(ctx)
	var code int
	switch {
	case err != nil:
		code = exitCode(ctx, err)
		if r, err = a.failed(ctx, err); err != nil {
			a.unwritten = true
			fmt.Fprintln(a.out, human.Clean(err.Error(), maxLogLine))
		}
	case errors.Is(ctx.Err(), context.Canceled):
		code = exit.Canceled
	case r == nil: // there is a plan, or the merge will do all of it
		a.publishPlan()
		return exit.Pass
	default:
		code = report.ExitCode(r.Verdict)
	}
	a.publish(ctx, r)
	return code
}

// maxLogLine bounds an error in the log, characters; compiler messages are long.
const maxLogLine = 4_000

// exitCode returns the exit code of a run that ended with an error.
func exitCode(ctx context.Context, err error) int {
	if errors.Is(ctx.Err(), context.Canceled) {
		return exit.Canceled
	}
	return exit.Code(err, exit.Failure)
}

// fuzz performs the run, from the environment to a written report; of a step that only plans
// there is none.
func (a *action) fuzz(ctx context.Context) (*report.Report, error) {
	start := a.o.Now()
	// The output folder is determined first, so that every other problem can be
	// described in a report.
	if err := a.readInputs(start); err != nil {
		return nil, err
	}
	limited, stop := context.WithDeadline(ctx, a.deadline)
	defer stop()
	r, err := a.compareAndFuzz(limited)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, exit.FixedBy(exit.CannotFuzz("max-minutes ran out before the campaign ended: raise it, or build the project in an earlier step (%w)", err),
			exit.Fix{Lines: fmt.Sprintf("# in the step of Sightline\n- with:\n    max-minutes: %d\n", 2*int(math.Ceil(a.deadline.Sub(start).Minutes())))})
	}
	return r, err
}

func (a *action) compareAndFuzz(ctx context.Context) (*report.Report, error) {
	a.log.Section("Change and build")
	defer a.group("")
	resolver := &github.BaseResolver{Run: a.run, Client: a.client, Token: a.runner.Input("token"), Source: headSource(a.run.Workspace), Base: a.namedBase()}
	defer resolver.Close()
	comparison, err := resolver.Compare(ctx)
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	if a.known, err = a.read(ctx, resolver, comparison); err != nil {
		return nil, err
	}
	a.head = comparison.Head
	if err := a.configure(ctx, resolver, comparison); err != nil {
		return nil, err
	}
	if !a.settings.Changed("disclosure") && !a.run.Repository.Private {
		if err := a.flags.Set("disclosure", config.DiscloseIntroduced); err != nil {
			return nil, err
		}
	}
	if err := a.refuseTracked(ctx, resolver, comparison); err != nil {
		return nil, err
	}
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	a.log.Line("compare %s", comparison.How)
	a.settings.Announce(a.log)
	if a.step == stepPlan {
		return nil, a.plan(ctx, o)
	}
	r, err := a.campaign(ctx, o)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(a.out)
	render := o.Output.Render
	render.Canceled = errors.Is(ctx.Err(), context.Canceled)
	return r, report.Terminal(a.out, r, render, a.log.Color())
}

// branchCheckedOut reports whether the head of the pull request was fuzzed instead
// of its merge commit.
func (a *action) branchCheckedOut() bool {
	return a.run.Name == github.PullRequest && a.head == a.run.Event.Head
}

// headSource returns a function that reads the sources of the checkout.
func headSource(workspace string) func(string) ([]byte, bool) {
	read := files.Below(workspace)
	return func(file string) ([]byte, bool) {
		if !change.IsSource(file) {
			return nil, false
		}
		text, err := read(file)
		return text, err == nil
	}
}

// failed writes the report of a run that ended with an error.
func (a *action) failed(ctx context.Context, err error) (*report.Report, error) {
	reason := strings.TrimSpace(err.Error())
	if errors.Is(ctx.Err(), context.Canceled) {
		reason = "the run was canceled before anything was fuzzed"
	}
	for line := range strings.Lines("ERROR  " + reason) { // a compiler's message has many lines
		fmt.Fprintln(a.out, human.Clean(line, maxLogLine))
	}
	o := a.settings.Unchecked()
	if !slices.Contains(config.FailLevels, o.Gate.FailOn) {
		o.Gate.FailOn = config.DefaultFailOn
	}
	if a.unwritten {
		o.Output.Dir = ""
	}
	o.Gate.Condition = "" // without a campaign there is nothing to evaluate it on
	a.equip(o)
	var diff report.Diff
	if a.known != nil {
		diff = a.known.About
	}
	trouble := a.trouble(err)
	for _, m := range trouble.AllFixes() {
		fmt.Fprintf(a.out, "\nwhat would help, in %s:\n", cmp.Or(human.Clean(m.File, maxLogLine), "the workflow"))
		for line := range strings.Lines(m.YAML) {
			fmt.Fprintln(a.out, "    "+strings.TrimRight(line, "\n"))
		}
	}
	return pipeline.Failed(o, diff, strings.Join(strings.Fields(reason), " "), trouble)
}
