package action

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/report/github"
	"github.com/spf13/pflag"
)

// notInputs are the flags of a run that are not inputs of the action: the event
// determines what is compared, and the rest is for people at a terminal.
var notInputs = []string{"diff", "audit", "target", "schedule", "without", "omit-times"}

// isInput reports whether a flag of a run is an input. Settings that describe the World
// are only in the configuration.
func isInput(f *pflag.Flag) bool {
	return !config.DescribesWorld(f) && !slices.Contains(notInputs, f.Name)
}

// Inputs are the inputs of the action that are flags of a run, in order.
func Inputs() []string {
	var names []string
	config.All().VisitAll(func(f *pflag.Flag) {
		if isInput(f) {
			names = append(names, f.Name)
		}
	})
	return names
}

// inputs are the inputs that are not flags.
type inputs struct {
	comment  string   // when the pull request gets one
	upload   bool     // of alerts
	category string   // of code scanning
	sharded           // of a campaign on several machines
	issue    bool     // the default branch gets one
	labels   []string // of a new issue

	deadline         time.Time // of everything
	campaignDeadline time.Time
}

// Defaults of the action's own inputs.
const (
	commentAlways     = "always"
	commentOnFindings = "on-findings"
	commentNever      = "never"

	// defaultMaxMinutes is far more than a check takes (a build, and two minutes of fuzzing)
	// and far less than the six hours after which GitHub ends a job.
	defaultMaxMinutes = 30
	maxMaxMinutes     = 5 * 24 * 60 // GitHub's limit for jobs on self-hosted runners
)

// namedBase is the base named by the workflow or by the user who dispatched it. The
// configuration file's base does not count here: it is for people at a terminal.
func (a *action) namedBase() string {
	if base := a.runner.Input("base"); base != "" {
		return base
	}
	return a.run.DispatchBy
}

// readInputs reads the environment and the inputs.
func (a *action) readInputs(start time.Time) error {
	a.deadline = start.Add(defaultMaxMinutes * time.Minute)
	var err error
	if a.run, err = github.ReadRun(a.o.Getenv); err != nil {
		return exit.BadInput("%w", err)
	}
	if token := a.runner.Input("token"); token != "" {
		if a.client, err = github.NewClient(a.run, token, a.o.Now, a.o.Sleep); err != nil {
			return exit.BadInput("%w", err)
		}
	}
	// Paths in inputs are relative to the checkout, where a container starts anyway.
	if err := os.Chdir(a.run.Workspace); err != nil {
		return exit.BadInput("GITHUB_WORKSPACE: %w", err)
	}
	if err := a.setFlags(); err != nil {
		return err
	}
	if err := a.setOwn(start); err != nil {
		return err
	}
	if err := a.setSharded(); err != nil {
		return err
	}
	return a.checkRoot()
}

// checkRoot refuses a project's folder that leads out of the checkout: the input is the
// workflow's, but a pull request can make a link of the folder. What is not there is for
// those who read it to say.
func (a *action) checkRoot() error {
	root, err := filepath.Abs(a.settings.Value("root"))
	if err != nil {
		return exit.BadInput("the input root: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil //nolint:nilerr // said by others, see above
	}
	workspace, err := filepath.EvalSymlinks(a.run.Workspace)
	if err != nil {
		return exit.BadInput("GITHUB_WORKSPACE: %w", err)
	}
	if inside, err := filepath.Rel(workspace, root); err != nil || !filepath.IsLocal(inside) {
		return exit.CannotFuzz("the input root is %s, which leads out of the checkout, to %s: name a folder of the repository", human.Printable(a.settings.Value("root")), human.Printable(root))
	}
	return nil
}

// options returns the options of the run.
func (a *action) options() (*pipeline.Options, error) {
	o, err := a.settings.Resolve()
	if err != nil {
		return nil, err
	}
	o.Change.Known, o.Change.Strangers = a.known, true
	o.Change.Vouched = false // a workflow names builds, but others make them
	if !a.settings.Changed("verify-build") {
		o.Change.Verify = change.VerifyRequired
	}
	o.Campaign.Deadline = a.campaignDeadline
	o.Output.Pushed = human.Revision(a.run.Event.Head) // not the merge commit, which was never pushed
	a.equip(o)
	return o, nil
}

// equip sets the options that are the same for a run and for the report of a run
// that failed.
func (a *action) equip(o *pipeline.Options) {
	o.Tool, o.Now, o.Log = a.o.Tool, a.o.Now, a.log
	o.Output.Keep = func(files map[string][]byte) { a.files = files }
	if a.run == nil {
		return
	}
	r := &o.Output.Render
	r.FileURL, r.SummaryURL, r.Key, r.SHA = a.run.FileURL(a.run.SHA), a.run.RunURL(), a.key(), a.run.SHA
	r.Run, r.Category = strconv.Itoa(a.run.Number), a.category
	if r.Fuzzed, r.CommitURL = a.head, a.run.CommitURL(); a.run.Name == github.PullRequest && a.head != "" && !a.branchCheckedOut() {
		r.MergeOf = a.run.Event.Head
	}
	if a.branchCheckedOut() {
		r.FileURL = a.run.FileURL(a.head) // the merge commit has other lines
	}
}

// key names the series of comments: the job, and what distinguishes it from others
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

// setOwn reads the inputs that are not flags.
func (a *action) setOwn(start time.Time) error {
	a.comment = a.runner.Input("comment")
	if a.comment == "" {
		a.comment = commentAlways
	}
	if !slices.Contains([]string{commentAlways, commentOnFindings, commentNever}, a.comment) {
		return exit.BadInput("the input comment is %q; want always, on-findings or never", human.Printable(a.comment))
	}
	var err error
	if a.upload, err = a.truth("upload-sarif", true); err != nil {
		return err
	}
	if a.issue, err = a.truth("issue", false); err != nil {
		return err
	}
	a.labels = a.runner.Inputs("issue-label")
	if err := a.setDeadline(start); err != nil {
		return err
	}
	a.category = a.runner.Input("category")
	if a.category == "" {
		a.category = "sightline/" + a.run.Key
		if a.run.Name == github.Schedule {
			a.category = "sightline-schedule/" + a.run.Key // the whole project: its alerts belong to no pull request
		}
	}
	return nil
}

// truth reads an input that is true or false.
func (a *action) truth(name string, otherwise bool) (bool, error) {
	value := a.runner.Input(name)
	if value == "" {
		return otherwise, nil
	}
	is, err := strconv.ParseBool(value)
	if err != nil {
		return false, exit.BadInput("the input %s is %q; want true or false", name, human.Printable(value))
	}
	return is, nil
}

// setDeadline reads the input max-minutes.
func (a *action) setDeadline(start time.Time) error {
	minutes := float64(defaultMaxMinutes)
	if value := a.runner.Input("max-minutes"); value != "" {
		var err error
		if minutes, err = strconv.ParseFloat(value, 64); err != nil || !(minutes > 0 && minutes <= maxMaxMinutes) {
			return exit.BadInput("the input max-minutes is %q; want minutes, more than 0 and at most %d (5 days)", human.Printable(value), maxMaxMinutes)
		}
	}
	whole := time.Duration(minutes * float64(time.Minute))
	a.deadline = start.Add(whole)
	a.campaignDeadline = a.deadline.Add(-min(reportTime, whole/5))
	return nil
}
