package main

import (
	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/replay"
)

func (p *program) testsCommand() *cobra.Command {
	var o replay.TestsOptions
	cmd := &cobra.Command{
		Use:   "tests",
		Short: "Write what a run found and reached as Foundry tests to keep",
		Long: `Writes the findings and the reached lines of the last run as Foundry tests into a folder of the project, for
its team to keep. A finding's test fails until the finding is mended, and keeps it from coming back; there is a
file for each. Reached lines get a few tests for each contract, which together reach all of them and pin how each call
ends; what tests in the folder reach already gets no more.

The same run gives the same bytes. Files of earlier runs stay, and so does a file that was changed by hand:
a hash in its head tells. Nothing else than this folder is written to.

Exit codes: 0 done, 1 with --check: something would be written, 2 the output folder cannot be read, or the
folder is not one of the project.`,
		Example: `  sightline run
  sightline tests --write test/sightline
  forge test --match-path 'test/sightline/*'

  # in CI: are the tests of this run in the repository?
  sightline tests --write test/sightline --check`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			changed, err := replay.Tests(p.stdout, o)
			if err == nil && changed && o.Check {
				p.exit = exit.Fail
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.Folder, "write", "test/sightline", "write the tests to this `DIR`, below the tests of a Foundry project")
	cmd.Flags().BoolVar(&o.Check, "check", false, "write nothing: say what would change, and exit with 1 if anything would")
	cmd.Flags().StringVar(&o.Out, "out", config.DefaultOut, "output folder `DIR` of the run")
	cmd.Flags().StringVar(&o.Root, "root", ".", "folder `DIR` of the project, or of a repository with several projects, as in the run")
	cmd.Flags().SortFlags = false
	return cmd
}
