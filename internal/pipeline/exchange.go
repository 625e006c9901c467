package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/shard"
	"github.com/sightline-evm/sightline/report"
)

// Exchange says with whom a campaign exchanges inputs while it runs. The zero value: with no one.
type Exchange struct {
	exchange.Link        // to the hub
	Replay        string // log of an earlier run, in place of the hub: what that took in is taken in at the same moments
}

// Wanted reports whether inputs are exchanged.
func (e *Exchange) Wanted() bool { return e.URL != "" || e.Replay != "" }

// exchanged is what is said of a campaign that exchanged inputs, in every report: the seed alone does not give the result again.
const exchanged = "inputs were exchanged with campaigns that ran at the same time: the result depends on what came when, and not on the seed alone (--replay-exchange with the exchange.log of a worker gives that worker's again)"

// exchanging is a campaign's exchange under way.
type exchanging struct {
	log    *progress.Log
	live   *exchange.Live
	record *exchange.Log
	replay *exchange.Replay
}

// runCampaign runs a campaign, and exchanges inputs meanwhile where that is wanted. The log of what is taken in goes to dir; empty: there
// is none. The hashes of a header say which campaigns may exchange inputs: all that have the same World, build and targets, whatever their
// seeds.
func runCampaign(ctx context.Context, config fuzzer.Config, e *Exchange, dir string, h *shard.Header, tool report.Tool, log *progress.Log) (*fuzzer.Result, *report.Exchange, error) {
	if !e.Wanted() {
		result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
		return result, nil, cannotFuzz(err)
	}
	x := &exchanging{log: log}
	if err := x.begin(ctx, &config, e, dir, h, tool); err != nil {
		return nil, nil, err
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	log.Clear()
	about, ended := x.end(result)
	if err != nil {
		return nil, nil, cannotFuzz(err)
	}
	result.Notes = append(result.Notes, exchanged)
	return result, about, ended
}

// cannotFuzz gives an error of a campaign its exit code.
func cannotFuzz(err error) error {
	if err == nil {
		return nil
	}
	return exit.CannotFuzz("%w", err)
}

// campaignID names all campaigns that may exchange inputs: those of one version of the program on the same World, build and targets.
func campaignID(h *shard.Header, tool report.Tool) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n", nameOf(tool), h.World, h.Build, h.Targets))
	return hex.EncodeToString(sum[:])
}

// begin sets a campaign's exchange.
func (x *exchanging) begin(ctx context.Context, config *fuzzer.Config, e *Exchange, dir string, h *shard.Header, tool report.Tool) error {
	header := exchange.Header{Campaign: campaignID(h, tool), Seed: config.Seed, Workers: config.Workers, Calls: config.MaxCalls}
	if e.Replay != "" {
		replay, err := exchange.OpenReplay(e.Replay, config.Space)
		if err == nil {
			err = replay.Fits(header)
		}
		if err != nil {
			return exit.BadInput("--replay-exchange %s: %w", e.Replay, err)
		}
		x.replay, config.Exchange = replay, replay
		x.log.Line("hub     none: inputs of others come from %s", human.Printable(e.Replay))
		return nil
	}
	var err error
	if dir != "" {
		if x.record, err = exchange.CreateLog(dir, header); err != nil {
			return exit.BadInput("--out %s: %s cannot be written: %w", dir, exchange.LogFile, err)
		}
	}
	x.live, err = exchange.Dial(ctx, exchange.Options{
		Link: e.Link, Campaign: header.Campaign, Space: config.Space, Log: x.record,
		Say: func(text string) { x.log.Line("hub     %s", human.Printable(text)) },
	})
	if err != nil {
		_ = x.record.Close()
		return exit.BadInput("--exchange: %w", err)
	}
	config.Exchange = x.live
	x.log.Line("hub     campaign %s", header.Campaign[:16])
	return nil
}

// end ends it, and says what was exchanged. An error means that a replay was of another campaign.
func (x *exchanging) end(result *fuzzer.Result) (*report.Exchange, error) {
	about := new(report.Exchange)
	if result != nil && result.Exchange != nil {
		s := result.Exchange
		about.Withheld, about.Received, about.New, about.Targets = s.Withheld, s.Received, s.Admitted, s.Targets
	}
	if x.replay != nil {
		about.Replayed = true
		canceled := result == nil || result.Stopped == fuzzer.Canceled
		if err := x.replay.Close(canceled); err != nil {
			return nil, exit.BadInput("--replay-exchange: %w", err)
		}
		return about, nil
	}
	stats := x.live.Close()
	if err := x.record.Close(); err != nil {
		x.log.Warn("%s is not complete (%v): this run cannot be replayed", exchange.LogFile, err)
	}
	if about.Sent, about.Losses = stats.Sent, stats.Losses; !stats.Connected {
		x.log.Warn("the hub was never reached: this campaign ran alone")
	}
	return about, nil
}
