package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/plan"
	"github.com/sightline-evm/sightline/internal/shard"
	"github.com/sightline-evm/sightline/report"
)

// Shards are the shards that are merged.
type Shards struct {
	Dirs []string // each a shard's folder, or one that has those of shards
	Plan string   // the file of the plan that they are of; empty: they say so themselves
	// Quorum is the share of a campaign's shards, from 0 to 1, that must have come to their end before a
	// run may pass.
	Quorum float64
}

// Merge does what [Run] does, with what shards of the campaign found in the place of a campaign: nothing of it is believed before
// go-ethereum has seen it. The shards' seed, workers and limits count, and not those of the options. Shards of another change, World or
// build than the options give are bad input.
func Merge(ctx context.Context, o *Options, s *Shards) (*report.Report, error) {
	of := *o
	of.shards = &united{quorum: s.Quorum}
	var err error
	of.shards.set, err = shard.Open(s.Dirs)
	switch {
	case errors.Is(err, shard.ErrNone): // a change without targets has no shards
		of.shards.none = err
	case err != nil:
		return nil, err
	default:
		if err := of.takeOver(s.Plan); err != nil {
			return nil, err
		}
	}
	return Run(ctx, &of)
}

// united are shards that stand for a campaign.
type united struct {
	set    *shard.Set
	none   error // why there is no set
	quorum float64
}

// takeOver makes the options those of the shards' campaign, as far as they are about that.
func (o *Options) takeOver(planFile string) error {
	set := o.shards.set
	if made := nameOf(o.Tool); set.Tool != made {
		return exit.BadInput("the shards were made by %s, and this is %s: use one version for all", human.Printable(set.Tool), made)
	}
	if planFile != "" {
		p, packed, err := plan.ReadFile(planFile, nameOf(o.Tool))
		if err != nil {
			return exit.BadInput("--plan %s: %w", planFile, err)
		}
		if set.Plan != packed.SHA256 {
			return exit.BadInput("--plan %s: the shards are of another plan", planFile)
		}
		if err := o.agrees(&p.Options); err != nil && p.Nothing == "" {
			return exit.BadInput("--plan %s: %w; give the flags that the plan was made with", planFile, err)
		}
	}
	c := &o.Campaign
	c.Seed, c.Workers, c.Timeout, c.Calls, c.Deadline = set.Seed, set.Workers, set.Timeout, set.Header.Calls, time.Time{}
	return nil
}

// agrees tells in what the options of a plan are others.
func (o *Options) agrees(p *plan.Options) error {
	c := &o.Campaign
	switch {
	case c.Schedule != p.Schedule:
		return fmt.Errorf("its --schedule is %q, not %q", p.Schedule, c.Schedule)
	case c.Without != p.Without:
		return fmt.Errorf("its --without is %q, not %q", p.Without, c.Without)
	case !slices.Equal(c.Oracles, p.Oracles):
		return fmt.Errorf("its --oracles are %q, not %q", p.Oracles, c.Oracles)
	case !slices.Equal(c.Panics, p.Panics):
		return fmt.Errorf("its --panics are %q, not %q", p.Panics, c.Panics)
	}
	return nil
}

// unite makes the campaign's result of its shards.
func (r *run) unite(ctx context.Context) (*fuzzer.Result, error) {
	s, log := r.o.shards, r.o.Log
	if s.none != nil {
		return nil, s.none
	}
	if err := r.isOf(&s.set.Header); err != nil {
		return nil, err
	}
	r.report.Shards = describeShards(s)
	if said := r.report.DescribeShards(); said != "" {
		log.Line("shards  %s", said)
	} else {
		log.Line("shards  %d of %d", len(s.set.Shards), s.set.Of)
	}
	for _, note := range s.set.Notes {
		log.Warn("%s", note)
	}
	result, err := shard.Unite(ctx, &r.config, s.set, func(done, of int) {
		log.Status(func() string { return fmt.Sprintf("        replaying what shards found: %d of %d", done, of) })
	})
	log.Clear()
	if err != nil {
		return nil, err
	}
	log.Line("        %s, %s calls: %d of %s reached, %s, each replayed on go-ethereum", human.Plural(int(result.Stats.Executions), "execution"), human.Count(result.Stats.Calls),
		result.Stats.Reached, human.Plural(len(result.Targets), "target"), human.Plural(len(result.Findings), "finding"))
	log.Line("")
	if r.config.Corpus != nil {
		if err := r.config.Corpus.Add(&r.config, result.Suite); err != nil {
			log.Warn("%v", err)
		}
	}
	return result, nil
}

// isOf reports an error where shards fuzzed something else than what this checkout gives.
func (r *run) isOf(h *shard.Header) error {
	var here shard.Header
	if err := here.Hash(r.config.World, r.config.Space, r.config.Table, r.config.Targets); err != nil {
		return exit.CannotFuzz("%w", err)
	}
	what := ""
	switch {
	case here.Build != h.Build:
		what = "the build is another one"
	case here.Targets != h.Targets:
		what = "the changed lines are others"
	case here.World != h.World:
		what = "the World is another one"
	default:
		return nil
	}
	return exit.BadInput("the shards fuzzed something else than this checkout gives: %s; merge in the checkout that the plan was made in, with the same flags", what)
}

// describeShards is what a report says of shards; nil: there is one alone, which came to its end, so that it is
// the campaign.
func describeShards(s *united) *report.Shards {
	partial := s.set.Partial()
	out := &report.Shards{Of: s.set.Of, Complete: len(s.set.Shards) - len(partial), Missing: s.set.Missing(), Partial: partial, Quorum: s.quorum}
	if out.Of == 1 && out.Complete == 1 {
		return nil
	}
	return out
}
