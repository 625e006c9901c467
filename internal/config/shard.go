package config

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/plan"
)

// ofShard are the flags that say something about a shard: its plan has decided the rest.
var ofShard = []string{"plan", "shard", "timeout", "test-limit", "workers", "out", "exchange", "exchange-ca", "exchange-cert", "exchange-key", "exchange-token-file", "exchange-plain", "replay-exchange"}

// ofMerging are the flags that say nothing about a plan, but about the report that is made in the end.
var ofMerging = []string{"out", "lcov", "fail-on", "gate", "min-reached", "allow-starved", "waivers", "bundle", "self-check", "self-check-mutants", "self-check-timeout", "omit-times"}

// RegisterShard registers the flags with which a run fuzzes by a plan.
func (s *Settings) RegisterShard() {
	s.flags.StringVar(&s.plan, "plan", "", "fuzz by this `FILE` that `sightline plan` wrote, without the project, and write results for `sightline merge` to --out; besides, only --shard, --timeout, --test-limit, --workers and those of an exchange count")
	s.flags.StringVar(&s.shard, "shard", "0/1", "which `I/N` of the plan's campaigns, 0/8 to 7/8 for eight")
}

// RegisterPlan registers all groups, and where the plan is written. Flags that only the merge needs are accepted, so that
// it can be given the same ones.
func (s *Settings) RegisterPlan() {
	s.RegisterAll()
	for _, name := range ofMerging {
		_ = s.flags.MarkHidden(name)
	}
	s.flags.StringVar(&s.plan, "plan", plan.DefaultFile, "write the plan to this `FILE`")
	s.onlyLookedAt = true
}

// PlanFile is the file of the plan.
func (s *Settings) PlanFile() string { return s.plan }

// Shards reports whether a run is to fuzz by a plan.
func (s *Settings) Shards() bool { return s.flags.Changed("plan") || s.flags.Changed("shard") }

// ResolveShard returns the options of a shard. Flags that its plan has decided are errors.
func (s *Settings) ResolveShard(paths []string) (*pipeline.ShardOptions, error) {
	if s.plan == "" {
		return nil, exit.BadInput("--shard %s without --plan: `sightline plan` writes the plan, of which a shard is a part", s.shard)
	}
	var refused []string
	s.flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(ofShard, f.Name) {
			refused = append(refused, "--"+f.Name)
		}
	})
	if len(refused) > 0 {
		return nil, exit.BadInput("%s cannot be combined with --plan: the plan has decided what is fuzzed; give it to `sightline plan`, or to `sightline merge` if it is about the report", strings.Join(refused, ", "))
	}
	if len(paths) > 0 {
		return nil, exit.BadInput("%q: the plan has decided what is fuzzed; name files and folders to `sightline plan --audit`", paths[0])
	}
	part, err := plan.ParseShard(s.shard)
	if err != nil {
		return nil, exit.BadInput("--shard %w", err)
	}
	if err := s.checkCampaign(); err != nil {
		return nil, err
	}
	c := &s.options.Campaign
	o := &pipeline.ShardOptions{Plan: s.plan, Shard: part, Dir: s.options.Output.Dir, Exchange: s.exchange()}
	if s.flags.Changed("timeout") {
		limit := time.Duration(float64(s.timeout) * float64(time.Second))
		o.Timeout = &limit
	}
	if s.flags.Changed("test-limit") {
		o.Calls = &c.Calls
	}
	if s.flags.Changed("workers") {
		o.Workers = &c.Workers
	}
	if o.Dir == "" {
		return nil, exit.BadInput("--out is empty: name a folder")
	}
	return o, nil
}
