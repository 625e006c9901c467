package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/action"
	"github.com/sightline-evm/sightline/internal/secrets"
)

func (p *program) actionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "action",
		Short: "Run as a step of a GitHub workflow",
		Long: `The entry point of the GitHub Action: determines what changed from the runner's environment, fuzzes
it as "sightline run" does, and publishes the result on GitHub as a comment on the pull request,
code scanning alerts, the job's summary, annotations and outputs. Inputs are the flags of run under
the same names (INPUT_FAIL-ON), plus token, comment, upload-sarif, issue, issue-label, step, plan, shard,
shards, quorum, shard-key, max-minutes and category; action.yml describes them, and docs/action.md shows how to set up a workflow.

Exit codes are those of run. If GitHub cannot be reached or refuses a request, the action warns, and
the exit code stays the same.`,
		Example: `  # in a workflow
  - uses: sightline-evm/sightline@v0`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			getenv, err := secrets.Take()
			if err != nil {
				fmt.Fprintf(p.stderr, "warning: the workflow's token cannot be hidden from other programs of this user: %v\n", err)
			}
			o := action.Options{Stdout: p.stdout, Getenv: getenv, Now: p.now, Sleep: p.sleep, Tool: tool()}
			p.exit, err = action.Run(cmd.Context(), &o)
			return err
		},
	}
}
