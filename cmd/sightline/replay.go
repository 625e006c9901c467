package main

import (
	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
)

func (p *program) replayCommand() *cobra.Command {
	var o replay.Options
	cmd := &cobra.Command{
		Use:   "replay REPRODUCER|ID...",
		Short: "Run a reproducer on go-ethereum and show what it does",
		Long: `Runs the calls of a reproducer on go-ethereum, from the World saved in world.json next to report.json,
shows the call tree with sources, and says whether the reproducer's claim holds.
A finding may be named by its id if --out is the output folder of its run.

With --bundle FILE, verifies a whole run packed into one file: that no file in it was changed, that
every finding in its report happens, that every line reported as reached is reached, and that the
verdict follows. Nothing is unpacked.

Exit codes: 0 every claim holds, 1 at least one does not, 2 a reproducer or bundle cannot be read or was changed.`,
		Example: `  sightline replay sightline-out/reproducers/SL-7f3a.json
  sightline replay SL-7f3a
  sightline replay --trace SL-7f3a
  sightline replay --foundry-test SL-7f3a > test/SL_7f3a.t.sol
  sightline replay sightline-out/reproducers/*.json
  sightline replay --bundle sightline.tar
  sightline replay --bundle sightline.tar SL-7f3a`,
		RunE: func(_ *cobra.Command, args []string) error {
			o.Color = progress.NewLog(p.stdout, p.now).Color()
			holds, err := replay.Run(p.stdout, args, o)
			if err == nil && !holds {
				p.exit = exit.Fail
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.Out, "out", config.DefaultOut, "output folder `DIR` of the run that found it")
	cmd.Flags().StringVar(&o.Bundle, "bundle", "", "verify the `FILE` that run --bundle wrote: its checksums, and that everything in its report happens; with IDs, show those")
	cmd.Flags().BoolVar(&o.Trace, "trace", false, "show everything that happens, in order: arguments and results of every call, each source line (changed lines are marked), storage writes and events")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print one line of JSON per reproducer")
	cmd.Flags().BoolVar(&o.FoundryTest, "foundry-test", false, "print the calls as a Foundry test, which makes the World itself or inherits from the test contract that set it up")
	cmd.Flags().SortFlags = false
	return cmd
}
