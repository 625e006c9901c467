package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/action"
)

func (p *program) actionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "action",
		Short: "Run as a step of a GitHub workflow",
		Long: `The entry point of the GitHub Action: finds out from the runner's environment what changed, fuzzes
it as "sightline run" does, and hands the result to GitHub: a comment on the pull request, alerts
of code scanning, the job's summary, annotations and outputs. Inputs are the flags of run under
their names (INPUT_FAIL-ON), and token, comment, upload-sarif, max-minutes and category; action.yml
describes them, docs/action.md how to set a workflow up.

Exit codes are those of run. That GitHub cannot be reached or refuses something is a warning and
changes none.`,
		Example: `  # in a workflow
  - uses: sightline-evm/sightline@v0`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			o := action.Options{Stdout: p.stdout, Getenv: os.Getenv, Now: p.now, Sleep: p.sleep, Tool: tool()}
			p.exit, err = action.Run(cmd.Context(), &o)
			return err
		},
	}
}
