package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/github"
)

// This file is the entry point of the GitHub Action: the workflow's inputs and
// the event become the flags of a run. action_publish.go hands on what came of it.

// notInputs are the flags of a run that are no inputs of the action: the event
// says what is compared, and the rest is for people at a terminal.
var notInputs = []string{"diff", "target", "schedule", "without", "omit-times"}

// isInput reports whether a flag of a run is an input. What describes the World stands in
// the configuration.
func isInput(f *pflag.Flag) bool {
	_, plan := f.Value.(*planFlag)
	return !plan && !slices.Contains(notInputs, f.Name)
}

// Defaults of the action's own inputs.
const (
	commentAlways     = "always"
	commentOnFindings = "on-findings"
	commentNever      = "never"

	// defaultMaxMinutes is far above what a check takes (a build, and two minutes of
	// fuzzing) and far below the six hours after which GitHub ends a job.
	defaultMaxMinutes = 30
	maxMaxMinutes     = 5 * 24 * 60 // GitHub's limit for jobs on runners of one's own
)

// reportTime is what of max-minutes is kept for judging findings, writing reports
// and talking to GitHub: usually some seconds, with retries and the wait for code
// scanning up to three minutes. A short run keeps a fifth.
const reportTime = 3 * time.Minute

// action is one run of the action.
type action struct {
	p      *program
	run    *github.Run
	runner *github.Runner
	client *github.Client // nil without a token
	flags  *pflag.FlagSet

	project  projectFlags
	campaign campaignFlags
	output   outputFlags

	comment  string
	upload   bool
	category string
	head     string    // the commit that is checked out; empty: not known
	deadline time.Time // of everything
	warnings []string  // what the report has to say besides
}

// change is a diff that the caller of a run has at hand.
type change struct {
	diff  *diffmap.Diff
	about report.Diff
	whole bool // everything is new
}

// take makes the change what the project is about.
func (pr *project) take(c *change, root string) {
	pr.diff, pr.about, pr.whole = c.diff, c.about, c.whole
	if top, err := (&diffmap.Git{Root: root}).Top(); err == nil {
		pr.placeInRepository(top, root)
	}
}

func (p *program) actionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "action",
		Short: "Run as a step of a GitHub workflow",
		Long: `The entry point of the GitHub Action: finds out from the runner's environment what changed, fuzzes
it as "sightline run" does, and hands the result to GitHub: a comment on the pull request, alerts
of code scanning, the job's summary, annotations and outputs. Inputs are the flags of run under
their names (INPUT_FAIL-ON), and token, comment, upload-sarif, max-minutes and category; action.yml
describes them, docs/action.md how to set a workflow up.

Exit codes are those of run. That GitHub cannot be reached or refuses something is a warning and
changes none.`,
		Example: `  # in a workflow
  - uses: sightline-evm/sightline@v0`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runner := github.NewRunner(p.stdout, rand.Reader, os.Getenv)
			a := &action{p: p, runner: runner, flags: pflag.NewFlagSet("action", pflag.ContinueOnError)}
			// Everything that is printed from here on may hold names and messages of the
			// pull request: it goes where it cannot be read as a command.
			stdout := p.stdout
			p.stdout = runner.Log()
			defer func() { p.stdout = stdout }()
			a.main(cmd.Context())
			if err := runner.Close(); err != nil {
				return exit.CannotFuzz("the log of the step cannot be written: %w", err)
			}
			return nil
		},
	}
}

// main runs the action and sets the program's exit code.
func (a *action) main(ctx context.Context) {
	r, err := a.fuzz(ctx)
	if err != nil {
		a.runner.EndGroup() // what failed is not to be folded away
		a.p.exit = exitCode(ctx, err)
		if r, err = a.failed(ctx, err); err != nil {
			fmt.Fprintln(a.p.stdout, human.Clean(err.Error(), maxLogLine))
		}
	}
	a.publish(ctx, r)
}

// maxLogLine bounds an error in the log, characters; compilers say much.
const maxLogLine = 4_000

// exitCode is that of a run that ended with an error.
func exitCode(ctx context.Context, err error) int {
	if errors.Is(ctx.Err(), context.Canceled) {
		return exit.Canceled
	}
	return exit.Code(err, exit.Failure)
}

// fuzz is the run, from the environment to a written report.
func (a *action) fuzz(ctx context.Context) (*report.Report, error) {
	start := a.p.now()
	// The output folder is known first, so that everything else that is wrong can be
	// said in a report.
	if err := a.readInputs(start); err != nil {
		return nil, err
	}
	limited, stop := context.WithDeadline(ctx, a.deadline)
	defer stop()
	r, err := a.compareAndFuzz(limited)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, exit.CannotFuzz("max-minutes was used up before the campaign ended: raise it, or leave a build behind in an earlier step (%w)", err)
	}
	return r, err
}

func (a *action) compareAndFuzz(ctx context.Context) (*report.Report, error) {
	a.runner.Group("Change and build")
	resolver := &github.BaseResolver{Run: a.run, Client: a.client, Token: a.runner.Input("token"), Source: headSource(a.run.Workspace), Base: a.namedBase()}
	comparison, err := resolver.Compare(ctx)
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	if a.project.change, err = a.read(ctx, comparison); err != nil {
		return nil, err
	}
	a.project.base, a.head = comparison.Base, comparison.Head
	if a.branchCheckedOut() {
		a.output.render.FileURL = a.run.FileURL(a.head) // its lines are not those of the merge commit
	}
	a.output.pushed = human.Revision(a.run.Event.Head) // the merge commit is nobody's push
	if err := a.configure(ctx, resolver, comparison); err != nil {
		return nil, err
	}
	if !a.flags.Changed("disclosure") && !a.run.Repository.Private {
		a.output.disclose = discloseIntroduced
	}
	if err := errors.Join(a.campaign.check(), a.output.check()); err != nil {
		return nil, err
	}
	show := progress.NewLog(a.p.stdout, a.p.now)
	show.Line("compare %s", comparison.How)
	pr, err := a.p.loadProject(ctx, &a.project, show)
	if err != nil {
		return nil, err
	}
	pr.warnings = append(pr.warnings, a.warnings...)
	a.runner.EndGroup()
	a.runner.Group("Campaign")
	defer a.runner.EndGroup()
	return a.p.fuzz(ctx, pr, &a.campaign, &a.output, a.flags, show)
}

// branchCheckedOut reports whether the head of the pull request was fuzzed, instead
// of the commit that merging it gives.
func (a *action) branchCheckedOut() bool {
	return a.run.Name == github.PullRequest && a.head == a.run.Event.Head
}

// headSource serves the sources of the checkout.
func headSource(workspace string) func(string) ([]byte, bool) {
	read := files.Below(workspace)
	return func(file string) ([]byte, bool) {
		if !isSource(file) {
			return nil, false
		}
		text, err := read(file)
		return text, err == nil
	}
}

// namedBase is the base that the workflow or whoever started it names. The
// configuration file names none here: it says what people compare with.
func (a *action) namedBase() string {
	if base := a.runner.Input("base"); base != "" {
		return base
	}
	return a.run.DispatchBy
}

// readInputs reads the environment and the inputs.
func (a *action) readInputs(start time.Time) error {
	a.project.register(a.flags)
	a.campaign.register(a.flags)
	a.output.register(a.flags)
	a.deadline = start.Add(defaultMaxMinutes * time.Minute)
	var err error
	if a.run, err = github.ReadRun(os.Getenv); err != nil {
		return exit.BadInput("%w", err)
	}
	if token := a.runner.Input("token"); token != "" {
		if a.client, err = github.NewClient(a.run, token, a.p.now, a.p.sleep); err != nil {
			return exit.BadInput("%w", err)
		}
	}
	// Paths in inputs are relative to the checkout, which is where a container starts
	// anyway.
	if err := os.Chdir(a.run.Workspace); err != nil {
		return exit.BadInput("GITHUB_WORKSPACE: %w", err)
	}
	if err := a.setFlags(); err != nil {
		return err
	}
	if err := a.setOwn(start); err != nil {
		return err
	}
	a.output.render = report.Options{
		FileURL: a.run.FileURL(a.run.SHA), SummaryURL: a.run.RunURL(), Key: a.key(), SHA: a.run.SHA,
		Run: strconv.Itoa(a.run.Number), Category: a.category,
	}
	return nil
}

// key names the series of comments: the job, and what tells it apart from others
// of a matrix.
func (a *action) key() string {
	if named := a.runner.Input("category"); named != "" {
		return a.run.Key + "/" + named
	}
	return a.run.Key
}

// setFlags sets the flags that inputs name.
func (a *action) setFlags() error {
	var err error
	a.flags.VisitAll(func(f *pflag.Flag) {
		if err != nil || !isInput(f) {
			return
		}
		values := []string{a.runner.Input(f.Name)}
		if _, list := f.Value.(pflag.SliceValue); list {
			values = a.runner.Inputs(f.Name)
		}
		for _, value := range values {
			if value == "" {
				continue
			}
			if setErr := a.flags.Set(f.Name, value); setErr != nil {
				err = exit.BadInput("the input %s is %q; %s", f.Name, human.Printable(value), f.Usage)
			}
		}
	})
	return err
}

// setOwn reads the inputs that are no flags.
func (a *action) setOwn(start time.Time) error {
	a.comment = a.runner.Input("comment")
	if a.comment == "" {
		a.comment = commentAlways
	}
	if !slices.Contains([]string{commentAlways, commentOnFindings, commentNever}, a.comment) {
		return exit.BadInput("the input comment is %q; want always, on-findings or never", human.Printable(a.comment))
	}
	a.upload = true
	if value := a.runner.Input("upload-sarif"); value != "" {
		var err error
		if a.upload, err = strconv.ParseBool(value); err != nil {
			return exit.BadInput("the input upload-sarif is %q; want true or false", human.Printable(value))
		}
	}
	minutes := float64(defaultMaxMinutes)
	if value := a.runner.Input("max-minutes"); value != "" {
		var err error
		if minutes, err = strconv.ParseFloat(value, 64); err != nil || !(minutes > 0 && minutes <= maxMaxMinutes) {
			return exit.BadInput("the input max-minutes is %q; want minutes, more than 0 and at most %d (5 days)", human.Printable(value), maxMaxMinutes)
		}
	}
	whole := time.Duration(minutes * float64(time.Minute))
	a.deadline = start.Add(whole)
	a.campaign.deadline = a.deadline.Add(-min(reportTime, whole/5))
	a.category = a.runner.Input("category")
	if a.category == "" {
		a.category = "sightline/" + a.run.Key
		if a.run.Name == github.Schedule {
			a.category = "sightline-schedule/" + a.run.Key // all of the project: its alerts are no pull request's
		}
	}
	return nil
}

// read reads what is to be compared.
func (a *action) read(ctx context.Context, c *github.Comparison) (*change, error) {
	result := &change{about: report.Diff{Base: human.Revision(c.Base), Head: human.Revision(c.Head)}, whole: c.Base == "" && c.Patch == nil}
	var err error
	switch {
	case c.Patch != nil:
		result.about.Base = human.Revision(a.run.Event.Base)
		if result.diff, err = diffmap.ParseDiff(c.Patch, diffmap.Limits{}); err == nil {
			err = checkVisible(result.diff, c.How)
		}
	default:
		result.diff, err = (&diffmap.Git{Root: a.run.Workspace}).Between(ctx, c.Base, c.Head)
	}
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	if result.whole {
		result.about.Base = "an empty project"
	}
	result.about.Files = len(result.diff.Files)
	return result, nil
}

// configure reads the configuration file. Before a pull request is merged, that
// is the version of its base: the gate is not for those to set who have to pass
// it. An edit takes effect once it is merged.
func (a *action) configure(ctx context.Context, resolver *github.BaseResolver, c *github.Comparison) error {
	if a.run.Name != github.PullRequest && a.run.Name != github.MergeGroup {
		return a.project.configure(a.flags)
	}
	a.output.readFile = func(name string) ([]byte, error) { return a.baseFile(ctx, resolver, c, name) }
	defer a.warnOfEdits()
	if err := a.configureFromBase(ctx, resolver, c); err != nil {
		return err
	}
	root, err := a.project.absRoot()
	if err != nil {
		return err
	}
	a.project.foreign = readForeign(func(name string) ([]byte, error) {
		if !edited(a.project.change.diff, a.inRepository(name)) {
			return foreignIn(root)(name) // as the base has it
		}
		data, there, err := resolver.BaseFile(ctx, c, a.inRepository(name), maxConfig)
		if err == nil && !there {
			err = fs.ErrNotExist
		}
		return data, err
	})
	return a.project.foreign.apply(a.flags)
}

// configureFromBase reads the base's version of the configuration file.
func (a *action) configureFromBase(ctx context.Context, resolver *github.BaseResolver, c *github.Comparison) error {
	for _, file := range a.configurations() {
		data, there, err := resolver.BaseFile(ctx, c, file, maxConfig)
		if err != nil {
			return exit.CannotFuzz("configuration %s of the base cannot be read: %w", human.Printable(file), err)
		}
		if !there {
			continue
		}
		if err := applyConfig(data, a.flags); err != nil {
			return exit.BadInput("configuration %s of the base: %w", human.Printable(file), err)
		}
		return nil
	}
	if a.project.config != "" {
		return exit.BadInput("the input config names %s, which the base does not have: it counts once it is merged", human.Printable(a.project.config))
	}
	return nil
}

// inRepository is the path in the repository of a file that is named relative to
// the project's folder.
func (a *action) inRepository(name string) string {
	return path.Join(filepath.ToSlash(a.project.root), filepath.ToSlash(name))
}

// warnOfEdits says which files that decide what passes are changed in vain.
func (a *action) warnOfEdits() {
	files := a.configurations()
	for _, tool := range foreignTools {
		for _, name := range tool.files {
			files = append(files, a.inRepository(name))
		}
	}
	if a.output.waivers != "" {
		files = append(files, a.inRepository(a.output.waivers))
	}
	for _, file := range files {
		if edited(a.project.change.diff, file) {
			a.warnings = append(a.warnings, fmt.Sprintf("the pull request changes %s: the version of its base counts until it is merged", human.Printable(file)))
		}
	}
}

// baseFile reads a file that decides what passes, as the base has it.
func (a *action) baseFile(ctx context.Context, resolver *github.BaseResolver, c *github.Comparison, name string) ([]byte, error) {
	data, there, err := resolver.BaseFile(ctx, c, a.inRepository(name), maxConfig)
	if err == nil && !there {
		err = errors.New("the base does not have it: it counts once it is merged")
	}
	return data, err
}

// configurations are the files that may hold the configuration, relative to the
// repository.
func (a *action) configurations() []string {
	if a.project.config != "" {
		return []string{path.Clean(filepath.ToSlash(a.project.config))}
	}
	var files []string
	for _, name := range configFiles {
		files = append(files, path.Join(filepath.ToSlash(a.project.root), name))
	}
	return files
}

// edited reports whether a diff changes a file.
func edited(d *diffmap.Diff, file string) bool {
	return slices.ContainsFunc(d.Files, func(f diffmap.File) bool { return f.OldPath == file || f.NewPath == file })
}

// failed writes the report of a run that ended with an error.
func (a *action) failed(ctx context.Context, err error) (*report.Report, error) {
	reason := strings.TrimSpace(err.Error())
	if errors.Is(ctx.Err(), context.Canceled) {
		reason = "the run was canceled before anything was fuzzed"
	}
	r := newReport(&project{warnings: a.warnings}, defaultFailOn)
	if slices.Contains(failLevels, a.output.failOn) {
		r.FailOn = a.output.failOn
	}
	if a.project.change != nil {
		r.Diff = a.project.change.about
	}
	r.Verdict, r.Reason = report.Error, strings.Join(strings.Fields(reason), " ")
	for line := range strings.Lines("ERROR  " + reason) { // a compiler's message has many
		fmt.Fprintln(a.p.stdout, human.Clean(line, maxLogLine))
	}
	return r, a.p.write(&a.output, r, a.output.options(), &replay.Files{})
}
