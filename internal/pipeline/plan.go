package pipeline

import (
	"context"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/shard"
	"github.com/sightline-evm/sightline/report"
)

// Plan reads the change and deploys it as [Run] does, and writes all that the campaign needs to a file, in place of fuzzing.
func Plan(ctx context.Context, o *Options, file string) error {
	c, err := change.Read(ctx, o.Reading(), o.Log)
	if err != nil {
		return err
	}
	defer c.StopCompiling()
	r := begin(o, c)
	p := r.emptyPlan()
	if c.HasTargets() {
		head, recipe, err := deploy.Head(ctx, c, &o.World, o.Log)
		if err != nil {
			return err
		}
		if err := r.deployed(head, recipe); err != nil {
			return err
		}
		if err := r.configure(); err != nil {
			return err
		}
		if p, err = r.plan(); err != nil {
			return err
		}
	}
	packed, err := p.Pack()
	if err != nil {
		return exit.CannotFuzz("the campaign cannot be written to a plan: %w", err)
	}
	if err := packed.Write(file); err != nil {
		return exit.BadInput("%w", err)
	}
	r.describePlan(p, packed, file)
	return ctx.Err()
}

// emptyPlan is the plan of a change that has no targets.
func (r *run) emptyPlan() *plan.Plan {
	return &plan.Plan{Tool: nameOf(r.o.Tool), About: compared(r.change.About), Nothing: "nothing that this change touches can be fuzzed"}
}

// nameOf is a program with its version.
func nameOf(t report.Tool) string { return t.Name + " " + t.Version }

// compared says what of a change was read.
func compared(diff report.Diff) string {
	if len(diff.Explicit) > 0 {
		return "named targets"
	}
	if diff.Base == "" {
		return diff.Head
	}
	return diff.Head + ", compared with " + diff.Base
}

// plan is the campaign that was configured. The deadline of a job is not its shards'.
func (r *run) plan() (*plan.Plan, error) {
	p := r.emptyPlan()
	p.Nothing = ""
	o := &r.o.Campaign
	p.Options = plan.Options{Schedule: o.Schedule, Without: o.Without, Oracles: o.Oracles, Panics: o.Panics, OnlyIntroduced: r.o.Output.OnlyIntroduced}
	p.Config = r.config
	p.Config.Timeout = o.Timeout
	if r.o.Output.OnlyIntroduced { // others may read the plan, and an earlier finding may be an exploit
		p.Config.Seeds = r.config.Seeds[len(r.history.Seeds(r.config.Space)):]
	}
	if r.config.Corpus != nil {
		p.Config.Corpus = nil
		p.Config.Saved, p.Notes = r.config.Corpus.Load(r.config.Space)
	}
	p.Place = func(l bytecode.Location) (string, bool) {
		at, ok := r.head.Deployment.Positions.At(l)
		return at.String(), ok
	}
	if chain := r.head.Recipe.Chain; chain != nil {
		p.Chain = &plan.Chain{ID: chain.ID(), Block: chain.Block().Number, Hash: chain.Hash()}
	}
	var h shard.Header
	if err := h.Hash(r.config.World, r.config.Space, r.config.Table, r.config.Targets); err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	p.Hashes = plan.Hashes{World: h.World, Build: h.Build, Targets: h.Targets}
	return p, nil
}

// describePlan says what was written, and what to do with it.
func (r *run) describePlan(p *plan.Plan, packed *plan.Packed, file string) {
	log := r.o.Log
	if c := r.head.Recipe; c != nil && c.Chain != nil {
		if err := c.Chain.Save(); err != nil {
			log.Warn("the chain's answers could not be cached: %v", err)
		}
	}
	for _, text := range log.Warnings() {
		log.Line("warn    %s", human.Printable(text))
	}
	name := human.Printable(file)
	if p.Nothing != "" {
		log.Line("plan    %s: %s; shards of it end at once, and `sightline merge` reports why", name, p.Nothing)
		return
	}
	c := &p.Config
	log.Line("plan    %s: %s, %s, %s kB, SHA-256 %s", name, human.Plural(len(c.Targets), "target"),
		human.Plural(len(c.Seeds)+len(c.Saved)+len(c.Given), "seed"), human.Count(uint64(len(packed.Data)+999)/1000), packed.SHA256)
	ask := ""
	if p.Chain != nil {
		ask = " --rpc URL"
	}
	log.Line("next    `sightline run --plan %s --shard I/N --out DIR%s` for each I from 0 to N-1, on any machines; then `sightline merge --plan %s DIR...` here", name, ask, name)
}

// campaignOf is the campaign of a plan, with this machine's parts.
func campaignOf(p *plan.Plan) (*fuzzer.Config, error) {
	c := p.Config
	var err error
	if c.Schedule, err = fuzzer.ScheduleNamed(p.Options.Schedule); err != nil {
		return nil, err
	}
	if c.Without, err = fuzzer.TechniquesNamed(p.Options.Without); err != nil {
		return nil, err
	}
	choice, err := oracle.Choose(p.Options.Oracles)
	if err != nil {
		return nil, err
	}
	panics, err := oracle.PanicCodes(p.Options.Panics)
	if err != nil {
		return nil, err
	}
	c.Oracles = watchers(choice, panics, c.Audit, len(c.Added)+len(c.Altered) > 0)
	d := &deploy.Deployment{Build: deploy.Build{Table: c.Table}, World: c.World, Space: c.Space}
	c.NewMachine, c.NewJudge, c.NewTracer = d.NewMachine, d.NewJudge, d.NewTracer
	return &c, nil
}
