package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/report"
)

func (p *program) mergeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Make one report of what several machines found",
		Long: `Takes the folders that "sightline run --plan FILE --shard I/N" wrote, and makes the report of all of them that one
campaign would have given. Each DIR is a shard's folder, or has those of shards. It runs in the checkout in which
"sightline plan" ran and takes the same flags: it reads the change and deploys it again, and refuses shards that fuzzed
something else. Seed, workers and limits are those of the shards.

Nothing that a shard says is believed: each target and each finding is replayed on go-ethereum here, and what that does not
see is a fault, never a finding. The order of the folders does not matter.

Shards that are missing, were killed or canceled are counted in the headline (7 of 8 shards); what they found until then
counts. A finding fails the run whoever is missing. Where fewer shards than --quorum came to their end, a run that finds
nothing is an error.

Exit codes: those of "sightline run", with 2 for shards that cannot be read, or are of another campaign.`,
		Example: `  sightline plan --base main
  sightline run --plan sightline-plan.tar --shard 0/8 --out shards/0     # and so on, on eight machines
  sightline merge --base main --plan sightline-plan.tar shards

  # whoever is missing
  sightline merge --base main --quorum 0 shard-0 shard-3 shard-5`,
		Args: cobra.ArbitraryArgs,
	}
	settings := config.New(cmd.Flags())
	settings.RegisterMerge()
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, dirs []string) error {
		shards, err := settings.ResolveShards(dirs)
		if err != nil {
			return err
		}
		if err := settings.Load(); err != nil {
			return err
		}
		return p.report(cmd.Context(), settings, "", func(ctx context.Context, o *pipeline.Options) (*report.Report, error) {
			return pipeline.Merge(ctx, o, shards)
		})
	}
	return cmd
}
