package pipeline

import (
	"context"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/shard"
	"github.com/sightline-evm/sightline/report"
)

// ShardOptions say which part of a plan is fuzzed, and where.
type ShardOptions struct {
	Plan  string     // the plan's file
	Shard plan.Shard // which of its campaigns
	Dir   string     // of shard.json and the sequences
	RPC   string     // URL of the chain that the plan's World goes on from; empty: what the plan lacks of it counts as empty
	// Limits in place of the plan's; nil: as planned. Calls without Timeout switches the clock off, as for a run.
	Timeout *time.Duration
	Calls   *uint64
	Workers *int
	// Exchange connects with the other shards while they run.
	Exchange Exchange

	Tool report.Tool
	Now  func() time.Time
	Log  *progress.Log
}

// Shard fuzzes by a plan, without the project: it writes its results to a folder, from which `sightline merge` makes a
// report, and returns them. What it has so far is there at any time. That a campaign was canceled is in its result, not an error.
func Shard(ctx context.Context, o *ShardOptions) (*fuzzer.Result, error) {
	p, packed, err := plan.ReadFile(o.Plan, nameOf(o.Tool))
	if err != nil {
		return nil, exit.BadInput("--plan %s: %w", o.Plan, err)
	}
	s := &sharding{o, p}
	if err := s.openChain(ctx); err != nil {
		return nil, err
	}
	config, err := s.configure()
	if err != nil {
		return nil, exit.BadInput("--plan %s: %w", o.Plan, err)
	}
	h := shard.Header{
		Index: o.Shard.Index, Of: o.Shard.Of, Tool: p.Tool, Plan: packed.SHA256,
		Seed: p.Config.Seed, Workers: config.Workers, Timeout: config.Timeout, Calls: config.MaxCalls,
		World: p.Hashes.World, Build: p.Hashes.Build, Targets: p.Hashes.Targets,
	}
	w, err := shard.NewWriter(o.Dir, h, config.Space, config.Table, o.Now)
	if err != nil {
		return nil, exit.BadInput("--out %s: %w", o.Dir, err)
	}
	config.Checkpoint = w.Checkpoint
	s.announce()
	result, err := s.fuzz(ctx, config, &h)
	if err != nil {
		return nil, err
	}
	end := shard.Done
	if result.Stopped == fuzzer.Canceled || ctx.Err() != nil { // a job's deadline is not the campaign's limit
		end = shard.Canceled
	}
	if err := w.Write(result, end); err != nil {
		return nil, exit.BadInput("--out %s: %w", o.Dir, err)
	}
	s.describe(result, end)
	return result, nil
}

// sharding is a shard under way.
type sharding struct {
	o    *ShardOptions
	plan *plan.Plan
}

// openChain lets the World ask the chain that it goes on from.
func (s *sharding) openChain(ctx context.Context) error {
	o, want := s.o, s.plan.Chain
	switch {
	case want == nil && o.RPC != "":
		return exit.BadInput("--rpc: the plan's World goes on from no chain")
	case want == nil:
		return nil
	case o.RPC == "":
		o.Log.Line("warn    the World goes on from block %d of chain %d: what the plan does not have of it counts as empty; --rpc URL asks for it", want.Block, want.ID)
		return nil
	}
	chain, err := deploy.OpenChain(ctx, o.RPC, want.Block)
	if err != nil {
		return err
	}
	if chain.ID() != want.ID || chain.Hash() != want.Hash {
		return exit.BadInput("--rpc: block %d is %s of chain %d there, but the plan's World goes on from %s of chain %d", want.Block, chain.Hash(), chain.ID(), want.Hash, want.ID)
	}
	s.plan.Ask(chain)
	o.Log.Line("chain   block %d of chain %d, read from %s", want.Block, want.ID, chain.Host())
	return nil
}

// configure is the shard's campaign.
func (s *sharding) configure() (*fuzzer.Config, error) {
	if s.plan.Nothing != "" {
		w := &evm.World{Senders: world.Senders()}
		space, err := input.NewSpace(w, input.SpaceOptions{})
		return &fuzzer.Config{World: w, Space: space, Table: bytecode.NewTable(nil)}, err
	}
	c, err := campaignOf(s.plan)
	if err != nil {
		return nil, err
	}
	o := s.o
	c.Seed = shard.Seed(c.Seed, o.Shard.Index, o.Shard.Of)
	if o.Calls != nil {
		c.MaxCalls, c.Timeout = *o.Calls, 0
	}
	if o.Timeout != nil {
		c.Timeout = *o.Timeout
	}
	if o.Workers != nil {
		c.Workers = *o.Workers
	}
	c.Now = o.Now
	c.Progress = (&display{o.Log, c.Targets, func(l bytecode.Location) string {
		at, _ := s.plan.Place(l)
		return at
	}, s.plan.Options.OnlyIntroduced, c.Audit, c.AfterReached}).show
	return c, nil
}

// announce says what is fuzzed.
func (s *sharding) announce() {
	s.o.Log.Line("plan    %s: %s", human.Printable(s.o.Plan), human.Printable(s.plan.About))
	s.o.Log.Line("shard   %s, results in %s", s.o.Shard, human.Printable(s.o.Dir))
}

// fuzz runs the campaign, if there is anything to run.
func (s *sharding) fuzz(ctx context.Context, c *fuzzer.Config, h *shard.Header) (*fuzzer.Result, error) {
	if s.plan.Nothing != "" {
		return &fuzzer.Result{Stopped: s.plan.Nothing}, nil
	}
	if len(c.Space.Callables) == 0 { // the report says why
		return &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(c.Targets)), Stopped: nothingToCall}, nil
	}
	boundMemory()
	announce(s.o.Log, c, c.Timeout > 0)
	result, about, err := runCampaign(ctx, *c, &s.o.Exchange, s.o.Dir, h, s.o.Tool, s.o.Log)
	s.o.Log.Clear()
	if err != nil {
		return nil, err
	}
	if said := about.Describe(); said != "" {
		s.o.Log.Line("")
		s.o.Log.Line("hub     %s", said)
	}
	result.Notes = append(s.plan.Notes, result.Notes...)
	return result, nil
}

// describe says how it ended, and what to do with the results.
func (s *sharding) describe(r *fuzzer.Result, end string) {
	log := s.o.Log
	log.Line("")
	for i, f := range r.Faults {
		if i == mostShown {
			log.Line("warn    and %d more faults", len(r.Faults)-i)
			break
		}
		log.Line("warn    a fault of the tool: %s", human.Printable(f.Message))
	}
	why := ""
	if r.Stopped != end {
		why = " (" + r.Stopped + ")"
	}
	log.Line("shard   %s is %s%s: %d of %s reached, %s, %s calls", s.o.Shard, end, why,
		r.Stats.Reached, human.Plural(len(r.Targets), "target"), human.Plural(r.Stats.Findings, "finding"), human.Count(r.Stats.Calls))
	log.Line("next    give the folder %s to `sightline merge`, with those of the other shards", human.Printable(s.o.Dir))
}
