package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/shard"
	"github.com/sightline-evm/sightline/report"
)

// fuzz runs the campaign on the head, showing what happens.
func (r *run) fuzz(ctx context.Context) (*fuzzer.Result, error) {
	if !r.o.SelfCheck.plants() {
		r.change.DropStatements()
	}
	boundMemory()
	if err := r.configure(); err != nil {
		return nil, err
	}
	r.change.CompileBaseAhead(ctx) // it is compared with the head in the end
	r.config.Progress = r.display().show
	o, targets := &r.o.Campaign, r.change.Mapping.Targets
	r.report.Seed, r.report.Workers = o.Seed, o.Workers
	r.report.Limits = report.Limits{Seconds: o.Timeout.Seconds(), Calls: o.Calls}
	if len(r.head.Deployment.Space.Callables) == 0 { // the report says why
		return &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(targets)), Stopped: nothingToCall}, nil
	}
	if r.o.shards != nil {
		return r.unite(ctx)
	}
	announce(r.o.Log, &r.config, o.Timeout > 0)
	var h shard.Header
	if o.Exchange.Wanted() {
		if err := h.Hash(r.config.World, r.config.Space, r.config.Table, r.config.Targets); err != nil {
			return nil, exit.CannotFuzz("%w", err)
		}
	}
	result, about, err := runCampaign(ctx, r.config, &o.Exchange, r.o.Output.Dir, &h, r.o.Tool, r.o.Log)
	r.o.Log.Clear()
	r.report.Exchange = about
	return result, err
}

// announce says that a campaign begins; timed: its limit is a time. One that is limited in calls may have a deadline, too.
func announce(log *progress.Log, c *fuzzer.Config, timed bool) {
	limit := fmt.Sprintf("%s calls", human.Count(c.MaxCalls))
	if timed {
		limit = human.Clock(c.Timeout.Seconds())
	}
	log.Line("fuzz    seed %d, %s, limit %s", c.Seed, human.Plural(c.Workers, "worker"), limit)
	log.Line("")
}

// nothingToCall is why a campaign in a World without functions ended at once.
const nothingToCall = "nothing to call"

// configure makes the campaign's configuration from the options and the deployment.
func (r *run) configure() error {
	o, d := &r.o.Campaign, r.head.Deployment
	schedule, err := fuzzer.ScheduleNamed(o.Schedule)
	if err != nil {
		return exit.BadInput("--schedule: %w", err)
	}
	without, err := fuzzer.TechniquesNamed(o.Without)
	if err != nil {
		return exit.BadInput("--without: %w", err)
	}
	panics, err := oracle.PanicCodes(o.Panics)
	if err != nil {
		return exit.BadInput("--panics: %w", err)
	}
	r.config = fuzzer.Config{
		World: d.World, Space: d.Space, Table: d.Table, Targets: r.change.Mapping.Targets,
		Oracles: watchers(r.oracles, panics, r.change.Audits(), len(d.Added)+len(d.Altered) > 0), Audit: d.Audit, Added: d.Added, Altered: d.Altered, Exempt: exempt(r.change, d),
		Seeds:      slices.Concat(r.history.Seeds(d.Space), fitting(d.Space, r.seeds), d.DeploymentSeeds(), d.ExampleSeeds(), d.GiftSeeds()),
		NewMachine: d.NewMachine, NewJudge: d.NewJudge, NewTracer: d.NewTracer,
		Schedule: schedule, Without: without,
		Seed: o.Seed, Workers: o.Workers, SeqLen: o.SeqLen,
		Timeout: o.untilDeadline(r.o.Now), MaxCalls: o.Calls, AfterReached: r.afterReached(),
		Now:        r.o.Now,
		FunctionAt: d.Positions.FunctionAt,
	}
	if r.change.HasBase() {
		r.config.Ways = compare.MaxWays
	}
	if o.CorpusDir != "" {
		r.config.Corpus = &fuzzer.Corpus{Dir: o.CorpusDir, Withhold: r.o.Output.OnlyIntroduced}
		r.report.Corpus = sumOf(r.config.Corpus)
		r.saved, _ = r.config.Corpus.Load(d.Space) // the campaign says what does not fit
	}
	r.readSeeds()
	return nil
}

// afterReached is for which part of the budget bugs are looked for once every target is reached: whoever
// names targets wants to know how they are reached.
func (r *run) afterReached() *float64 {
	if r.o.Campaign.AfterReached == nil && len(r.o.Change.Targets) > 0 {
		return new(float64)
	}
	return r.o.Campaign.AfterReached
}

// watchers are the oracles that watch a campaign; alone tells that there are contracts that are looked at without the base.
func watchers(choice oracle.Choice, panics []byte, audits, alone bool) []*oracle.Oracle {
	if audits {
		return choice.Of(oracle.InAudit(panics))
	}
	watching := oracle.With(panics)
	if alone {
		watching = append(watching, oracle.ThirdPartyLoss)
	}
	return append(choice.Of(watching), choice.Notes()...)
}

// untilDeadline is the campaign's time limit, cut so that it and the base's shares end
// before the deadline.
func (c *Campaign) untilDeadline(now func() time.Time) time.Duration {
	if c.Deadline.IsZero() {
		return c.Timeout
	}
	left := c.Deadline.Sub(now()) * compare.BaseShare / (compare.BaseShare + compare.Shares)
	if left = max(time.Nanosecond, left); c.Timeout == 0 || left < c.Timeout { // zero would mean without limit
		return left
	}
	return c.Timeout
}

// sumOf identifies the saved inputs that a campaign begins with; nil if there are none, or
// they cannot be read.
func sumOf(corpus *fuzzer.Corpus) *report.Corpus {
	files, sum, err := corpus.Sum()
	if err != nil || files == 0 {
		return nil
	}
	return &report.Corpus{Files: files, SHA256: sum}
}
