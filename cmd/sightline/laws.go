package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/progress"
)

func (p *program) lawsCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "laws",
		Short: "Find what a project always keeps, as invariants of a Foundry test",
		Long: `Deploys a project as it is, without a change or a base, and looks for laws in what calls write: the
sum of a mapping equals a variable, what a contract holds of a token or of ether covers what it owes,
one variable equals another or is at least as large, has one value between calls, never falls, or is
written by one account alone. Half of the time finds them, the other half tries to break them.
A law counts if it was at stake in 1,000 calls of three functions at least, and held in all of them.

Prints a Foundry test with a function invariant_… for each law that is about the state, which makes
the World itself and calls it through a handler. Private variables are read by their slots. On
standard error, each law is a sentence with how often it held, and over which functions.

Exit codes: 0 laws were found, 2 bad input or configuration, 3 nothing could be fuzzed, or no law was
found, 130 canceled.`,
		Example: `  sightline laws > test/SightlineLaws.t.sol
  sightline laws --timeout 5m --out test/SightlineLaws.t.sol

  # the same laws every time
  sightline laws --seed 7 --workers 1 --test-limit 200000`,
		Args: noArguments,
	}
	settings := config.New(cmd.Flags())
	settings.RegisterProject()
	cmd.Flags().StringVar(&file, "out", "", "write the test to this `FILE` (default: standard output)")
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := settings.CheckProject(); err != nil {
			return err
		}
		if err := settings.Load(); err != nil {
			return err
		}
		o, err := settings.Resolve()
		if err != nil {
			return err
		}
		o.Tool, o.Now, o.Log = tool(), p.now, progress.NewLog(p.stderr, p.now)
		var out bytes.Buffer
		if err := pipeline.Laws(cmd.Context(), o, &out); err != nil {
			return err
		}
		if file == "" {
			_, err = p.stdout.Write(out.Bytes())
			return err
		}
		if err := atomicfile.Write(file, out.Bytes()); err != nil {
			return exit.BadInput("--out %s: %w", file, err)
		}
		return nil
	}
	return cmd
}
