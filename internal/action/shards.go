package action

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/seal"
	"github.com/sightline-evm/sightline/internal/shard"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/github"
)

// Steps of a campaign on several machines, as the input step names them.
const (
	stepPlan  = "plan"  // reads the change and builds it, in the checkout
	stepShard = "shard" // fuzzes by the plan, without checkout, token and network
	stepMerge = "merge" // reports in the checkout what shards found
)

// sharded are the inputs of these steps.
type sharded struct {
	plan   string // file
	shards string // folder with what shards wrote
	quorum float64
	key    string // that seals what shards found; empty: it is not sealed
}

const (
	// sealedFile is what a shard writes with a key, in place of its folder.
	sealedFile = "shard.sealed"
	// defaultShards is where a merge looks, and defaultQuorum the share of the shards that it needs: half of
	// them have looked at every target about half as long as all.
	defaultShards = "sightline-shards"
	defaultQuorum = 0.5
)

// setSharded reads the inputs of a campaign on several machines.
func (a *action) setSharded() error {
	if !slices.Contains([]string{"", stepPlan, stepShard, stepMerge}, a.step) {
		return exit.BadInput("the input step is %q; want plan, shard, merge or nothing", human.Printable(a.step))
	}
	for _, input := range []struct {
		name  string
		steps []string
	}{{"plan", []string{stepPlan, stepShard, stepMerge}}, {"shard", []string{stepShard}}, {"shards", []string{stepMerge}}, {"quorum", []string{stepMerge}}} {
		if a.runner.Input(input.name) != "" && !slices.Contains(input.steps, a.step) {
			return exit.BadInput("the input %s belongs to the step %s, not to the step %q", input.name, input.steps[len(input.steps)-1], human.Printable(a.step))
		}
	}
	if a.step == "" {
		return nil
	}
	s := &a.sharded
	if s.plan = a.runner.Input("plan"); s.plan == "" {
		s.plan = plan.DefaultFile
	}
	s.quorum = defaultQuorum
	if value := a.runner.Input("quorum"); value != "" {
		var err error
		if s.quorum, err = strconv.ParseFloat(value, 64); err != nil || !(s.quorum >= 0 && s.quorum <= 1) {
			return exit.BadInput("the input quorum is %q; want a share from 0 to 1", human.Printable(value))
		}
	}
	if a.step == stepMerge {
		if s.shards = a.runner.Input("shards"); s.shards == "" {
			s.shards = defaultShards
		}
	}
	if s.key = a.runner.Input("shard-key"); s.key != "" {
		if err := seal.CheckSecret(s.key); err != nil {
			return exit.BadInput("the input shard-key: %w", err)
		}
	}
	return nil
}

// plan writes the plan. On a public repository, where only what a change introduced may be shown, what shards find
// must not lie open: without a key there is no plan, and the merge does all of it on one machine.
func (a *action) plan(ctx context.Context, o *pipeline.Options) error {
	if o.Output.OnlyIntroduced && a.sharded.key == "" {
		a.sharded.plan = ""
		a.notice("There is no plan for several machines: everyone can read this repository's artifacts, and what shards find may be live in deployed code before it is compared with the base. " +
			"The step merge fuzzes on one machine instead. Make 32 random characters a secret, and give it to all three steps as the input shard-key; pull requests from forks have no secrets, and stay on one machine.")
		return nil
	}
	if err := pipeline.Plan(ctx, o, a.sharded.plan); err != nil {
		return err
	}
	p, _, err := plan.ReadFile(a.sharded.plan, a.o.Tool.Name+" "+a.o.Tool.Version)
	if err != nil {
		return exit.CannotFuzz("the plan that was written cannot be read: %w", err)
	}
	if p.Nothing != "" {
		a.sharded.plan = "" // the merge says why, and no machine is started for that
	}
	return nil
}

// publishPlan hands the plan on.
func (a *action) publishPlan() {
	for _, w := range a.log.Warnings() {
		a.runner.Annotate(github.Annotation{Level: github.LevelWarning, Title: "Sightline", Message: human.Clean(w, maxLogLine)})
	}
	a.warn(a.runner.Output("plan", a.sharded.plan), "an output")
}

// campaign fuzzes, or takes what shards found. Without a plan there are none.
func (a *action) campaign(ctx context.Context, o *pipeline.Options) (*report.Report, error) {
	if a.step != stepMerge {
		return pipeline.Run(ctx, o)
	}
	if !files.IsRegular(a.sharded.plan) {
		a.log.Line("no plan %s: all of it is done here", human.Printable(a.sharded.plan))
		return pipeline.Run(ctx, o)
	}
	dirs, remove, err := a.openShards()
	defer remove()
	if err != nil {
		return nil, err
	}
	r, err := pipeline.Merge(ctx, o, &pipeline.Shards{Dirs: dirs, Plan: a.sharded.plan, Quorum: a.sharded.quorum})
	if errors.Is(err, shard.ErrNone) {
		return nil, exit.CannotFuzz("there is a plan %s, and no shard left anything in %s: see their jobs", human.Printable(a.sharded.plan), human.Printable(a.sharded.shards))
	}
	return r, err
}

// openShards are the folders of shards, opened where they are sealed.
func (a *action) openShards() (dirs []string, remove func(), err error) {
	dir, key := a.sharded.shards, a.sharded.key
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) { // nothing to fuzz, or nothing that was left
		return nil, func() {}, nil
	}
	if key == "" {
		return []string{dir}, func() {}, nil
	}
	sealed, err := sealedBelow(dir)
	if err != nil {
		return nil, func() {}, exit.BadInput("the input shards: %w", files.Plain(err))
	}
	opened, err := os.MkdirTemp("", "sightline-shards-")
	if err != nil {
		return nil, func() {}, exit.CannotFuzz("shards cannot be opened: %w", err)
	}
	remove = func() { _ = os.RemoveAll(opened) } // a folder for temporary files
	for i, file := range sealed {
		below := filepath.Join(opened, strconv.Itoa(i))
		if err := seal.Read(file, below, key); err != nil {
			return nil, remove, exit.BadInput("%s cannot be opened with the input shard-key: %w", human.Printable(file), err)
		}
		dirs = append(dirs, below)
	}
	return dirs, remove, nil
}

// sealedBelow finds the sealed shards in a folder and in its folders.
func sealedBelow(dir string) (found []string, err error) {
	folder, err := files.OpenFolder(dir, false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	for _, e := range entries { // in order
		file := filepath.Join(dir, e.Name(), sealedFile)
		if e.Type().IsRegular() && e.Name() == sealedFile {
			file = filepath.Join(dir, sealedFile)
		}
		if files.IsRegular(file) {
			found = append(found, file)
		}
	}
	return found, err
}

// shard fuzzes a part of a plan, and returns the exit code. It writes to the log, and to its folder.
func (a *action) shard(ctx context.Context) int {
	err := a.fuzzShard(ctx)
	if err != nil {
		a.print("ERROR  " + err.Error())
		return exitCode(ctx, err)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return exit.Canceled
	}
	return exit.Pass
}

func (a *action) fuzzShard(ctx context.Context) error {
	start := a.o.Now()
	if workspace := a.o.Getenv("GITHUB_WORKSPACE"); workspace != "" { // where the artifact with the plan is
		if err := os.Chdir(workspace); err != nil {
			return exit.BadInput("GITHUB_WORKSPACE: %w", err)
		}
	}
	if err := errors.Join(a.setDeadline(start), a.setSharded()); err != nil {
		return err
	}
	if err := a.flags.Set("plan", a.sharded.plan); err != nil {
		return err
	}
	if err := a.setFlags(); err != nil {
		return err
	}
	o, err := a.settings.ResolveShard(nil)
	if err != nil {
		return err
	}
	o.Tool, o.Now, o.Log = a.o.Tool, a.o.Now, a.log
	out := o.Dir
	if a.sharded.key != "" {
		if o.Dir, err = os.MkdirTemp("", "sightline-shard-"); err != nil {
			return exit.CannotFuzz("the shard cannot be sealed: %w", err)
		}
		defer os.RemoveAll(o.Dir)
	}
	if err := a.withinTime(ctx, o); err != nil || a.sharded.key == "" {
		return err
	}
	if err := seal.Write(filepath.Join(out, sealedFile), o.Dir, a.sharded.key); err != nil {
		return exit.CannotFuzz("the shard cannot be sealed: %w", err)
	}
	a.log.Line("sealed  %s", human.Printable(filepath.Join(out, sealedFile)))
	return nil
}

// withinTime fuzzes as long as max-minutes allows. A shard that runs out of time leaves what it has: its time limit
// must be that of the others.
func (a *action) withinTime(ctx context.Context, o *pipeline.ShardOptions) error {
	limited, stop := context.WithDeadline(ctx, a.campaignDeadline)
	defer stop()
	if _, err := pipeline.Shard(limited, o); err != nil {
		return err
	}
	if limited.Err() != nil && ctx.Err() == nil {
		a.log.Line("warn    max-minutes ran out before the campaign's limit: raise it, or plan with a lower timeout; what was found until now counts")
	}
	return nil
}

// print prints text that may hold a stranger's.
func (a *action) print(text string) {
	fmt.Fprintln(a.out, human.Clean(text, maxLogLine))
}
