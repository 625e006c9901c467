package main

import (
	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/progress"
)

func (p *program) planCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan [--audit [PATH...]]",
		Short: "Prepare a run for several machines",
		Long: `Reads the change, compiles and deploys it as "sightline run" does, and writes all that the campaign needs to one
file, in place of fuzzing: state, code, targets, inputs to begin with, and settings. A machine that has the file needs
no checkout, no compiler and no network to fuzz a part of it with "sightline run --plan FILE --shard I/N".
"sightline merge" then makes the report of what all of them found, in this checkout.

It takes the flags of "sightline run". Those about time, calls, workers and the seed are kept in the plan: each shard is
given as much, and its own seed. Those about the report are the merge's. The same inputs give the same bytes.

The file has the sources' places and code, and private keys that the project's tests use. Where the World goes on from a
live chain (--rpc), it has what was read of the chain so far, and shards see the rest as empty.

All must be done by one version of this program.`,
		Example: `  # eight machines, two minutes each
  sightline plan --base main --plan plan.tar
  sightline run --plan plan.tar --shard 0/8 --out shard-0     # and 1/8 to 7/8 elsewhere
  sightline merge --base main --plan plan.tar shard-*

  # in a Kubernetes Indexed Job
  sightline run --plan /plan/plan.tar --shard "$JOB_COMPLETION_INDEX/16" --out "/results/$JOB_COMPLETION_INDEX"

  # the same result every time: limited in calls, one worker
  sightline plan --test-limit 50000 --workers 1 --seed 7`,
		Args: cobra.ArbitraryArgs,
	}
	settings := config.New(cmd.Flags())
	settings.RegisterPlan()
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if audits, _ := cmd.Flags().GetBool("audit"); !audits && len(args) > 0 {
			return noArguments(cmd, args)
		}
		settings.SetPaths(args)
		if err := settings.Load(); err != nil {
			return err
		}
		o, err := settings.Resolve()
		if err != nil {
			return err
		}
		o.Tool, o.Now, o.Log = tool(), p.now, progress.NewLog(p.stdout, p.now)
		o.Change.Stdin = p.stdin
		settings.Announce(o.Log)
		return pipeline.Plan(cmd.Context(), o, settings.PlanFile())
	}
	return cmd
}
