package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// campaign is a project with its World and, once run, what came of it.
type campaign struct {
	*project
	deployment deployment
	world      *evm.World
	setup      *world.Report
	space      *input.Space
	config     fuzzer.Config
	result     *fuzzer.Result
	positions  *diffmap.Positions
	recalled   []input.Sequence // findings of earlier runs
	limits     report.Limits    // as asked for; a deadline of the caller may cut them
	began      *report.Corpus   // the saved inputs before the run; nil: none
	saved      []input.Sequence // these, before the campaign trims them
	silent     bool             // of findings, until it is known that the change introduced them
	old        *baseline        // the base's World, see baseOnce; nil: not made
	oldErr     error            // why it cannot be
}

// deployment is what the World is made for. Contracts are qualified names, which
// say the same of every build of the project.
type deployment struct {
	targets       []string        // contracts with targets
	uninitialized []string        // those whose initializers hold targets
	constructors  map[string]bool // those whose constructors do: sequences deploy them, too
	setup         *world.Setup    // the project's tests that may make it; nil: none
	plan          *worldPlan      // what the configuration says of it
	fork          string
}

// deploy makes the World for the targets.
func deploy(ctx context.Context, pr *project, flags *campaignFlags, show *progress.Log) (*campaign, error) {
	if len(flags.setup) > 0 && !isNone(flags.setup) && (len(flags.plan.Steps) > 0 || flags.plan.Recorded != nil) {
		return nil, exit.BadInput("--setup %s, and the configuration's deploy or --setup-command makes the World: leave out one of them", strings.Join(flags.setup, ","))
	}
	if err := checkSetup(flags.setup, pr.table); err != nil {
		return nil, err
	}
	positions := diffmap.NewPositions(pr.outputs, pr.table, pr.options)
	setup, notes := pr.setupFor(flags.setup)
	flags.plan.foreign.changed = changedFunctions(pr.mapping, positions)
	d := deployment{
		targets:       targetContracts(pr.mapping),
		uninitialized: changedInitializers(pr.mapping, positions),
		constructors:  changedConstructors(pr.mapping, pr.table),
		setup:         setup,
		plan:          &flags.plan,
		fork:          flags.fork,
	}
	c, err := deployForked(ctx, pr, &d, flags, positions, show)
	if err == nil && len(usedSetUps(c.setup)) > 0 {
		c.setup.Notes = append(c.setup.Notes, notes...)
	}
	return c, err
}

// deployForked makes a World whose tests may fork the chain of --rpc. Where no --block was
// given, the block that a test forks is as good as the latest one, and better for the test.
func deployForked(ctx context.Context, pr *project, d *deployment, flags *campaignFlags, positions *diffmap.Positions, show *progress.Log) (*campaign, error) {
	forks := flags.forks(pr)
	if d.setup == nil || forks == nil {
		return deployWorld(ctx, pr, *d, positions)
	}
	d.setup.Fork = forks.check
	c, err := deployWorld(ctx, pr, *d, positions)
	if err != nil || forks.given || forks.wanted == 0 {
		return c, err
	}
	wanted := forks.wanted
	if err := flags.openBlock(ctx, &wanted, show); err != nil {
		return nil, err
	}
	again := flags.forks(pr)
	d.setup.Fork = again.check
	c, err = deployWorld(ctx, pr, *d, positions)
	if err == nil {
		c.setup.Notes = append(c.setup.Notes, fmt.Sprintf("block %d is the one that a test forks; --block N is another", wanted))
	}
	return c, err
}

// deployWorld makes a World. Code-size limits are lifted: mapping builds are
// larger than what is shipped.
func deployWorld(ctx context.Context, pr *project, d deployment, positions *diffmap.Positions) (*campaign, error) {
	w, setup, err := world.Make(ctx, pr.table, world.Options{
		Targets: d.targets, Uninitialized: d.uninitialized, Setup: d.setup, Plan: d.plan.on(pr.table), Fork: d.fork,
		Machine: []evm.Option{evm.LiftCodeSizeLimits},
	})
	var wrong *world.PlanError
	if errors.As(err, &wrong) {
		return nil, exit.BadInput("configuration, deploy: %w", err)
	}
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	c := &campaign{project: pr, deployment: d, world: w, setup: setup, positions: positions}
	options := input.SpaceOptions{Constructors: changedDeployments(setup, d.constructors), Called: d.plan.called()}
	if d.plan != nil {
		f := &d.plan.foreign
		w.Properties, options.MaxValue, options.MaxTime, options.MaxBlocks = f.prefixes, f.maxValue, f.maxTime, f.maxBlocks
	}
	for _, pattern := range d.plan.unused(w) {
		setup.Notes = append(setup.Notes, fmt.Sprintf("calls: nothing that can be called is named like %q", pattern))
	}
	c.space, err = input.NewSpace(w, options)
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	return c, nil
}

// changedDeployments lists what sequences may deploy, each contract once.
func changedDeployments(setup *world.Report, constructors map[string]bool) []input.Deployment {
	var deployments []input.Deployment
	seen := map[*bytecode.Contract]bool{}
	add := func(c *bytecode.Contract, code []byte) {
		if constructors[c.QualifiedName()] && !seen[c] {
			seen[c] = true
			deployments = append(deployments, input.Deployment{Contract: c, Code: code})
		}
	}
	for _, d := range setup.Deployments {
		if !d.Contract.Library && d.Code != nil {
			add(d.Contract, d.Code)
		}
	}
	for _, f := range setup.Failures {
		if f.Code != nil {
			add(f.Contract, f.Code)
		}
	}
	return deployments
}

// targetContracts names the contracts that hold targets.
func targetContracts(m *diffmap.Mapping) []string {
	var names []string
	for _, t := range m.Targets {
		if !slices.Contains(names, t.Contract) {
			names = append(names, t.Contract)
		}
	}
	return names
}

// changedInitializers names the contracts with targets in functions that set them
// up once: an instance of them stays as its constructor made it.
func changedInitializers(m *diffmap.Mapping, positions *diffmap.Positions) []string {
	var names []string
	for _, t := range m.Targets {
		for _, entry := range t.Entries {
			if name, ok := positions.FunctionAt(entry); ok && world.IsInitializer(name) && !slices.Contains(names, t.Contract) {
				names = append(names, t.Contract)
			}
		}
	}
	return names
}

// changedFunctions names the functions with targets, "Vault.deposit".
func changedFunctions(m *diffmap.Mapping, positions *diffmap.Positions) map[string]bool {
	changed := map[string]bool{}
	for _, t := range m.Targets {
		for _, entry := range t.Entries {
			if name, ok := positions.FunctionAt(entry); ok {
				changed[contractName(t.Contract)+"."+name] = true
			}
		}
	}
	return changed
}

// changedConstructors are the contracts with targets in their creation code:
// sequences may deploy them again, with fuzzed arguments.
func changedConstructors(m *diffmap.Mapping, table *bytecode.Table) map[string]bool {
	changed := map[string]bool{}
	for _, t := range m.Targets {
		for _, entry := range t.Entries {
			if p := table.Program(entry.Code); p != nil && p.Code.Kind == bytecode.Creation {
				changed[p.Contract.QualifiedName()] = true
			}
		}
	}
	return changed
}

// deploymentSeeds are the World's own deployments as calls: they reach what
// changed in a constructor.
func (c *campaign) deploymentSeeds() []input.Sequence {
	var seeds []input.Sequence
	for _, d := range c.setup.Deployments {
		for i := range c.space.Instances {
			in := &c.space.Instances[i]
			if !in.Fresh || in.Contract != d.Contract {
				continue
			}
			constructor := in.Functions[len(in.Functions)-1] // see input.Instance
			args, err := input.Decode(constructor.Inputs, d.Call.Data[len(d.Code):])
			if err != nil {
				continue // larger than what sequences hold
			}
			seeds = append(seeds, input.Sequence{{Instance: i, Function: constructor, Args: args, Value: d.Call.Value}})
		}
	}
	return seeds
}

// maxExampleSeeds bounds the sequences that are taken from tests. Arbitrary: some
// seconds of a campaign at the most.
const maxExampleSeeds = 4096

// exampleSeeds are the calls that the project's tests make, up to each of them: a
// campaign goes on from the last call of a sequence.
func (c *campaign) exampleSeeds() []input.Sequence {
	var seeds []input.Sequence
	for _, calls := range c.setup.Examples {
		var seq input.Sequence
		for i := range calls {
			call, err := c.space.Read(&calls[i])
			if err != nil {
				continue // what the test does there no sequence can
			}
			seq = append(seq, call)
			if len(seeds) == maxExampleSeeds || c.space.Validate(seq) != nil {
				break
			}
			seeds = append(seeds, slices.Clone(seq))
		}
	}
	return seeds
}

// run fuzzes, showing what happens.
func (c *campaign) run(ctx context.Context, p *program, flags *campaignFlags, set *pflag.FlagSet, show *progress.Log) error {
	for _, o := range slices.Concat(c.given, c.outputs) {
		o.DropStatements()
	}
	boundMemory()
	timeout, calls := flags.limits(set)
	c.limits = report.Limits{Seconds: timeout.Seconds(), Calls: calls}
	timeout = flags.untilDeadline(timeout, p.now)
	schedule, err := fuzzer.ScheduleNamed(flags.schedule)
	if err != nil {
		return exit.BadInput("--schedule: %w", err)
	}
	without, err := fuzzer.TechniquesNamed(flags.without)
	if err != nil {
		return exit.BadInput("--without: %w", err)
	}
	c.config = fuzzer.Config{
		World: c.world, Space: c.space, Table: c.table, Targets: c.mapping.Targets,
		Oracles: oracle.All(), Exempt: c.exempt(), Seeds: slices.Concat(c.recalled, c.deploymentSeeds(), c.exampleSeeds()),
		NewMachine: c.newMachine, NewJudge: c.newJudge,
		Schedule: schedule, Without: without,
		Seed: flags.seed, Workers: flags.workers, SeqLen: flags.sequenceLength(set),
		Timeout: timeout, MaxCalls: calls,
		Now:      p.now,
		Progress: func(e fuzzer.Event) { c.show(e, show) },
	}
	if flags.corpusDir != "" {
		c.config.Corpus = &fuzzer.Corpus{Dir: flags.corpusDir, Withhold: c.silent}
		c.began = sumOf(c.config.Corpus)
		c.saved, _ = c.config.Corpus.Load(c.space) // the campaign says what does not fit
	}
	if len(c.space.Callables) == 0 { // the report says why
		c.result = &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(c.mapping.Targets)), Stopped: "nothing to call"}
		return nil
	}
	limit := fmt.Sprintf("%s calls", human.Count(calls))
	if c.limits.Seconds > 0 {
		limit = human.Clock(timeout.Seconds())
	}
	show.Line("fuzz    seed %d, %s, limit %s", flags.seed, human.Plural(flags.workers, "worker"), limit)
	show.Line("")
	c.result, err = (&fuzzer.Campaign{Config: c.config}).Run(ctx)
	show.Clear()
	if err != nil {
		return exit.CannotFuzz("%w", err)
	}
	return nil
}

// sumOf tells which saved inputs a campaign begins with; nil where that cannot be
// said, or there are none.
func sumOf(corpus *fuzzer.Corpus) *report.Corpus {
	files, sum, err := corpus.Sum()
	if err != nil || files == 0 {
		return nil
	}
	return &report.Corpus{Files: files, SHA256: sum}
}

// newMachine makes a machine for the campaign's loop: fast, and checked.
func (c *campaign) newMachine() (evm.Machine, error) {
	fast, err := evm.NewInterpreter(c.world, c.table, evm.LiftCodeSizeLimits)
	if err != nil {
		return nil, err
	}
	reference, err := evm.NewReference(c.world, c.table, evm.LiftCodeSizeLimits)
	if err != nil {
		return nil, err
	}
	return evm.NewChecked(fast, reference), nil
}

// newJudge makes the machine that decides what is true.
func (c *campaign) newJudge() (evm.Machine, error) {
	return evm.NewReference(c.world, c.table, evm.LiftCodeSizeLimits)
}

// show prints what happened in the campaign, and how it is going.
func (c *campaign) show(e fuzzer.Event, show *progress.Log) {
	switch {
	case e.Target >= 0:
		t := c.mapping.Targets[e.Target]
		show.Line("%-7s reached  %s  %s", human.Clock(e.At.Seconds), human.Printable(t.Position.String()), human.Printable(contractName(t.Contract)))
	case e.Found != nil && c.silent:
		show.Line("%-7s FOUND    something; whether the change brought it is tried at the end", human.Clock(e.At.Seconds))
	case e.Found != nil && e.Found.NeverPassed:
		show.Line("%-7s FOUND    %s, and passes with no arguments; whether the change brought it is tried at the end", human.Clock(e.At.Seconds), e.Found.Message)
	case e.Found != nil:
		at, _ := c.positions.At(e.Found.Location)
		show.Line("%-7s FOUND    %s  %s: %s", human.Clock(e.At.Seconds), human.Printable(at.String()), e.Found.Oracle.ID, e.Found.Message)
	default:
		show.Status(func() string {
			s := e.Stats
			rate := ""
			if s.Seconds > 0 {
				rate = fmt.Sprintf(", %s calls/s", human.Count(uint64(float64(s.Calls)/s.Seconds)))
			}
			return fmt.Sprintf("%-7s %d of %d targets, %s, %s calls%s, %s",
				human.Clock(s.Seconds), s.Reached, len(c.mapping.Targets), human.Plural(s.Findings, "finding"), human.Count(s.Calls), rate, human.Plural(s.Paths, "path"))
		})
	}
}
