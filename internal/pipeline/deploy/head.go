package deploy

import (
	"context"
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
)

// Options say how the World is made.
type Options struct {
	Setup   []string // test contracts whose setUp() makes it; [NoTests]: none; empty: those that deploy what changed
	Command string   // of the shell, a deploy script
	Env     []string // names of variables that the script may see
	State   string   // file with the state that it begins with
	RPC     string   // URL of a chain that it goes on from
	Block   uint64   // of that chain; 0: the latest
	Fork    string   // EVM version; empty: the one that the project is compiled for
	Plan    Plan
}

// Uses names what of the project makes the World by these options, besides what uses the change.
func (o *Options) Uses() []string {
	var uses []string
	if !noTests(o.Setup) {
		for _, name := range o.Setup {
			contract, _ := world.CutTest(name)
			uses = append(uses, contract)
		}
	}
	if o.Command != "" {
		uses = append(uses, o.Command)
	}
	for _, steps := range [][]world.Step{o.Plan.World.Steps, o.Plan.World.ExtraSteps} {
		for i := range steps {
			uses = append(uses, steps[i].Contract)
		}
	}
	return uses
}

// Head deploys the head of a change for its targets. It also returns the recipe by which
// other builds are deployed in the same way.
func Head(ctx context.Context, c *change.Change, o *Options, log *progress.Log) (*Deployment, *Recipe, error) {
	b := Build{Outputs: c.Outputs, Table: c.Table, Positions: diffmap.NewPositions(c.Outputs, c.Table, c.Paths)}
	r := recipeFor(c, &b)
	r.Plan = o.Plan
	var warning string
	if r.Fork, r.WhyFork, warning = chooseFork(c, o); warning != "" {
		log.Warn("%s", warning)
	}
	if err := r.readState(o); err != nil {
		return nil, nil, err
	}
	chain, err := o.openChain(ctx)
	if err != nil {
		return nil, nil, err
	}
	if chain != nil {
		r.startAt(chain, log)
	}
	if err := r.runScript(ctx, c, o, log); err != nil {
		return nil, nil, err
	}
	if err := o.check(c, r); err != nil {
		return nil, nil, err
	}
	var notes []string
	r.Tests, notes = testsFor(c, o.Setup)
	d, err := r.deployForked(ctx, b, c, o, log)
	if err != nil {
		return nil, nil, err
	}
	c.UseSpare(d.Setup.UsesSpare)
	if len(UsedTests(d.Setup)) > 0 {
		d.Setup.Notes = append(d.Setup.Notes, notes...)
	}
	return d, r, nil
}

// Edited deploys an edit of a head as the head was deployed, see [change.Change.Edited]. Where the head's World was chosen for its targets,
// the edit's is for those that it has: a smaller one.
func Edited(ctx context.Context, e *change.Change, head *Deployment, recipe *Recipe) (*Deployment, *Recipe, error) {
	b := Build{Outputs: e.Outputs, Table: e.Table, Positions: diffmap.NewPositions(e.Outputs, e.Table, e.Paths)}
	own, again := recipeFor(e, &b), recipe.Again(head)
	again.Entries, again.Constructors, again.Changed, again.Audit, again.Added, again.Altered = own.Entries, own.Constructors, own.Changed, own.Audit, own.Added, own.Altered
	if len(own.Targets) > 0 {
		again.Targets, again.Uninitialized = own.Targets, own.Uninitialized
	}
	d, err := Make(ctx, b, again)
	return d, again, err
}

// check refuses set-ups that are mutually exclusive, and those that do not exist.
func (o *Options) check(c *change.Change, r *Recipe) error {
	if len(o.Setup) > 0 && !noTests(o.Setup) && (len(r.Plan.World.Steps) > 0 || r.Script != nil) {
		return exit.BadInput("--setup %s cannot be combined with --setup-command or the configuration's deploy: each creates the World", strings.Join(o.Setup, ","))
	}
	return checkSetup(o.Setup, c.Table)
}

// deployForked makes a World whose tests may fork the chain of --rpc. Without --block, the
// block that a test forks is as good as the latest one, and better for the test.
func (r *Recipe) deployForked(ctx context.Context, b Build, c *change.Change, o *Options, log *progress.Log) (*Deployment, error) {
	if r.Tests == nil || r.Chain == nil {
		return Make(ctx, b, r)
	}
	allow := func() *forks {
		f := &forks{aliases: endpoints(c), id: r.Chain.ID(), block: r.Chain.Block().Number, given: o.Block != 0}
		r.Tests.Fork = f.check
		return f
	}
	first := allow()
	d, err := Make(ctx, b, r)
	if err != nil || first.given || first.wanted == 0 {
		return d, err
	}
	chain, err := o.openBlock(ctx, &first.wanted)
	if err != nil {
		return nil, err
	}
	r.startAt(chain, log)
	allow()
	d, err = Make(ctx, b, r)
	if err == nil {
		d.Setup.Notes = append(d.Setup.Notes, fmt.Sprintf("the World is at block %d, which a test forks; --block N chooses another", first.wanted))
	}
	return d, err
}

// Release copies the builds as the project has them: the release builds, where debug builds
// are fuzzed.
func Release(c *change.Change) []*compile.Output {
	var outputs []*compile.Output
	for _, o := range c.Given {
		outputs = append(outputs, o.Copy())
	}
	return outputs
}
